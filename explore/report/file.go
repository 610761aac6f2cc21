package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// TraceSchema names the format of trace files, and LassoSchema that of those of executions that go on for ever.
const (
	TraceSchema = "clmc.trace/1"
	LassoSchema = "clmc.trace/2"
)

// TraceFile is an execution, kept to be replayed: one that goes wrong, or with a Condition one in which nothing does.
type TraceFile struct {
	Schema  string            `json:"schema"`
	Model   string            `json:"model"`
	Program string            `json:"program"` // a digest: tells whether the model has changed
	Spec    string            `json:"spec"`
	Defines map[string]string `json:"defines,omitempty"` // constants that were overridden
	Launch  []string          `json:"launch,omitempty"`  // flags about a kernel file
	// LegacyWorkGroup: atomic functions of OpenCL 1.x had work-group scope.
	LegacyWorkGroup bool   `json:"legacy_work_group,omitempty"`
	ID              string `json:"id"`
	Kind            string `json:"kind"`
	Message         string `json:"message"`
	Location        string `json:"location,omitempty"`
	// After: it comes after data races of the same execution.
	After bool `json:"after_race,omitempty"`
	// Condition is what the execution was asked for to show, Variables are those of it, and Outcome is what it ends in.
	Condition string                 `json:"condition,omitempty"`
	Variables []string               `json:"variables,omitempty"`
	Outcome   map[string]json.Number `json:"outcome,omitempty"`
	Schedule  []trace.Move           `json:"schedule"`
	// Acts is the schedule in names, by which it is looked up when the model has changed; none if it is longer than maxActs.
	Acts []trace.Act `json:"acts,omitempty"`
	// Of an execution that goes on for ever: the index of the first move of the part that is repeated, the lanes that could go on there and never do, and
	// how work is scheduled.
	Loop     *int   `json:"loop,omitempty"`
	Halted   []int  `json:"halted,omitempty"`
	Liveness string `json:"liveness,omitempty"`
	Fairness string `json:"fairness,omitempty"`
}

// NewTraceFile returns what must be kept of a trace of program p.
func NewTraceFile(model string, p *ir.Program, spec memmodel.Spec, defines map[string]string, t *trace.Trace) (*TraceFile, error) {
	if t.ViolationKind() == state.Unreachable {
		return nil, fmt.Errorf("%s %s has no execution to keep", t.ID, t.Kind)
	}
	return fileOf(model, p, spec, defines, t), nil
}

// NewWitnessFile returns what must be kept of an execution that ends in an outcome.
func NewWitnessFile(model string, p *ir.Program, spec memmodel.Spec, defines map[string]string, t *trace.Trace, condition string, variables []string, outcome map[string]json.Number) *TraceFile {
	f := fileOf(model, p, spec, defines, t)
	f.Condition, f.Variables, f.Outcome = condition, variables, outcome
	return f
}

// maxActs is the longest schedule whose moves are named in a file. The names take nine times as much room as the moves, and whoever has changed a
// model looks at short executions.
const maxActs = 1 << 14

// fileOf is what must be kept of any execution.
func fileOf(model string, p *ir.Program, spec memmodel.Spec, defines map[string]string, t *trace.Trace) *TraceFile {
	f := &TraceFile{Schema: TraceSchema, Model: model, Program: Digest(p), Spec: spec.Name, Defines: defines, LegacyWorkGroup: p.LegacyScope == memmodel.ScopeWorkGroup,
		ID: t.ID, Kind: t.Kind, Message: t.Message, Location: t.Location, After: t.After, Schedule: t.Schedule}
	if len(t.Schedule) <= maxActs {
		f.Acts = trace.Acts(p, spec, t.Schedule, t.After)
	}
	for i := len(t.Steps) - 1; i >= 0; i-- {
		if s := &t.Steps[i]; s.Move < len(f.Acts) {
			f.Acts[s.Move].Step = s.ID
		}
	}
	if l := t.Liveness; l != nil {
		f.Schema, f.Loop, f.Halted, f.Liveness, f.Fairness = LassoSchema, &l.Loop, l.Halted, l.Model, l.Fairness
	}
	return f
}

// Witness reports whether nothing goes wrong in the execution.
func (f *TraceFile) Witness() bool { return f.Condition != "" }

// Lasso returns which part of the execution is repeated for ever; nil if none is.
func (f *TraceFile) Lasso() *explore.Lasso {
	if f.Loop == nil {
		return nil
	}
	return (&trace.Liveness{Model: f.Liveness, Fairness: f.Fairness, Loop: *f.Loop}).Lasso()
}

// Digest tells programs apart.
func Digest(p *ir.Program) string {
	sum := sha256.Sum256([]byte(p.String()))
	return hex.EncodeToString(sum[:16])
}

// Save writes the file.
func (f *TraceFile) Save(w io.Writer) error { return WriteJSON(w, f) }

