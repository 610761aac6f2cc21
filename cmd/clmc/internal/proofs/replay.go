package proofs

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/prove"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// attempt is a proof that is not complete: what is open becomes launches.
type attempt struct {
	ctx   context.Context
	path  string
	text  []byte
	o     *clc.Open
	k     *prove.Kernel
	r     *prove.Result
	opt   Options
	p     *Proof
	tried map[string]string // launches, and what is to be said of each
}

func (x *attempt) all() error {
	x.tried = map[string]string{}
	if x.r.Why != "" {
		x.p.Open = append(x.p.Open, "the kernel is not followed: "+x.r.Why+x.at(x.r.Pos))
	}
	for i := range x.r.Open {
		o := &x.r.Open[i]
		text := x.words(o)
		if o.Witness != nil && x.ctx.Err() == nil {
			said, err := x.replay(o)
			if err != nil {
				return err
			}
			if x.p.Found != nil {
				x.p.Verdict, x.p.Open = Violated, nil
				return nil
			}
			text += said
		}
		if !slices.Contains(x.p.Open, text) {
			x.p.Open = append(x.p.Open, text)
		}
	}
	return nil
}

// at is a place in the file.
func (x *attempt) at(pos int32) string {
	at := x.o.Program.Positions[pos]
	if at.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", x.o.Program.Sources[at.File].Name, at.Line)
}

// words says what is open.
func (x *attempt) words(o *prove.Open) string {
	at := x.at(o.Pos[0])
	if o.Kind == prove.Race && o.Pos[1] != o.Pos[0] {
		at = strings.TrimSuffix(at, ")") + fmt.Sprintf(", %d)", x.o.Program.Positions[o.Pos[1]].Line)
	}
	if o.Undecided {
		at += "; the solver found no answer in time"
	}
	switch o.Kind {
	case prove.Divergence:
		return "some work-items of a group may not come to the barrier" + at
	case prove.Assertion:
		return "the assertion may fail" + at
	}
	who := "work-items of two groups"
	if o.SameGroup {
		who = "work-items of a group"
	}
	if w := o.Witness; o.Copy && o.SameGroup {
		who = "an asynchronous copy and who has not waited for it"
	} else if w != nil {
		who = fmt.Sprintf("work-items %s and %s", x.id(w, 0), x.id(w, 1))
		if o.SameGroup {
			who += " of a group"
		}
	}
	return fmt.Sprintf("%s may meet at %s%s", who, x.o.Program.Objects[o.Object].Name, at)
}

// id writes the id of a work-item: in its group if it is of one, and else in all.
func (x *attempt) id(w *prove.Witness, i int) string {
	var parts []string
	for d := range x.k.Dim {
		n := w.LocalID[i][d]
		if w.GroupID[0] != w.GroupID[1] {
			n += w.GroupID[i][d] * w.Local[d]
		}
		parts = append(parts, fmt.Sprint(n))
	}
	if len(parts) > 1 {
		return "(" + strings.Join(parts, ",") + ")"
	}
	return parts[0]
}

// replay has the ordinary search try the launch of a witness. It returns what is to be said if nothing goes wrong there.
func (x *attempt) replay(o *prove.Open) (string, error) {
	opt, ok := x.launch(o.Witness)
	if !ok {
		return "; the sizes are too large to try", nil
	}
	key := strings.Join(opt.Flags(), " ")
	if said, done := x.tried[key]; done {
		return said, nil
	}
	m, err := x.load(opt)
	if err != nil {
		x.tried[key] = ""
		return "", nil // what the search does not take says nothing
	}
	r, unwritten := x.search(m)
	if unwritten && len(r.Violations) == 0 { // a proof goes on behind a read of what nobody has written, and so must this
		opt.Unwritten = ir.IndeterminateAny
		if m, err = x.load(opt); err != nil {
			return "", err
		}
		r, _ = x.search(m)
	}
	if len(r.Violations) > 0 {
		r.Violations = r.Violations[:1]
		rep, err := m.Tell(x.ctx, r)
		if err != nil {
			return "", err
		}
		x.p.Found, x.p.Launch = rep, opt.Flags()
		return "", nil
	}
	said := "; no execution of " + x.sizesOf(o.Witness) + " does"
	if !r.Complete {
		said = "; of " + x.sizesOf(o.Witness) + " not every execution was tried"
	}
	x.tried[key] = said
	return said, nil
}

// search explores a launch up to the first violation that a proof is about, and tells whether something is read that nobody has written.
func (x *attempt) search(m *model.Model) (_ *explore.Result, unwritten bool) {
	opt := x.opt.Search
	if opt.MaxStates == 0 {
		opt.MaxStates = maxReplay
	}
	limit := x.opt.Replay
	if limit == 0 {
		limit = defaultReplay
	}
	ctx, cancel := cputime.Within(x.ctx, limit)
	defer cancel()
	r := explore.Run(ctx, m.Program, opt)
	unwritten = slices.ContainsFunc(r.Violations, func(v explore.Violation) bool { return v.Kind == state.UninitialisedRead })
	if of(r); len(r.Violations) == 0 && r.Verdict == explore.Violated { // something else comes first
		opt.All, opt.Beyond = true, true
		r = explore.Run(ctx, m.Program, opt)
		of(r)
	}
	return r, unwritten
}

