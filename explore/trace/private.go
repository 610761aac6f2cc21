package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Value is the value of a private variable.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Step is the step after which the variable took the value; 0: before the
	// first one.
	Step int `json:"step,omitempty"`
}

// Bounds on what is told about private variables.
const (
	maxPrivate = 12 // of one place
	maxSet     = 4  // of one step
)

// privateLog is what the private code of lanes does, as far as it is attended to: what variables hold, where values come from, and which way control goes.
type privateLog struct {
	execution
	attention
	private map[int]*privacy // by lane
	ledger  ledger           // what comes of what
	trails  trails           // which way lanes have gone
}

func (r *privateLog) begin(a attention) {
	r.attention, r.private, r.ledger = a, map[int]*privacy{}, ledger{branches: map[int]*branching{}}
}

// privacy is what the private code of one lane has done, as far as reports ask.
type privacy struct {
	f      *ir.Func
	at     int // the instruction that the lane is at
	values []held
	made   []origin    // by register: where its value comes from
	branch *comparison // what the last branch depended on
	turns  []turn      // by instruction: which way it went there last, if it is a branch
	turned int         // branches so far
	// Instructions that the lane has come to and that were not attended to; behind: there are such.
	skipped []bool
	behind  bool
}

// turn is a branch that was taken, or not.
type turn struct {
	number int // of all branches of its lane, from 1; 0 if it never was there
	taken  bool
}

// held is what is known of a private variable.
type held struct {
	known bool
	val   int64
	since int // the step after which it took the value
}

// origin says where the value of a register comes from.
type origin struct {
	read int         // the step that read it
	cmp  *comparison // it is the result of one
	cut  *cutting    // it comes of a value that did not fit its type
	data []int       // the steps that read what it is computed from, not many of them
}

// comparison is a comparison of two values.
type comparison struct {
	alu      ir.Alu
	typ      ir.Type
	a, b     int64
	from, to int      // the steps that read them, or 0
	cut      *cutting // what the first comes of
}

// Comes is told of each instruction that a unit comes to.
func (r *privateLog) Comes(s *state.State, u memmodel.Unit, pc int, regs []int64) {
	if s.Cast != r.board.cast {
		r.assign(s.Cast)
	}
	lane, f := r.of[u], r.p.Funcs[s.Cast.Units[u].Func]
	q := r.private[lane]
	if q == nil {
		q = &privacy{f: f, at: -1, values: make([]held, len(f.Vars)), made: make([]origin, f.Regs), turns: make([]turn, len(f.Code))}
		r.private[lane] = q
	}
	r.trails.walk(lane, pc)
	r.hurry()
	if !r.attends(lane) {
		q.skip(r, lane, pc, regs)
		return
	}
	q.resume(r, lane)
	r.ledger.comes(r.p, lane, s.Cast.Units[u].Func, pc, regs)
	q.leave(r, lane, regs)
	q.at = pc
	for _, n := range f.NotesAt(pc) {
		if !n.After {
			q.heed(r, lane, &n, regs)
		}
	}
	q.come(&f.Code[pc], regs)
}

// leave notes what the instruction that a lane has been at has done.
func (q *privacy) leave(r *privateLog, lane int, regs []int64) {
	if q.at < 0 {
		return
	}
	for _, n := range q.f.NotesAt(q.at) {
		if n.After {
			q.heed(r, lane, &n, regs)
		}
	}
	in := &q.f.Code[q.at]
	if !in.Op.Visible() {
		return
	}
	dst, dst2 := in.Results()
	if s := r.t.Step(r.last[lane]); in.Op == ir.OpEventStatus && dst >= 0 && s != nil && s.instr == in && s.Read == nil {
		v := regs[dst]
		s.Read, s.Brief = &v, s.Brief+": "+statusName(v)
	}
	for _, d := range []int32{dst, dst2} {
		if d >= 0 {
			q.made[d] = origin{}
		}
	}
	read := dst
	if in.Op == ir.OpCmpXchg {
		read = dst2
	}
	if step := r.t.Step(r.last[lane]); in.Op.Access() && read >= 0 && step != nil && step.instr == in {
		q.made[read] = origin{read: step.ID, data: []int{step.ID}}
	}
}

// statusName writes the execution status of a command.
func statusName(v int64) string {
	switch v {
	case 0:
		return "CL_COMPLETE"
	case 1:
		return "CL_RUNNING"
	case 2:
		return "CL_SUBMITTED"
	case 3:
		return "CL_QUEUED"
	}
	return fmt.Sprint(v)
}

