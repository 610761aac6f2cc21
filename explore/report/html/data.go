package html

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
)

// document is what the page's code reads.
type document struct {
	Files      []file   `json:"files"`
	Executions []*graph `json:"executions"` // of the violations, then of the outcomes
	Violations int      `json:"violations"` // how many of them are of violations
	Outcomes   []int    `json:"outcomes"`   // by outcome shown: its execution, or -1
	Full       bool     `json:"full"`       // all steps are to be shown first, not only the slice
}

type file struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// graph is an execution. Steps count from 1, 0 is the initial value; all else counts from
// 0, and -1 is none. Texts that may repeat are indices into Strings.
type graph struct {
	Strings  []string   `json:"strings"`
	Lanes    []lane     `json:"lanes"`
	Steps    columns    `json:"steps"`
	Memory   []location `json:"memory"`
	Barriers []barrier  `json:"barriers"`
	Sync     []int      `json:"sync"`     // from, to, regions
	Commands []int      `json:"commands"` // from, to
	Calls    []call     `json:"calls"`
	Vars     []variable `json:"vars"`
	Settings []int      `json:"settings"` // step, variable, text or -1 for unknown
	Lists    []sights   `json:"lists"`
	Sights   []int      `json:"sights"`   // step, list, 1 if before the step
	Cast     []int      `json:"cast"`     // lanes to show first, of the slice if there is one
	Whole    []int      `json:"whole"`    // of all steps
	Slice    []int      `json:"slice"`    // what the violation depends on, null if that is not known
	Accesses []int      `json:"accesses"` // the steps at fault
	Waits    []int      `json:"waits"`    // lanes that wait for ever
	Focus    int        `json:"focus"`    // the step to begin with
	Race     bool       `json:"race"`     // the accesses race with each other
	Loop     []int      `json:"loop"`     // the first and the last step of what is repeated for ever, null if nothing is
}

// columns are the steps, one number for each in each column.
type columns struct {
	Lane    []int32 `json:"lane"`
	Kind    []int32 `json:"kind"` // text
	File    []int32 `json:"file"` // -1: unknown
	Line    []int32 `json:"line"`
	Col     []int32 `json:"col"`
	Brief   []int32 `json:"brief"` // text
	Op      []int32 `json:"op"`    // text
	Via     []int32 `json:"via"`   // text
	Loc     []int32 `json:"loc"`
	Read    []int32 `json:"read"`  // text
	From    []int32 `json:"from"`  // the step that it reads from
	Wrote   []int32 `json:"wrote"` // text
	Before  []int32 `json:"before"`
	Early   []int32 `json:"early"`
	Atomic  []int32 `json:"atomic"`
	Call    []int32 `json:"call"`
	Outcome []int32 `json:"outcome"` // text
}

// grow makes room for n steps.
func (c *columns) grow(n int) {
	for _, column := range []*[]int32{&c.Lane, &c.Kind, &c.File, &c.Line, &c.Col, &c.Brief, &c.Op, &c.Via, &c.Loc, &c.Read, &c.From, &c.Wrote,
		&c.Before, &c.Early, &c.Atomic, &c.Call, &c.Outcome} {
		*column = make([]int32, 0, n)
	}
}

type lane struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Where string `json:"where"`
	Brief string `json:"brief"` // where, in a word
	Host  bool   `json:"host,omitempty"`
}

type location struct {
	Name    string `json:"name"`
	Region  string `json:"region"`
	Kind    string `json:"kind,omitempty"`
	Group   int    `json:"group"` // of local memory: the work-group, else -1
	Atomic  bool   `json:"atomic,omitempty"`
	Initial int    `json:"initial"` // text, or -1
	Order   []int  `json:"order"`
}

type barrier struct {
	Arrivals   []int  `json:"arrivals"`
	Departures []int  `json:"departures"`
	Text       string `json:"text"`
}

// sights are pairs of a location and a step, one behind the other.
type sights []trace.Sight

// MarshalJSON implements json.Marshaler.
func (s sights) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, v := range s {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(append(strconv.AppendInt(out, int64(v.Location), 10), ','), int64(v.Step), 10)
	}
	return append(out, ']'), nil
}

type call struct {
	Name string `json:"name"`
	From int    `json:"from"`
}

type variable struct {
	Name string `json:"name"`
	Lane int    `json:"lane"`
	Call int    `json:"call"`
	Line int    `json:"line"`
}

// Regions of a synchronisation.
const (
	inGlobal = 1 << iota
	inLocal
)

// builder collects what executions have in common.
type builder struct {
	doc   document
	files map[string]int
}

// file returns the number of a source file, -1 if it is unknown.
func (b *builder) file(t *trace.Trace, name string) int {
	i, ok := b.files[name]
	if ok || name == "" {
		if name == "" {
			return -1
		}
		return i
	}
	i = -1
	if text, ok := t.Source(name); ok {
		i = len(b.doc.Files)
		b.doc.Files = append(b.doc.Files, file{line(name), source(text)})
	}
	b.files[name] = i
	return i
}

// add makes the data of an execution.
func (b *builder) add(t *trace.Trace) {
	g := &grapher{b: b, t: t, index: map[string]int{}}
	b.doc.Executions = append(b.doc.Executions, g.graph())
}

