package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/models/shipped"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Model is a target that has been loaded.
type Model struct {
	Name    string // as it is named in reports
	Program *ir.Program
	Test    *litmus.Test // nil unless it is a litmus test
	Launch  []string     // of a kernel file: the flags that say how it is launched
	Defines []string     // of a kernel file: the flags that define its macros
	// Known are the findings that the model's files, or a list of checks, say are known. A search
	// has to go on after them.
	Known []*report.Known
	again func() (*Model, error) // loads it with all values; nil if it has them
	// Data are what it is given where its inputs are any, as clc.Options.Given has them.
	Data []string
	with func(given []string, names bool) (*Model, error) // loads it with such data
}

// Load reads a target and loads it. What is wrong with it is in the error, with
// positions.
func (t Target) Load(opt Options) (*Model, error) { return retold(opt)(t.load(opt)) }

func (t Target) load(opt Options) (*Model, error) {
	name := string(t)
	if err := t.valued(opt); err != nil {
		return nil, err
	}
	switch {
	case t.isShipped():
		m, err := Shipped(name)
		if err != nil {
			return nil, err
		}
		if m.IsKernel() {
			return kernels(name, opt)(clc.Source(m.Path, []byte(m.Source), opt.kernels()))
		}
		texts := []ir.Source{{Name: m.Path, Text: m.Source}}
		if m.Kernels != "" {
			texts = append(texts, ir.Source{Name: m.KernelPath(), Text: m.Kernels})
		}
		return loaded(name)(load.Sources("main", texts, opt.models()))
	case t.IsLitmus():
		if err := constants(name, opt); err != nil {
			return nil, err
		}
		return Litmus(name)
	case t.IsKernel():
		return kernels(name, opt)(clc.File(name, opt.kernels()))
	}
	return loaded(name)(load.File(name, opt.models()))
}

// Unloaded is the report on a target that there was no time to load, say why, with these options.
func (t Target) Unloaded(why string, opt explore.Options) (*report.Report, error) {
	return report.New(string(t), &ir.Program{}, &explore.Result{Verdict: explore.Inconclusive, Incomplete: []string{why}, Spec: opt.Spec, POR: opt.POR, NoCache: opt.NoCache})
}

// Parse loads a target from its text, whatever is in the file of that name.
func (t Target) Parse(text []byte, opt Options) (*Model, error) {
	return retold(opt)(t.parse(text, opt))
}

func (t Target) parse(text []byte, opt Options) (*Model, error) {
	name := string(t)
	if t.IsKernel() {
		return kernels(name, opt)(clc.Source(name, text, opt.kernels()))
	}
	if !t.IsLitmus() {
		return loaded(name)(load.Source(name, text, opt.models()))
	}
	if err := constants(name, opt); err != nil {
		return nil, err
	}
	return parseLitmus(name, text)
}

// valued reports constants without a value; only macros of kernel files can do without.
func (t Target) valued(opt Options) error {
	for _, name := range slices.Sorted(maps.Keys(opt.Defines)) {
		if opt.Defines[name] == "" && !t.IsKernel() {
			return fmt.Errorf("-D %s: want name=value, as in -D n=4", name)
		}
	}
	return nil
}

// constants reports constants that are to be set in a litmus test.
func constants(name string, opt Options) error {
	if len(opt.Defines) == 0 {
		return nil
	}
	return fmt.Errorf("%s: a litmus test has no constants, so that %s does not apply", name, strings.Join(slices.Sorted(maps.Keys(opt.Defines)), ", "))
}

// maxLitmus bounds what is read of a litmus test; the parser refuses files of
// this size.
const maxLitmus = 1<<20 + 1

// Litmus loads the litmus test in a file, whatever the file is called.
func Litmus(path string) (*Model, error) {
	text, err := regular.Read(path, maxLitmus)
	if err != nil {
		return nil, regular.Fault(path, err)
	}
	return parseLitmus(path, text)
}

func parseLitmus(name string, text []byte) (*Model, error) {
	test, err := litmus.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return &Model{Name: name, Program: test.Program, Test: test}, stray(test.Program.Sources)
}

