package trace

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// A pipe is a cell of numbers that say what is in it, and cells for its packets (ir.PipeShape). Reports speak of packets.

// pipeCell is a cell of a pipe.
type pipeCell struct {
	name  string
	shape *ir.PipeShape
	slot  int // -1: the cell that says what is in the pipe
	part  ir.PipePart
}

// pipeAt returns what cell i of an object is in a pipe, nil if that is none.
func pipeAt(o *ir.Object, i int) *pipeCell {
	switch {
	case o.Pipe == nil:
		return nil
	case i == 0:
		return &pipeCell{o.Name, o.Pipe, -1, ir.PipePart{}}
	}
	n := len(o.Pipe.Parts)
	return &pipeCell{o.Name, o.Pipe, (i - 1) / n, o.Pipe.Parts[(i-1)%n]}
}

// text writes a value of the cell.
func (c *pipeCell) text(v int64) string {
	if c.slot < 0 {
		n := ir.CountPipe(v)
		text := fmt.Sprintf("%d of %d packets", n.Used, c.shape.Slots)
		if more := n.Used - n.Ready; more > 0 {
			text += fmt.Sprintf(", %d of them reserved", more)
		}
		return text
	}
	switch v >> 32 {
	case 0:
		return "empty"
	case 1:
		return "a packet that nobody has written"
	}
	if c.part.Type.Bits() > 32 {
		return "half of a " + typeNames[c.part.Type]
	}
	return value(nil, c.part.Type, c.number(v))
}

// number is a value as documents have it: how many packets there are, or 32 bits of a packet, 0 where there is none.
func (c *pipeCell) number(v int64) int64 {
	switch {
	case c.slot < 0:
		return int64(ir.CountPipe(v).Used)
	case v>>32 != 2:
		return 0
	case c.part.Type == ir.F32:
		return int64(uint32(v))
	case c.part.Type.Bits() > 32:
		return int64(uint32(v))
	}
	n, _ := ir.Eval(ir.Add, c.part.Type, int64(uint32(v)), 0)
	return n
}

// call writes what a step does to the pipe: the function that the program calls.
func (c *pipeCell) call(p *ir.Program, o *state.Operation) string {
	function := p.Strings[o.Instr.Str]
	if o.Instr.Alu != ir.Pipe {
		part := ""
		if c.part.Name != "" {
			part = ", " + strings.TrimPrefix(c.part.Name, ".")
		}
		return fmt.Sprintf("%s(%s): slot %d%s", function, c.name, c.slot, part)
	}
	if _, n := ir.PipeRequest(o.B); n > 0 && strings.Contains(function, "reserve") {
		return fmt.Sprintf("%s(%s, %d)", function, c.name, n)
	}
	return fmt.Sprintf("%s(%s)", function, c.name)
}

// brief writes a step in a few words, with what it finds and leaves; and notes in the step why it fails, if it does.
func (c *pipeCell) brief(p *ir.Program, s *Step, o *state.Operation) string {
	text := c.call(p, o)
	if s.Read == nil || s.Wrote == nil {
		return text
	}
	old, now := c.text(*s.Read), c.text(*s.Wrote)
	switch {
	case o.Instr.Alu != ir.Pipe && old != now:
		return fmt.Sprintf("%s: %s → %s", text, old, now)
	case o.Instr.Alu != ir.Pipe:
		return fmt.Sprintf("%s is %s", text, now)
	}
	op, n := ir.PipeRequest(o.B)
	if n == 0 && op == ir.PipeReserveWrite {
		return fmt.Sprintf("%s: %d", text, ir.CountPipe(*s.Read).Ready)
	}
	if !c.possible(*s.Read, o.B) {
		s.lack = c.lack(*s.Read, o.B)
		return fmt.Sprintf("%s fails: %s", text, s.lack)
	}
	return fmt.Sprintf("%s: %s → %s", text, firstWord(old), now)
}

// firstWord is the number that a text of a pipe begins with.
func firstWord(text string) string {
	n, _, _ := strings.Cut(text, " ")
	return n
}

// possible reports whether what is asked of the pipe can be done.
func (c *pipeCell) possible(held, operand int64) bool {
	has := ir.CountPipe(held)
	switch op, n := ir.PipeRequest(operand); op {
	case ir.PipeWrite, ir.PipeReserveWrite:
		return has.Used+n <= c.shape.Slots
	case ir.PipeRead, ir.PipeReserveRead:
		return n <= has.Ready
	}
	return true
}

// lack says why something cannot be done.
func (c *pipeCell) lack(held, operand int64) string {
	has := ir.CountPipe(held)
	if op, _ := ir.PipeRequest(operand); op == ir.PipeRead || op == ir.PipeReserveRead {
		switch {
		case has.Used == 0:
			return "the pipe is empty"
		case has.Ready == 0:
			return "no packet is ready, " + c.text(held)
		}
		return fmt.Sprintf("only %d packets are ready", has.Ready)
	}
	if has.Used == c.shape.Slots {
		return "the pipe is full, " + c.text(held)
	}
	return "too little room, " + c.text(held)
}

