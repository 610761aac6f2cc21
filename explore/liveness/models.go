package liveness

import (
	"fmt"
	"slices"
	"strings"
)

// Model says which children of a node of the device the scheduler must not neglect for ever.
type Model uint8

// The models, from the weakest to the strongest.
const (
	Unfair Model = iota // none
	HSA                 // the lowest one that can go on
	OBE                 // those that have started
	HSAOBE              // both
	LOBE                // those that have started, and their lower siblings
	Fair                // all
)

var modelNames = [...]string{Unfair: "unfair", HSA: "hsa", OBE: "obe", HSAOBE: "hsa_obe", LOBE: "lobe", Fair: "fair"}

// Models lists the models, the weakest first: what ends under one ends under those that come later, but for hsa and obe,
// neither of which is weaker than the other.
func Models() []Model { return []Model{Unfair, HSA, OBE, HSAOBE, LOBE, Fair} }

// String returns the model's name, as users write it.
func (x Model) String() string { return modelNames[x] }

// starts reports whether it matters to the model who has started.
func (x Model) starts() bool { return x == OBE || x == HSAOBE || x == LOBE }

// Levels are the models of the levels of a device: of work-groups on it, of sub-groups in a work-group (of its work-items, if
// there is no level of sub-groups), and of work-items in a sub-group.
type Levels struct {
	Device, Group, Sub Model
	// SubGroups: there is a level of sub-groups, though the program itself does not use them.
	SubGroups bool
}

// Whole returns the levels of a model of work-groups where all below is fair.
func Whole(x Model) Levels { return Levels{Device: x, Group: Fair, Sub: Fair} }

// Preset is a name for the models of all levels.
type Preset struct {
	Name string
	Levels
}

// Presets lists what devices promise: by the text of OpenCL, by it with independent progress of sub-groups, and as they are
// known to behave, with and without lockstep.
func Presets() []Preset {
	return []Preset{
		{"opencl", Levels{Unfair, Unfair, Unfair, true}},
		{"opencl-ifp", Levels{Unfair, Fair, Unfair, true}},
		{"gpu", Levels{HSAOBE, Fair, Fair, true}},
		{"gpu-lockstep", Levels{HSAOBE, Fair, Unfair, true}},
	}
}

// String writes the levels as users may: by the name of a preset, by that of the model of work-groups, or level by level.
func (l Levels) String() string {
	for _, p := range Presets() {
		if p.Levels == l {
			return p.Name
		}
	}
	if l == Whole(l.Device) {
		return l.Device.String()
	}
	text := fmt.Sprintf("device=%v,group=%v", l.Device, l.Group)
	if l.SubGroups {
		text += fmt.Sprintf(",subgroup=%v", l.Sub)
	}
	return text
}

// Words says in words how work is scheduled.
func (l Levels) Words() string {
	text := "work-groups are scheduled " + l.Device.adverb()
	switch {
	case l == Whole(Fair):
		return "work-groups and work-items are scheduled fairly"
	case l.below():
		return text + " and work-items fairly"
	case !l.SubGroups:
		return text + " and work-items of a group " + l.Group.adverb()
	}
	return text + fmt.Sprintf(", sub-groups %s and work-items of a sub-group %s", l.Group.adverb(), l.Sub.adverb())
}

// adverb says how something is scheduled.
func (x Model) adverb() string {
	if x == Fair || x == Unfair {
		return x.String() + "ly"
	}
	return x.String()
}

// levelNames are the levels as users name them.
var levelNames = []string{"device", "group", "subgroup"}

// ModelHelp says what ParseLevels takes.
const ModelHelp = "fair, lobe, hsa_obe, obe, hsa, unfair, opencl, opencl-ifp, gpu, gpu-lockstep, or models by level such as device=obe,group=fair,subgroup=unfair"

// ParseLevels reads a model as users write it: the name of a preset, of a model of work-groups, or models by level.
func ParseLevels(text string) (Levels, error) {
	if x, ok := parseModel(text); ok {
		return Whole(x), nil
	}
	for _, p := range Presets() {
		if p.Name == text {
			return p.Levels, nil
		}
	}
	if !strings.Contains(text, "=") {
		return Levels{}, misread(text)
	}
	l := Whole(Fair)
	var given []string
	for part := range strings.SplitSeq(text, ",") {
		level, name, _ := strings.Cut(strings.TrimSpace(part), "=")
		x, ok := parseModel(name)
		switch {
		case names(level):
			return Levels{}, fmt.Errorf("%q: %w", text, mixed(level))
		case !slices.Contains(levelNames, level):
			return Levels{}, fmt.Errorf("%q: there is no level %q; want %s", text, level, strings.Join(levelNames, ", "))
		case !ok:
			return Levels{}, fmt.Errorf("%q: there is no model %q; want one of %s", text, name, strings.Join(modelNames[:], ", "))
		case slices.Contains(given, level):
			return Levels{}, fmt.Errorf("%q: the level %s is given twice", text, level)
		}
		given = append(given, level)
		l.set(level, x)
	}
	return l, nil
}