// of leaves the violations of a result that a proof is about, and that come of nothing else.
func of(r *explore.Result) {
	r.Violations = slices.DeleteFunc(r.Violations, func(v explore.Violation) bool {
		return v.After || v.Kind != state.DataRace && v.Kind != state.BarrierDivergence && v.Kind != state.AssertionFailed
	})
}

// maxReplay bounds the states of one launch.
const maxReplay = 50_000

func (x *attempt) load(opt clc.Options) (*model.Model, error) {
	load := x.opt.Model
	load.Kernels = opt
	return model.Target(x.path).Parse(x.text, load)
}

// sizesOf names a launch.
func (x *attempt) sizesOf(w *prove.Witness) string {
	var parts []string
	parts = append(parts, "local="+dims(w.Local, x.k.Dim), "groups="+dims(w.Groups, x.k.Dim))
	for i, s := range x.k.Scalars {
		if !s.Type.Float() {
			parts = append(parts, fmt.Sprintf("%s=%s", s.Name, clc.Numeral(s.Type, w.Scalars[i])))
		}
	}
	return strings.Join(parts, " ")
}

func dims(n [3]uint64, dim int) string {
	var parts []string
	for d := range dim {
		parts = append(parts, fmt.Sprint(n[d]))
	}
	return strings.Join(parts, ",")
}

// maxItems bounds the work-items of a launch that is tried.
const maxItems = 1 << 10

// launch makes the launch of a witness.
func (x *attempt) launch(w *prove.Witness) (clc.Options, bool) {
	opt := x.opt.Model.Kernels
	opt.Kernel, opt.Offset, opt.Args, opt.GPUVerify = x.o.Name, "", nil, x.opt.Model.Kernels.GPUVerify
	items := uint64(1)
	var global [3]uint64
	for d := range 3 {
		if w.Local[d] == 0 || w.Groups[d] == 0 || w.Local[d] > maxItems || w.Groups[d] > maxItems {
			return opt, false
		}
		global[d] = w.Local[d] * w.Groups[d]
		items *= global[d]
	}
	if items > maxItems {
		return opt, false
	}
	opt.Local, opt.Global = dims(w.Local, x.k.Dim), dims(global, x.k.Dim)
	length := min(max(64, 16*int(items)), 1<<12)
	for _, b := range x.o.Buffers {
		switch {
		case b.Local:
			opt.Args = append(opt.Args, fmt.Sprintf("%s=local[%d]", b.Name, length))
		case b.Same != "":
			opt.Args = append(opt.Args, b.Name+"="+b.Same)
		default:
			opt.Args = append(opt.Args, b.Name+"="+x.content(w, b, length))
		}
	}
	at := 0
	for at < len(x.o.Scalars) {
		s := &x.o.Scalars[at]
		var parts []string
		for i := range s.Parts {
			parts = append(parts, numeral(x.o.Scalars[at+i].Type, w.Scalars[at+i]))
		}
		text := parts[0]
		if s.Parts > 1 {
			text = "{" + strings.Join(parts, ",") + "}"
		}
		opt.Args = append(opt.Args, s.Name+"="+text)
		at += s.Parts
	}
	return opt, true
}

// numeral writes a value that an argument can have: any number will do where floats have none.
func numeral(t ir.Type, v int64) string {
	if t.Float() {
		if f := t.Number(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return "1"
		}
	}
	return clc.Numeral(t, v)
}

// content is what a buffer holds: zeros but for what the witness needs.
func (x *attempt) content(w *prove.Witness, b clc.OpenBuffer, length int) string {
	var cells map[uint64]int64
	var t ir.Type
	for i, c := range w.Contents {
		if o := &x.o.Program.Objects[i]; o.Name == b.Name && o.Layout.Elem != nil && o.Layout.Elem.Elem == nil && o.Layout.Elem.Fields == nil {
			cells, t = c, o.Layout.Elem.Type
		}
	}
	var at []uint64
	for i := range cells {
		if i < uint64(length) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return fmt.Sprintf("zero[%d]", length)
	}
	sort.Slice(at, func(i, j int) bool { return at[i] < at[j] })
	var list []string
	for i := range at[len(at)-1] + 1 {
		v := int64(0)
		if c, ok := cells[i]; ok {
			v = ir.Wrap(t, c)
		}
		list = append(list, numeral(t, v))
	}
	return fmt.Sprintf("%s[%d]{%s}", b.Elem, length, strings.Join(list, ","))
}

// Text writes a proof for people; the last line is the verdict.
func (p *Proof) Text(width int) string {
	var b strings.Builder
	if p.Found != nil {
		p.Found.Terse, p.Found.Width = true, width
		p.Found.Text(&b)
		return b.String()
	}
	fmt.Fprintf(&b, "%s: %s\n", p.Model, p.Kernel)
	for _, o := range p.Open {
		b.WriteString("  - " + o + "\n")
	}
	b.WriteString(p.VerdictLine() + "\n")
	return b.String()
}

// VerdictLine is the verdict in one line.
func (p *Proof) VerdictLine() string {
	switch {
	case p.Found != nil:
		return p.Found.Verdict()
	case p.Verdict == Proved:
		return fmt.Sprintf("verdict: proved: no data race, divergence or failed assertion%s (%d queries, %v)", p.Scope.ForAll(), p.Queries, p.Elapsed.Round(time.Millisecond))
	case len(p.Open) == 1:
		return "verdict: not proved: " + p.Open[0]
	}
	return fmt.Sprintf("verdict: not proved: %d questions are open", len(p.Open))
}
