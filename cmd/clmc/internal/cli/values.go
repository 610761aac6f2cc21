package cli

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// The types of the flags' values. Each refuses what it does not know with an
// error that lists what it does.

type specValue struct{ memmodel.Spec }

func (v *specValue) String() string { return v.Name }
func (v *specValue) Type() string   { return "name" }
func (v *specValue) Set(s string) (err error) {
	v.Spec, err = memmodel.ParseSpec(s)
	return err
}

type porValue struct{ por.Mode }

func (v *porValue) String() string { return v.Mode.String() }
func (v *porValue) Type() string   { return "name" }
func (v *porValue) Set(s string) (err error) {
	v.Mode, err = por.ParseMode(s)
	return err
}

// analysesValue is the set of analyses that a search does without, written as the set of those that it uses.
type analysesValue struct{ without explore.Analyses }

func (v *analysesValue) String() string { return (explore.AllAnalyses &^ v.without).String() }
func (v *analysesValue) Type() string   { return "names" }
func (v *analysesValue) Set(s string) error {
	used, err := explore.ParseAnalyses(s)
	v.without = explore.AllAnalyses &^ used
	return err
}

// promisesValue is an explore.Options.Promises.
type promisesValue int

func (v *promisesValue) String() string { return explore.FormatPromises(int(*v)) }
func (v *promisesValue) Type() string   { return "N" }
func (v *promisesValue) Set(s string) error {
	n, err := explore.ParsePromises(s)
	*v = promisesValue(n)
	return err
}

// promisesTimeValue is an explore.Options.PromisesTime.
type promisesTimeValue struct{ explore.PromisesTime }

func (v *promisesTimeValue) Type() string { return "time" }
func (v *promisesTimeValue) Set(s string) (err error) {
	v.PromisesTime, err = explore.ParsePromisesTime(s)
	return err
}

// legacyValue is a model.Options.LegacyWorkGroup.
type legacyValue bool

func (v *legacyValue) String() string {
	if *v {
		return "work_group"
	}
	return "device"
}
func (v *legacyValue) Type() string { return "name" }
func (v *legacyValue) Set(s string) (err error) {
	b, err := checks.ParseLegacy(s)
	*v = legacyValue(b)
	return err
}

// undefinedValue is a clc.Options.Undefined.
type undefinedValue bool

func (v *undefinedValue) String() string {
	if *v {
		return "any"
	}
	return "refused"
}
func (v *undefinedValue) Type() string { return "name" }
func (v *undefinedValue) Set(s string) error {
	taken, err := clc.ParseUndefined(s)
	*v = undefinedValue(taken)
	return err
}

// unwrittenValue is an ir.Indeterminate.
type unwrittenValue ir.Indeterminate

func (v *unwrittenValue) String() string { return ir.Indeterminate(*v).String() }
func (v *unwrittenValue) Type() string   { return "name" }
func (v *unwrittenValue) Set(s string) error {
	u, err := ir.ParseIndeterminate(s)
	*v = unwrittenValue(u)
	return err
}

// choiceValue is one of a few words.
type choiceValue struct {
	value   string
	choices []string
}

func (v *choiceValue) String() string { return v.value }
func (v *choiceValue) Type() string   { return "name" }
func (v *choiceValue) Set(s string) error {
	if !slices.Contains(v.choices, s) {
		return fmt.Errorf("want %s", oneOf(v.choices))
	}
	v.value = s
	return nil
}

// defines are the constants that -D sets. A macro of a kernel file can do without a value; its
// value is empty here.
type defines map[string]string

func (d defines) String() string {
	var parts []string
	for _, name := range sortedKeys(d) {
		parts = append(parts, name+"="+d[name])
	}
	return strings.Join(parts, ",")
}
func (d defines) Type() string { return "name=value" }
func (d defines) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	plain, _, _ := strings.Cut(name, "(") // a macro of a kernel file may have parameters
	switch {
	case ok && value == "":
		return fmt.Errorf("want name=value, as in -D n=4")
	case !token.IsIdentifier(plain) || plain != name && (!strings.HasSuffix(name, ")") || !ok):
		return fmt.Errorf("%q is not the name of a constant", name)
	}
	if _, twice := d[name]; twice {
		return fmt.Errorf("%s is given twice", name)
	}
	d[name] = value
	return nil
}

// oneOf writes a list of alternatives.
func oneOf(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