// grapher makes the data of one execution.
type grapher struct {
	out   graph
	b     *builder
	t     *trace.Trace
	index map[string]int
}

// text returns the number of a text.
func (g *grapher) text(s string) int {
	i, ok := g.index[s]
	if !ok {
		i = len(g.out.Strings)
		g.index[s] = i
		g.out.Strings = append(g.out.Strings, line(s))
	}
	return i
}

func (g *grapher) graph() *graph {
	t, out := g.t, &g.out
	out.Strings, out.Slice = []string{}, t.Slice
	devices := slices.ContainsFunc(t.Lanes, func(l trace.Lane) bool { return l.Device > 0 })
	for i := range t.Lanes {
		l := &t.Lanes[i]
		brief := fmt.Sprintf("group %d", l.Group)
		switch {
		case l.Host:
			brief = "host"
		case devices:
			brief += fmt.Sprintf(", device %d", l.Device)
		}
		out.Lanes = append(out.Lanes, lane{line(l.Name), line(l.String()), l.Where(), brief, l.Host})
	}
	out.Steps.grow(len(t.Steps))
	for i := range t.Steps {
		g.step(&t.Steps[i])
	}
	for i := range t.Memory {
		g.location(i)
	}
	for i := range t.Barriers {
		q := &t.Barriers[i]
		out.Barriers = append(out.Barriers, barrier{q.Arrivals, q.Departures, line(report.Passed(q))})
	}
	g.relations()
	g.history()
	whole := *t
	whole.Slice = nil
	out.Cast, out.Whole = report.Lanes(t), report.Lanes(&whole)
	out.Accesses = append([]int{}, t.Accesses...)
	for i := range t.Waits {
		out.Waits = append(out.Waits, t.Waits[i].Lane)
	}
	out.Race = len(t.Accesses) == 2
	if l := t.Liveness; l != nil && l.From > 0 {
		out.Loop = []int{l.From, l.To}
	}
	out.Focus = len(t.Steps)
	if n := len(t.Accesses); n > 0 {
		out.Focus = t.Accesses[n-1]
	}
	return out
}

func (g *grapher) step(s *trace.Step) {
	c := &g.out.Steps
	known := func(text string) int {
		if text == "" {
			return -1
		}
		return g.text(text)
	}
	from := -1
	if s.ReadsFrom != nil {
		from = *s.ReadsFrom
	}
	atomic := 0
	if s.Atomic {
		atomic = 1
	}
	for _, f := range []struct {
		column *[]int32
		value  int
	}{
		{&c.Lane, s.Lane}, {&c.Kind, g.text(string(s.Kind))}, {&c.File, g.b.file(g.t, s.File)}, {&c.Line, s.Line}, {&c.Col, s.Col},
		{&c.Brief, g.text(s.Brief)}, {&c.Op, g.text(s.Op)}, {&c.Via, g.text(s.Via)}, {&c.Loc, s.LocationIndex()},
		{&c.Read, known(g.t.ReadText(s))}, {&c.From, from}, {&c.Wrote, known(g.t.WroteText(s))}, {&c.Before, s.Before}, {&c.Early, s.Early},
		{&c.Atomic, atomic}, {&c.Call, g.t.CallOf(s)}, {&c.Outcome, g.text(s.Outcome)},
	} {
		*f.column = append(*f.column, int32(f.value))
	}
}

func (g *grapher) location(i int) {
	l := &g.t.Memory[i]
	out := location{Name: line(l.Name), Region: l.Region, Kind: l.Kind, Group: -1, Atomic: l.Atomic, Initial: -1, Order: l.Order}
	if l.Group != nil {
		out.Group = *l.Group
	}
	if v, ok := g.t.Initial(i); ok {
		out.Initial = g.text(g.t.ValueAt(i, v))
	}
	g.out.Memory = append(g.out.Memory, out)
}

// relations takes over what the steps do not tell by themselves.
func (g *grapher) relations() {
	out := &g.out
	out.Sync, out.Commands = []int{}, []int{}
	for i := range g.t.Edges {
		switch e := &g.t.Edges[i]; e.Relation {
		case trace.SynchronisesWith:
			in := 0
			if e.Global {
				in |= inGlobal
			}
			if e.Local {
				in |= inLocal
			}
			out.Sync = append(out.Sync, e.From, e.To, in)
		case trace.CommandOrder:
			out.Commands = append(out.Commands, e.From, e.To)
		}
	}
}

func (g *grapher) history() {
	out, h := &g.out, g.t.History()
	out.Settings, out.Sights = []int{}, []int{}
	for _, c := range h.Calls {
		out.Calls = append(out.Calls, call{line(c.Name), c.From})
	}
	for _, v := range h.Variables {
		out.Vars = append(out.Vars, variable{line(v.Name), v.Lane, v.Call, v.Line})
	}
	for _, s := range h.Settings {
		text := -1
		if s.Known {
			text = g.text(s.Value)
		}
		out.Settings = append(out.Settings, s.Step, s.Variable, text)
	}
	for _, list := range h.Lists {
		out.Lists = append(out.Lists, list)
	}
	for _, s := range h.Sights {
		entry := 0
		if s.Entry {
			entry = 1
		}
		out.Sights = append(out.Sights, s.Step, s.List, entry)
	}
	out.Lanes, out.Memory = slices.Clip(out.Lanes), slices.Clip(out.Memory)
}