// Again loads a model from the texts that a program of that name was loaded from
// before, and calls it what it was called then.
func Again(name, program string, texts []ir.Source, isLitmus bool, opt Options) (*Model, error) {
	return retold(opt)(again(name, program, texts, isLitmus, opt))
}

func again(name, program string, texts []ir.Source, isLitmus bool, opt Options) (*Model, error) {
	if Target(name).IsKernel() {
		return kernels(name, opt)(clc.Sources(texts, opt.kernels()))
	}
	if !isLitmus {
		return loaded(name)(load.Sources(program, texts, opt.models()))
	}
	m, err := parseLitmus(texts[0].Name, []byte(texts[0].Text))
	if err == nil {
		m.Name = name
	}
	return m, err
}

// loaded makes a model of what package load returns.
func loaded(name string) func(*ir.Program, error) (*Model, error) {
	return func(p *ir.Program, err error) (*Model, error) {
		if err != nil {
			return nil, err
		}
		if err := stray(p.Sources); err != nil {
			return nil, err
		}
		m := &Model{Name: name, Program: p}
		for _, s := range p.Sources {
			known, err := report.KnownIn(s.Name, s.Text)
			if err != nil {
				return nil, err
			}
			m.Known = append(m.Known, known...)
		}
		return m, nil
	}
}

// kernels makes a model of what package clc returns.
func kernels(name string, opt Options) func(*ir.Program, error) (*Model, error) {
	return func(p *ir.Program, err error) (*Model, error) {
		m, err := loaded(name)(p, err)
		if err == nil {
			m.Launch, m.Defines = opt.Kernels.Flags(), opt.DefineFlags()
		}
		return m, err
	}
}

// Shipped finds a model that comes with clmc by its name, with or without the @.
func Shipped(name string) (shipped.Model, error) {
	name = strings.TrimPrefix(name, "@")
	all := shipped.All()
	if i := slices.IndexFunc(all, func(m shipped.Model) bool { return m.Name == name }); i >= 0 {
		return all[i], nil
	}
	var similar []string
	for _, m := range all {
		if name != "" && (strings.Contains(m.Name, name) || strings.Contains(name, m.Name)) {
			similar = append(similar, m.Name)
		}
	}
	hint := "'clmc models' lists the kernels and models that come with clmc"
	if similar != nil {
		hint = "Similar: " + strings.Join(similar, ", ")
	}
	return shipped.Model{}, fmt.Errorf("no model called %q comes with clmc\n%s", name, hint)
}

// forgive notes in the program where its data races are known.
func (m *Model) forgive() {
	p := m.Program
	if p.Forgiven != nil { // else others may search the program, too
		p.Forgiven = nil
	}
	for _, k := range m.Known {
		if k.ID != state.DataRace.ID() {
			continue
		}
		if p.Forgiven == nil {
			p.Forgiven = make([]bool, len(p.Positions))
		}
		for i, at := range p.Positions {
			p.Forgiven[i] = p.Forgiven[i] || at.Line > 0 && int(at.File) < len(p.Sources) && k.At(trace.Pos{File: p.Sources[at.File].Name, Line: int(at.Line)})
		}
	}
}

// Sets sets the options of a search that the model asks for: what is known is set aside, so that the search goes on after it, and
// what may be its consequence is told from what is not.
func (m *Model) Sets(opt *explore.Options) {
	m.forgive()
	if len(m.Known) > 0 {
		opt.All, opt.Beyond, opt.Aside = true, true, true
	}
	spec := opt.Spec
	if spec.Name == "" {
		spec = memmodel.Specs[0]
	}
	opt.Depends = func(v *explore.Violation) bool { return trace.DependsOnRace(m.Program, spec, v) }
}

// Explore searches the model's executions and reports what was found.
func (m *Model) Explore(ctx context.Context, opt explore.Options) (*report.Report, error) {
	_, rep, err := m.Explored(ctx, opt)
	return rep, err
}