// heed takes a note over.
func (q *privacy) heed(r *privateLog, lane int, n *ir.Note, regs []int64) {
	v := &q.values[n.Var]
	if n.Unknown {
		if v.known {
			r.past.set(r.last[lane], lane, n.Var, 0, false)
		}
		*v = held{}
		return
	}
	val := operandOf(q.f, regs, n.Value)
	if v.known && v.val == val {
		return
	}
	*v = held{true, val, r.last[lane]}
	r.past.set(r.last[lane], lane, n.Var, val, true)
}

func operandOf(f *ir.Func, regs []int64, o int32) int64 {
	if o < 0 {
		return f.Consts[^o]
	}
	return regs[o]
}

// come notes what an instruction that a lane comes to is about to do.
func (q *privacy) come(in *ir.Instr, regs []int64) {
	from := func(o int32) origin {
		if o < 0 {
			return origin{}
		}
		return q.made[o]
	}
	switch in.Op {
	case ir.OpBranch:
		q.branch = from(in.A).cmp
		q.turned++
		q.turns[q.at] = turn{q.turned, operandOf(q.f, regs, in.A) != 0}
		return
	case ir.OpBin, ir.OpUn, ir.OpConv, ir.OpMove, ir.OpQuery:
	default:
		return
	}
	data := from(in.A).data
	if in.Op == ir.OpBin {
		data = merged(data, from(in.B).data)
	}
	out := origin{cut: q.cuts(in, regs)}
	switch {
	case in.Op == ir.OpBin && in.Alu == ir.Ne && from(in.A).cmp != nil && in.B < 0 && q.f.Consts[^in.B] == 0: // whether a condition holds
		out = from(in.A)
	case in.Op == ir.OpBin && in.Alu >= ir.Eq && in.Alu <= ir.Ge:
		out.cmp = &comparison{in.Alu, in.Type, operandOf(q.f, regs, in.A), operandOf(q.f, regs, in.B), from(in.A).read, from(in.B).read, from(in.A).cut}
	case in.Op == ir.OpMove && in.A < 0: // the value of a condition with && or ||
		out.cmp = q.branch
	case in.Op == ir.OpBin && in.Alu == ir.And && in.B < 0 && operandOf(q.f, regs, in.A)&^operandOf(q.f, regs, in.B) == 0: // it is cut to a type that holds it
		out.read = from(in.A).read
	case in.Op == ir.OpMove, in.Op == ir.OpConv, in.Op == ir.OpUn && in.Alu == ir.Not:
		out.read, out.cmp = from(in.A).read, from(in.A).cmp
	}
	if in.Dst >= 0 {
		out.data = data
		q.made[in.Dst] = out
	}
}

// maxData bounds the reads that a value is known to be computed from.
const maxData = 8

