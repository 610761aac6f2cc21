package report

import (
	_ "embed"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/store"
)

// ResultSchema names the format that JSON writes.
const ResultSchema = "clmc.result/1"

//go:embed schema/result.json
var resultSchema string

//go:embed schema/trace.json
var traceSchema string

//go:embed schema/summary.json
var summarySchema string

//go:embed schema/device.json
var deviceSchema string

// DeviceSchema names the documents about OpenCL devices, each of which has a schema of its own.
const DeviceSchema = "clmc.device"

// Schemas returns the JSON Schemas of the documents that clmc writes, by name.
func Schemas() map[string]string {
	return map[string]string{ResultSchema: resultSchema, TraceSchema: traceSchema, SummarySchema: summarySchema, DeviceSchema: deviceSchema}
}

// Document is a result in its stored form.
type Document struct {
	Schema     string                   `json:"schema"`
	Model      string                   `json:"model"`
	Spec       string                   `json:"spec"`
	Reduction  string                   `json:"reduction"`
	Promises   Promises                 `json:"promises"`
	Legacy     Legacy                   `json:"legacy_atomics"`
	Verdict    string                   `json:"verdict"`
	Complete   bool                     `json:"complete"`
	Incomplete []string                 `json:"incomplete"`
	Violations []*trace.Trace           `json:"violations"`
	Known      []*Known                 `json:"known,omitempty"` // findings that were set aside
	Outcomes   []map[string]json.Number `json:"outcomes"`
	Condition  *Condition               `json:"condition,omitempty"` // of a litmus test
	Launch     []string                 `json:"launch,omitempty"`    // of a kernel file: flags of clmc explore
	Assumed    []string                 `json:"assumed,omitempty"`   // what the user said to take for granted
	Unchecked  []string                 `json:"unchecked,omitempty"` // assertions of the file that were not checked, and why
	Proved     string                   `json:"proved,omitempty"`    // what is proved of the kernel besides, where its launch was guessed
	OneOrder   bool                     `json:"one_order,omitempty"` // not every order of the accesses of known races was tried
	Notes      []string                 `json:"notes,omitempty"`     // what the front end took for granted, and Report.Between
	Awaits     []string                 `json:"awaits,omitempty"`    // who waits for whom nothing obliges to run
	Advice     []string                 `json:"advice,omitempty"`    // what to try so that there is a verdict
	Liveness   *Liveness                `json:"liveness,omitempty"`  // whether executions end, if that was asked
	Scope      *Scope                   `json:"scope,omitempty"`     // what a verdict without violations covers
	Unmet      []string                 `json:"unmet,omitempty"`     // requirements that it does not meet, and why
	Unexecuted []trace.Pos              `json:"never_executed,omitempty"`
	// Unevaluated are the lines with assertions to which no execution has come.
	Unevaluated []trace.Pos `json:"never_evaluated,omitempty"`
	Simulated   *Simulated  `json:"simulated,omitempty"`
	Statistics  Statistics  `json:"statistics"`
}

// Simulated says which executions were drawn at random.
type Simulated struct {
	Seed     uint64 `json:"seed"`
	Runs     int    `json:"runs"`      // that were asked for
	MaxSteps int    `json:"max_steps"` // after which an execution was given up
	CutShort int    `json:"cut_short"` // executions that were
}

// Promises says what was done about load buffering.
type Promises struct {
	Matter bool `json:"matter"` // load buffering is possible in the program
	Bound  int  `json:"bound"`  // on the writes that a work-item may owe; 0: no promises
	// Of the search without promises that comes first: its states, whether it
	// found the violation, and whether it explored every execution without promises and none goes wrong.
	FirstStates int  `json:"first_states"`
	FoundFirst  bool `json:"found_first"`
	FirstAll    bool `json:"first_verified"`
	// Status says how far load buffering was explored, as statusOf does.
	Status string `json:"status"`
	// Undecided is how long, in seconds, the search with promises took that ended as it had spent what there was for it; 0 of others.
	Undecided float64 `json:"undecided_seconds,omitempty"`
}

// statusOf says how far load buffering was explored.
func statusOf(r *explore.Result) string {
	switch {
	case !r.LoadBuffering:
		return "none" // it cannot matter
	case r.Promises == 0:
		return "left-out"
	case r.Unpromised:
		return "not-needed" // for the violation that was found
	case r.Undecided > 0:
		return "undecided"
	case r.Complete || len(r.Violations) > 0 && !r.Paused:
		return "explored"
	}
	return "cut-short"
}