// Explored is Explore, and returns also the model that the report is about: with data, where its inputs are any.
func (m *Model) Explored(ctx context.Context, opt explore.Options) (*Model, *report.Report, error) {
	m, r, err := m.DecideLate(func(m *Model) *explore.Result {
		opt := opt
		m.Sets(&opt)
		return explore.Run(ctx, m.Program, opt)
	})
	if err != nil {
		return nil, nil, err
	}
	rep, err := m.Tell(ctx, r)
	return m, rep, err
}

// Report traces the violations of a result, sets aside in it what is known, and judges the condition of a litmus
// test. An error means that a violation cannot be repeated, which is a defect of
// clmc.
func (m *Model) Report(r *explore.Result) (*report.Report, error) {
	return m.Tell(context.Background(), r)
}

// Tell is Report, but in haste from when ctx is done on: what takes long to repeat is not repeated then.
func (m *Model) Tell(ctx context.Context, r *explore.Result) (*report.Report, error) {
	whole, hasty := *r, *r // r itself changes when nobody waits for the whole any more
	rep, err := guard.Await(ctx, "report", func() (*report.Report, error) { return m.traced(&whole) })
	if errors.Is(err, guard.ErrLeft) {
		hasty.Until, hasty.Interrupted = time.Now(), errors.Is(ctx.Err(), context.Canceled)
		rep, err = m.traced(&hasty)
	}
	if err != nil {
		return nil, fmt.Errorf("internal error: a violation cannot be repeated: %w", err)
	}
	rep.Result = r
	if hasty.Interrupted {
		r.Interrupted = true
	}
	if len(m.Known) > 0 {
		rep.SetAside(m.Known)
	}
	rep.Condition = m.Condition(rep.Document())
	return rep, nil
}

// traced traces the violations of a result, and changes neither that nor the model.
func (m *Model) traced(r *explore.Result) (*report.Report, error) {
	rep, err := report.New(m.Name, m.Program, r)
	if err != nil {
		return nil, err
	}
	rep.Launch, rep.Defines, rep.Notes = m.Launch, m.Defines, m.Program.Notes
	if r.Verdict != explore.Verified && r.Verdict != explore.ButForKnown {
		rep.Notes = slices.DeleteFunc(slices.Clone(rep.Notes), clc.OnData)
	}
	if r.Until.IsZero() || time.Now().Before(r.Until) || !m.long() { // it is loaded again for that
		m.showValues(rep)
	}
	return rep, nil
}

// long reports whether it takes a while to load the model.
func (m *Model) long() bool {
	sum := 0
	for i := range m.Program.Sources {
		sum += len(m.Program.Sources[i].Text)
	}
	return sum > longText
}

const longText = 64 << 10

// Repeat repeats an execution that was recorded, and reports on it alone, whatever
// others there are. The error is trace.ErrUnfit if it is not one of the model's.
func (m *Model) Repeat(f *report.TraceFile) (*report.Report, error) {
	spec, err := memmodel.ParseSpec(f.Spec)
	if err != nil {
		return nil, err
	}
	m.forgive()
	t, err := f.Replay(m.Program)
	if err != nil {
		return nil, err
	}
	if f.Witness() {
		return m.witnessed(f, spec, t)
	}
	v := explore.Violation{Schedule: trace.Moves(f.Schedule), After: f.After}
	v.Kind, v.Lasso = t.ViolationKind(), f.Lasso()
	rep, err := report.New(m.Name, m.Program, &explore.Result{
		Verdict:    explore.Violated,
		Violations: []explore.Violation{v},
		Stats:      explore.Stats{Steps: len(f.Schedule)},
		Incomplete: []string{"one recorded execution was repeated"},
		Spec:       spec,
	})
	if err != nil {
		return nil, err
	}
	rep.Replayed = true
	m.showValues(rep)
	return rep, nil
}