// pipeOf returns the cell of a pipe that an operation is on, or nil.
func (r *stepLog) pipeOf(o *state.Operation) *pipeCell {
	if o.Loc < 0 {
		return nil
	}
	return r.locs[r.shadow.at(r.s.Cast, o.Loc)].pipe
}

// waitsForPipe says what a unit waits for that tries again and again what a pipe does not allow.
func (r *execution) waitsForPipe(c *pipeCell, o *state.Operation) string {
	l := &r.locs[r.shadow.at(r.s.Cast, o.Loc)]
	held, _, _ := l.read(0)
	function := r.p.Strings[o.Instr.Str]
	if readsPipe(o.Instr, function) {
		return fmt.Sprintf("calls %s on pipe %s again and again (%s), and nobody will write to it", function, c.name, c.lack(held, o.B))
	}
	return fmt.Sprintf("calls %s on pipe %s again and again (%s), and nobody will read from it", function, c.name, c.lack(held, o.B))
}

// readsPipe reports whether a function takes packets out of a pipe.
func readsPipe(in *ir.Instr, function string) bool {
	return in.Alu == ir.Pipe && strings.Contains(function, "read")
}

// pipeStuck says why nobody reads from a pipe, or writes to it: who would is a command that waits for the one that tries, or there is none.
func (r *vainWait) pipeStuck(a awaited) (Reason, bool) {
	c := r.locs[a.loc].pipe
	if c == nil {
		return Reason{}, false
	}
	reads := readsPipe(a.by, r.p.Strings[a.by.Str])
	verb, does, room := "reads from", "read from", "give the pipe room for all packets that come before"
	if reads {
		verb, does, room = "writes to", "write to", "read only as many packets as were written before"
	}
	out := Reason{Kind: "wait"}
	for u := range r.s.Cast.Count() {
		q := r.commandOf(r.s.Cast.Units[u].ID)
		if q == nil || r.s.Status(u) != state.Pending || !q.op.Enqueues() {
			continue
		}
		fn := int(r.t.Step(q.step).instr.Target)
		if !r.usesPipe(fn, a.loc, !reads) {
			continue
		}
		name := r.p.Funcs[fn].Name
		out.Steps = []int{q.step}
		out.Text = fmt.Sprintf("%s, which %s pipe %s, has not started: its command%s %s.", name, verb, c.name, line(r.t.Step(q.step)), r.pendingFor(memmodel.Unit(u)))
		out.Repair = fmt.Sprintf("Let both kernels run at the same time: enqueue them in two queues, or in one out-of-order queue; or %s.", room)
		return out, true
	}
	for u := range r.s.Cast.Count() {
		lane := r.of[u]
		if lane < 0 || lane == r.of[a.unit] || r.s.Status(u) == state.Ended || !r.usesPipe(r.funcs[lane], a.loc, !reads) {
			continue
		}
		w := r.waiting(u)
		out.Text = fmt.Sprintf("%s, which %s pipe %s, waits itself%s.", upper(r.who(lane)), verb, c.name, inLine(w.Pos))
		out.Repair = fmt.Sprintf("Let %s %s the pipe before it waits, or go on where %s returns a negative number.", r.lanes[lane].Name, does, r.p.Strings[a.by.Str])
		return out, true
	}
	out.Text = fmt.Sprintf("No kernel that is left to run can %s pipe %s.", does, c.name)
	out.Repair = fmt.Sprintf("Enqueue a kernel that %s pipe %s before this one, or beside it; or %s; or go on where %s returns a negative number.", verb, c.name, room, r.p.Strings[a.by.Str])
	return out, true
}

// pendingFor says what a command waits for.
func (r *commandLog) pendingFor(u memmodel.Unit) string {
	if w, ok := r.pending(u); ok {
		return w.Text
	}
	return "waits"
}

// usesPipe reports whether a kernel has a call that reads from a pipe, or writes to it.
func (r *vainWait) usesPipe(fn, loc int, reads bool) bool {
	f, to := r.p.Funcs[fn], r.p.PointsTo(fn)
	for pc := range f.Code {
		in := &f.Code[pc]
		if in.Op != ir.OpRMW || in.Alu != ir.Pipe || readsPipe(in, r.p.Strings[in.Str]) != reads {
			continue
		}
		objects, _, _ := to.Address(in)
		for i := range r.p.Objects {
			if objects.Has(i) && r.p.Objects[i].Pipe == r.locs[loc].pipe.shape {
				return true
			}
		}
	}
	return false
}

// plainNumbers puts into a document's numbers what they mean, where the machine's own say something else.
func (r *teller) plainNumbers() {
	for i := range r.t.Steps {
		s := &r.t.Steps[i]
		if s.loc < 0 || r.t.Memory[s.loc].pipe == nil {
			continue
		}
		c := r.t.Memory[s.loc].pipe
		s.readRaw, s.wroteRaw = s.Read, s.Wrote
		s.Read, s.Wrote = c.plain(s.Read), c.plain(s.Wrote)
	}
}

func (c *pipeCell) plain(v *int64) *int64 {
	if v == nil {
		return nil
	}
	n := c.number(*v)
	return &n
}