// LoadTrace reads what Save has written.
func LoadTrace(r io.Reader) (*TraceFile, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var head struct{ Schema string }
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("this is not a trace file: %w", err)
	}
	if head.Schema != TraceSchema && head.Schema != LassoSchema {
		return nil, fmt.Errorf("this version of clmc cannot read the trace file: its schema is %q, not %q or %q", head.Schema, TraceSchema, LassoSchema)
	}
	f := &TraceFile{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("damaged trace file: %w", err)
	}
	if k, ok := f.kind(); ok && (k == state.MayRun) != (f.Schema == LassoSchema && f.Loop != nil && f.Lasso() != nil) {
		return nil, fmt.Errorf("damaged trace file: it does not say how work is scheduled and which part is repeated for ever, or says it of what ends")
	}
	if _, ok := f.kind(); !ok && !(f.Witness() && f.ID == "") {
		return nil, fmt.Errorf("damaged trace file: unknown kind of violation %q", f.ID)
	}
	return f, nil
}

func (f *TraceFile) kind() (state.Kind, bool) {
	for _, k := range state.Kinds() {
		if k.ID() == f.ID {
			return k, k != state.Unreachable
		}
	}
	return 0, false
}

// Replay repeats the execution with program p, which must be the model loaded
// with the file's defines, and reports an error unless it goes wrong in the
// same way.
func (f *TraceFile) Replay(p *ir.Program) (*trace.Trace, error) {
	spec, err := memmodel.ParseSpec(f.Spec)
	if err != nil {
		return nil, err
	}
	if f.Witness() {
		t, err := f.repeat(p, spec)
		return t, f.misfit(p, err)
	}
	k, _ := f.kind()
	v := explore.Violation{Schedule: trace.Moves(f.Schedule), After: f.After}
	v.Kind = k
	if v.Lasso = f.Lasso(); v.Lasso != nil {
		if err := explore.VerifyLasso(p, spec, v.Schedule, v.Lasso); err != nil {
			return nil, f.misfit(p, fmt.Errorf("%w: the execution does not go on for ever: %w", trace.ErrUnfit, err))
		}
	}
	t, err := f.build(p, spec, v)
	if err == nil {
		return t, nil
	}
	if len(f.Acts) == 0 || v.Lasso != nil || Digest(p) == f.Program || !errors.Is(err, trace.ErrUnfit) {
		return nil, f.misfit(p, err)
	}
	return f.refit(p, spec, v)
}

// build repeats the execution by its schedule.
func (f *TraceFile) build(p *ir.Program, spec memmodel.Spec, v explore.Violation) (*trace.Trace, error) {
	t, err := trace.Build(p, spec, v)
	if err == nil && t.Location != f.Location {
		err = fmt.Errorf("%w: it ends in %s on %s, not on %s", trace.ErrUnfit, t.Kind, t.Location, f.Location)
	}
	if err == nil && t.Liveness != nil && !slices.Equal(t.Liveness.Halted, f.Halted) {
		err = fmt.Errorf("%w: others stop in it for ever than the file says", trace.ErrUnfit)
	}
	return t, err
}

// refit repeats the execution by the names of its moves, with a model that has changed. The file has the schedule of that model from then on.
func (f *TraceFile) refit(p *ir.Program, spec memmodel.Spec, v explore.Violation) (*trace.Trace, error) {
	r, err := trace.Refit(p, spec, f.Acts, f.After)
	if err != nil {
		return nil, err
	}
	if r.Fits < len(f.Acts) {
		return nil, f.misfit(p, fmt.Errorf("%w: it %s; %s, and now %s", trace.ErrUnfit, f.until(r.Fits), visible.Line(r.Step), visible.Line(r.Now)))
	}
	v.Schedule = trace.Moves(r.Schedule)
	t, err := f.build(p, spec, v)
	if err != nil {
		return nil, f.misfit(p, fmt.Errorf("%w; all %d steps fit", err, len(f.Acts)))
	}
	f.Schedule = r.Schedule
	return t, nil
}

// until says how far the execution is one of the model's.
func (f *TraceFile) until(fits int) string {
	if fits == 0 {
		return "does not fit from the first step on"
	}
	return fmt.Sprintf("fits until step %d", f.Acts[fits-1].Step)
}

// misfit says of an execution that cannot be repeated whether the model is another one.
func (f *TraceFile) misfit(p *ir.Program, err error) error {
	if errors.Is(err, trace.ErrUnfit) && Digest(p) != f.Program {
		return fmt.Errorf("%w; the model is not the one that the trace was recorded with (%s)", err, f.Model)
	}
	return err
}

// repeat performs once more an execution in which nothing goes wrong.
func (f *TraceFile) repeat(p *ir.Program, spec memmodel.Spec) (*trace.Trace, error) {
	t, values, err := trace.Repeat(p, spec, trace.Moves(f.Schedule), time.Time{}, f.Variables...)
	if err != nil {
		return nil, err
	}
	for name, want := range explore.Bits(f.Outcome) {
		if !slices.ContainsFunc(values, func(v state.Value) bool { return (v.Name == name || v.Long == name) && v.Value == want }) {
			return nil, fmt.Errorf("%w: it does not end with %s=%d", trace.ErrUnfit, visible.Line(name), want)
		}
	}
	return t, nil
}