// witnessed reports on an execution in which nothing goes wrong.
func (m *Model) witnessed(f *report.TraceFile, spec memmodel.Spec, t *trace.Trace) (*report.Report, error) {
	rep, err := report.New(m.Name, m.Program, &explore.Result{
		Verdict:    explore.Inconclusive,
		Outcomes:   []map[string]int64{explore.Bits(f.Outcome)},
		Names:      explore.NamesOf(f.Outcome),
		Stats:      explore.Stats{Steps: len(f.Schedule)},
		Incomplete: []string{"one recorded execution was repeated"},
		Spec:       spec,
	})
	if err != nil {
		return nil, err
	}
	t = report.Valued(t, func() (valued *trace.Trace) {
		if p := m.Valued(); p != nil {
			valued, _ = f.Replay(p)
		}
		return valued
	})
	rep.Replayed, rep.Witnesses = true, []*trace.Trace{t}
	return rep, nil
}

// Recall makes the report again of what an earlier search found, as far as a document keeps it.
func (m *Model) Recall(d *report.Document) (*report.Report, error) {
	spec, err := memmodel.ParseSpec(d.Spec)
	if err != nil {
		return nil, err
	}
	r := &explore.Result{Outcomes: outcomesOf(d), Complete: d.Complete, Incomplete: d.Incomplete, Spec: spec,
		LoadBuffering: d.Promises.Matter, Promises: d.Promises.Bound, Unpromised: d.Promises.FoundFirst, Stats: d.Statistics.Stats()}
	r.Stats.First, r.Stats.FirstAll = d.Promises.FirstStates, d.Promises.FirstAll
	r.Undecided = time.Duration(d.Promises.Undecided * float64(time.Second))
	r.Verdict = explore.ParseVerdict(d.Verdict)
	for _, t := range d.Violations {
		v := explore.Violation{Schedule: trace.Moves(t.Schedule), Unsettled: t.Unsettled, After: t.After}
		if t.Liveness != nil {
			v.Lasso = t.Liveness.Lasso()
		}
		for _, k := range state.Kinds() {
			if k.ID() == t.ID {
				v.Kind = k
			}
		}
		if v.Kind != state.Unreachable { // which has no execution
			r.Violations = append(r.Violations, v)
		}
	}
	return m.Report(r)
}

// outcomesOf returns the outcomes that a document keeps.
func outcomesOf(d *report.Document) (all []map[string]int64) {
	for _, o := range d.Outcomes {
		all = append(all, explore.Bits(o))
	}
	return all
}

// Condition judges the condition of a litmus test by what was found, perhaps by
// an earlier run. It is nil for other models.
func (m *Model) Condition(d *report.Document) *report.Condition {
	if m.Test == nil {
		return nil
	}
	r := m.record(outcomesOf(d), d.Kinds(), d.Complete)
	return &report.Condition{Text: fmt.Sprintf("%v (%v)", m.Test.Quantifier, m.Test.Cond), Verdict: r.Verdict}
}

// Record sums up what the search of a litmus test found.
func (m *Model) Record(r *explore.Result) litmus.Record {
	var kinds []string
	for _, v := range r.Violations {
		kinds = append(kinds, v.Kind.ID())
	}
	rec := m.record(r.Outcomes, kinds, r.Complete)
	rec.States, rec.Seconds = int64(r.Stats.States), r.Stats.Elapsed.Seconds()
	return rec
}

// record judges a litmus test by its outcomes and the ids of the violations that
// were found.
func (m *Model) record(outcomes []map[string]int64, kinds []string, complete bool) litmus.Record {
	race := slices.Contains(kinds, state.DataRace.ID())
	divergence := slices.Contains(kinds, state.BarrierDivergence.ID())
	for _, id := range kinds {
		// Another one's execution has no outcome, which it may have without what goes wrong. What goes on for ever was
		// looked for when all that end had been explored.
		complete = complete && (HerdFlag(id) || id == state.MayRun.ID())
	}
	return m.Test.Record(outcomes, race, divergence, complete)
}

// HerdFlag reports whether herd's format has a flag for a kind of violation.
func HerdFlag(id string) bool { return id == state.DataRace.ID() || id == state.BarrierDivergence.ID() }