// names reports whether a text is the name of a preset or of a model.
func names(text string) bool {
	_, ok := parseModel(text)
	return ok || slices.ContainsFunc(Presets(), func(p Preset) bool { return p.Name == text })
}

// misread says what to write instead of what is no model.
func misread(text string) error {
	small := strings.ToLower(strings.TrimSpace(text))
	first, _, several := strings.Cut(small, ",")
	switch {
	case several && names(strings.TrimSpace(first)):
		return fmt.Errorf("%q: %w", text, mixed(strings.TrimSpace(first)))
	case names(small):
		return fmt.Errorf("%q: write %s", text, small)
	}
	return fmt.Errorf("%q: want %s", text, ModelHelp)
}

// mixed says that a name stands beside others.
func mixed(name string) error {
	if x, ok := parseModel(name); ok {
		return fmt.Errorf("%v stands alone, for the work-groups of a device; beside others write each with its level, as in device=%v,group=fair,subgroup=unfair", x, x)
	}
	i := slices.IndexFunc(Presets(), func(p Preset) bool { return p.Name == name })
	l := Presets()[i].Levels
	return fmt.Errorf("%s stands alone: it says all of device=%v,group=%v,subgroup=%v, of which you may write each by itself", name, l.Device, l.Group, l.Sub)
}

func (l *Levels) set(level string, x Model) {
	switch level {
	case "device":
		l.Device = x
	case "group":
		l.Group = x
	default:
		l.Sub, l.SubGroups = x, true
	}
}

func parseModel(name string) (Model, bool) {
	i := slices.Index(modelNames[:], name)
	return Model(max(i, 0)), i >= 0
}

// Fairness says what a scheduler that keeps its promises owes to who can go on.
type Fairness uint8

// The kinds of fairness.
const (
	Weak   Fairness = iota // a step, some time, to who can always go on
	Strong                 // each possible continuation has its chance: executions that end with probability 1 end
)

var fairnessNames = [...]string{Weak: "weak", Strong: "strong"}

// String returns the name, as users write it.
func (f Fairness) String() string { return fairnessNames[f] }

// ParseFairness reads the name of a kind of fairness.
func ParseFairness(name string) (Fairness, error) {
	if i := slices.Index(fairnessNames[:], name); i >= 0 {
		return Fairness(i), nil
	}
	return Weak, fmt.Errorf("%q: want weak or strong", name)
}

// Question is what is asked of a program.
type Question struct {
	Levels
	Fairness
}

// ParseQuestion reads a model, as ParseLevels does, that is asked about under a kind of fairness.
func ParseQuestion(model string, fair Fairness) (Question, error) {
	l, err := ParseLevels(model)
	q := Question{Levels: l, Fairness: fair}
	if err == nil && q.Vacuous() {
		err = fmt.Errorf("%v has a level that is unfair: of several who can go on there, one may be served for ever, so that strong fairness promises nothing; "+
			"ask for weak fairness, or write fair for a level that has one member only, where the two are the same", l)
	}
	return q, err
}

// Vacuous reports whether strong fairness says nothing, since some level promises nothing.
func (q Question) Vacuous() bool {
	return q.Fairness == Strong && (q.Device == Unfair || q.Group == Unfair || q.SubGroups && q.Sub == Unfair)
}

// Table lists the questions about each model of work-groups, where all below is fair, under each kind of fairness.
func Table() (all []Question) {
	for _, f := range []Fairness{Weak, Strong} {
		for _, x := range Models() {
			if q := (Question{Whole(x), f}); !q.Vacuous() {
				all = append(all, q)
			}
		}
	}
	return all
}

// Weaker reports whether the model promises no more than another one.
func (x Model) Weaker(y Model) bool {
	if x == HSA && y == OBE || x == OBE && y == HSA {
		return x == y
	}
	return x <= y
}