// Legacy says how atomic functions of OpenCL 1.x were read.
type Legacy struct {
	Matter bool   `json:"matter"` // several work-groups call them
	Scope  string `json:"scope"`  // device or work_group
}

// Statistics are an explore.Stats in stored form.
type Statistics struct {
	States     int     `json:"states"`
	Steps      int     `json:"steps"`
	Executions int     `json:"executions"`
	Redundant  int     `json:"redundant"`
	Blocked    int     `json:"blocked"`
	Cuts       int     `json:"cuts"`
	Depth      int     `json:"depth"`
	Probed     int     `json:"probed"` // states looked at once more, to find a way out
	Saved      Saved   `json:"saved"`
	Seconds    float64 `json:"seconds"`
	PeakBytes  int     `json:"peak_bytes"`
	DiskBytes  int64   `json:"disk_bytes"`
	// Of the visited states; 0 if they were kept whole and compared.
	Collision float64 `json:"collision_probability"`
}

// Saved is an explore.Saved in stored form.
type Saved struct {
	Eager     int `json:"eager_steps"`
	Asleep    int `json:"asleep"`
	Turns     int `json:"turns"`
	Symmetric int `json:"alike"`
	Waits     int `json:"waits"`
	Dominated int `json:"dominated"`
	Renamed   int `json:"renamed"`
}

// Stats is the inverse, as far as statistics tell.
func (s *Statistics) Stats() explore.Stats {
	return explore.Stats{States: s.States, Steps: s.Steps, Ends: s.Executions, Redundant: s.Redundant, Blocked: s.Blocked, Cuts: s.Cuts, Depth: s.Depth, Probed: s.Probed,
		Saved: explore.Saved(s.Saved), Elapsed: time.Duration(s.Seconds * float64(time.Second)), PeakBytes: s.PeakBytes, DiskBytes: s.DiskBytes}
}

// JSON writes a report for programs; docs/json.md says what is in it.
func (r *Report) JSON(w io.Writer) error { return WriteJSON(w, r.Document()) }

// Document returns a report in its stored form.
func (r *Report) Document() *Document {
	res, s := r.Result, &r.Result.Stats
	collision := store.Collision(s.States)
	if res.Exact {
		collision = 0
	}
	d := &Document{
		Schema: ResultSchema, Model: r.Model, Spec: res.Spec.Name, Reduction: res.POR.String(),
		Promises: Promises{res.LoadBuffering, res.Promises, s.First, res.Unpromised, s.FirstAll, statusOf(res), res.Undecided.Seconds()},
		Legacy:   Legacy{res.LegacyShared, legacyName(res.LegacyScope)},
		Verdict:  res.Verdict.String(), Complete: res.Complete,
		Incomplete: orEmpty(res.Incomplete), Violations: orEmpty(r.Traces), Outcomes: []map[string]json.Number{},
		Known: r.Known, Condition: r.Condition, Launch: r.Launch, Notes: r.notes(), Awaits: r.Awaits, Unchecked: r.Unchecked, Assumed: r.Assumed, Proved: r.Proved, OneOrder: r.Result.OneOrder,
		Statistics: Statistics{s.States, s.Steps, s.Ends, s.Redundant, s.Blocked, s.Cuts, s.Depth, s.Probed, Saved(s.Saved), s.Elapsed.Seconds(), s.PeakBytes, s.DiskBytes, collision},
		Advice:     r.Advice(), Unexecuted: r.Unexecuted, Unevaluated: r.Unevaluated, Scope: r.scope(), Unmet: r.Unmet, Liveness: NewLiveness(res.Live),
	}
	for _, o := range res.Outcomes {
		d.Outcomes = append(d.Outcomes, res.Names.Numbers(o))
	}
	if drawn := res.Simulated; drawn != nil {
		d.Simulated = &Simulated{drawn.Seed, drawn.Runs, drawn.MaxSteps, drawn.CutShort}
	}
	return d
}

// notes are those of the front end, and that the end of executions hangs on the scheduler.
func (r *Report) notes() []string {
	if r.Between == "" {
		return r.Notes
	}
	return append(slices.Clone(r.Notes), r.Between)
}

// Kinds lists the ids of the kinds of violation that were found, each once.
func (d *Document) Kinds() (ids []string) {
	for _, t := range d.Violations {
		if !slices.Contains(ids, t.ID) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// orEmpty makes an absent list an empty one, which is what readers expect.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