// merged returns the steps of both lists, as far as they are noted.
func merged(a, b []int) []int {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	out := slices.Clone(a)
	for _, s := range b {
		if len(out) < maxData && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// tested returns the comparison on which a check or assertion that the lane is at
// depends, or nil.
func (q *privacy) tested(in *ir.Instr) *comparison {
	switch {
	case q == nil || in.Op != ir.OpCheck && in.Op != ir.OpAssert:
		return nil
	case in.A >= 0:
		return q.made[in.A].cmp
	case in.B < 0 && in.C < 0:
		return &comparison{alu: in.Alu, typ: in.Type, a: q.f.Consts[^in.B], b: q.f.Consts[^in.C]}
	}
	return nil
}

// sides tells the two sides of a comparison.
func (r *teller) sides(c *comparison) string {
	if c == nil || c.typ == ir.Bool {
		return ""
	}
	return fmt.Sprintf(": left %s%s, right %s%s", value(r.p, c.typ, c.a), r.readOf(c.from), value(r.p, c.typ, c.b), r.readOf(c.to))
}

// readOf names what a step has read, in brackets.
func (r *teller) readOf(step int) string {
	if s := r.t.Step(step); s != nil && s.Location != "" {
		return fmt.Sprintf(" (%s, step %d)", s.Location, step)
	}
	return ""
}

// operandValue says what was wrong with the operand that a check has found wrong.
func (r *teller) operandValue() string {
	c := &r.at
	in := c.op.Instr
	q := r.private[c.lane]
	name := "it"
	if q != nil {
		if v := q.f.Variable(in.Var); v.Name != "" {
			name = v.Name
		}
	}
	test := q.tested(in)
	switch {
	case in.Op != ir.OpCheck:
		return ""
	case in.Check == ir.CheckDivisor:
		if name == "it" {
			return ": the divisor is 0"
		}
		return fmt.Sprintf(": divisor %s is 0", name)
	case in.Check == ir.CheckNil && name == "it":
		return ""
	case in.Check == ir.CheckNil:
		return fmt.Sprintf(": %s is NULL", name)
	case test == nil:
		return ""
	case in.Check == ir.CheckShift:
		return fmt.Sprintf(": %s is %d", name, test.a)
	case in.Check == ir.CheckObject && r.outside(in, test) != "":
		return r.outside(in, test)
	case in.Check == ir.CheckObject && test.alu == ir.Lt && test.b > 0:
		return fmt.Sprintf(": position %d, of 0 to %d", test.a, test.b-1)
	case in.Check != ir.CheckIndex:
		return ""
	case test.alu == ir.Lt:
		return fmt.Sprintf(": index %d of %s (length %d)", test.a, nameless(name, "an array"), test.b)
	case test.alu == ir.Le:
		return fmt.Sprintf(": slice bound %d of %s, which must not exceed %d", test.a, nameless(name, "an array"), test.b)
	}
	return fmt.Sprintf(": %d elements, not %d", test.a, test.b)
}

func nameless(name, otherwise string) string {
	if name == "it" {
		return otherwise
	}
	return name
}

// privateOf tells the private variables of a lane that are known at an instruction,
// innermost call first, if they hold these values.
func (r *privateLog) privateOf(lane int, pos int32, values []held) []Value {
	q := r.private[lane]
	if q == nil || int(pos) >= len(r.p.Positions) {
		return nil
	}
	at := r.p.Positions[pos]
	var out []Value
	for depth := 0; depth <= len(r.p.Calls); depth++ {
		for i := range values {
			v := q.f.Vars[i]
			if !values[i].known || v.Name == "" || v.Call != at.Call || v.From > at.Line || v.To > 0 && v.To < at.Line {
				continue
			}
			if text := shown(r.p, q.f, &v, values[i].val); text != "" {
				out = append(out, Value{v.Name, text, values[i].since})
			}
		}
		if at.Call <= 0 || int(at.Call) >= len(r.p.Calls) {
			break
		}
		at = r.p.Positions[r.p.Calls[at.Call].Pos]
	}
	slices.SortStableFunc(out, func(a, b Value) int { return b.Step - a.Step })
	if len(out) > maxPrivate {
		out = out[:maxPrivate]
	}
	return out
}

// beforeStep returns what the private variables of a lane held when it came to a step.
func (r *privateLog) beforeStep(lane, step int) []held {
	values := make([]held, len(r.private[lane].values))
	for _, s := range r.past.settings {
		if s.lane == lane && s.step < step {
			values[s.variable] = held{s.known, s.val, s.step}
		}
	}
	return values
}

// shown writes the value of a private variable; "" of one that has none yet, and for a pointer that says no
// more than its name does.
func shown(p *ir.Program, f *ir.Func, v *ir.Var, val int64) string {
	if val == ir.Unwritten {
		return ""
	}
	if v.Type != ir.Ptr || val == 0 {
		return value(p, v.Type, val)
	}
	text := address(p, f, val)
	if strings.TrimSuffix(strings.TrimPrefix(text, "&"), "[0]") == v.Name || val&ir.SegMask == ir.SegPrivate {
		return ""
	}
	return text
}

// privacies tells, for a violation that is not about memory alone, the private variables
// of the lane at fault, there and where they changed.
func (r *teller) privacies() {
	t, c := r.t, &r.at
	if c.op.Instr == nil || !c.violation.Kind.OfOneExecution() {
		return
	}
	t.privateLane = c.lane
	if q := r.private[c.lane]; q != nil {
		values := q.values
		if s := t.Step(c.step); s != nil && s.Lane == c.lane && s.instr == c.op.Instr { // what it makes of the access does not count
			values = r.beforeStep(c.lane, s.ID)
		}
		t.Private = r.privateOf(c.lane, c.op.Instr.Pos, values)
	}
	if t.kind == state.DataRace {
		return
	}
	f := r.p.Funcs[r.funcs[c.lane]]
	for _, set := range r.past.settings {
		s := t.Step(set.step)
		if set.lane != c.lane || s == nil || !set.known || len(s.Sets) == maxSet {
			continue
		}
		v := f.Variable(set.variable)
		if text := shown(r.p, f, &v, set.val); v.Name != "" && text != "" {
			s.Sets = append(s.Sets, Value{Name: v.Name, Value: text})
		}
	}
}
