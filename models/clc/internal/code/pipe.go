package code

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// A pipe is a state and slots for packets (ir.Pipe). What a function does to the state is one step, in which it takes
// effect: so a packet may be in the pipe before its parts are in the slot. Each part is a cell that is empty, or holds
// 32 bits and how they came there. Whoever finds a part as somebody leaves it who has yet to do what took effect
// before gives that execution up: in another one that did come first.
const (
	partNever   = 1 << 32 // the packet was reserved and committed, and nobody wrote it
	partWritten = 2 << 32
)

// maxReservations bounds the reservations of a work-item that are active at one time.
const maxReservations = ir.MaxReservations

// A reservation ID has bit 0 set, and says of what it is.
const (
	idCountShift = 8
	idSlotShift  = 16
	idWriteShift = 24
	idPipeShift  = 32
)

// pipe is the shape of a pipe.
type pipe struct {
	slots int
	parts []part // of a packet
}

// part is up to 32 bits of a scalar of a packet: those from a bit on.
type part struct {
	leaf int
	t    ir.Type
	from int
}

// newPipe divides the packets of a pipe, with room for so many (rule 14.1), into parts.
func (s *shapes) newPipe(packet *tree.Type, slots int) *pipe {
	p := &pipe{slots: slots}
	for i, l := range s.leaves(packet) {
		for from := 0; from < 8*l.bytes(); from += 32 {
			p.parts = append(p.parts, part{i, l.t, from})
		}
	}
	return p
}

// PacketParts returns the parts of a packet of some shape.
func PacketParts(l *ir.Layout) (parts []ir.PipePart) {
	for i := range l.Cells() {
		cell, path := l.Cell(i)
		for from := 0; from < cell.Type.Bits(); from += 32 {
			parts = append(parts, ir.PipePart{Name: path, Type: cell.Type, From: from})
		}
	}
	return parts
}

// told is what reports say of a pipe.
func (p *program) told(b *Buffer, of *pipe) *ir.PipeShape {
	out := &ir.PipeShape{Slots: of.slots, Parts: PacketParts(p.declaredLayout(b.Elem, nil))}
	if len(out.Parts) != len(of.parts) { // a vector of three has a fourth lane in memory
		out.Parts = nil
		for _, part := range of.parts {
			out.Parts = append(out.Parts, ir.PipePart{Name: fmt.Sprintf("[%d]", part.leaf), Type: part.t, From: part.from})
		}
	}
	return out
}

// pipeObject adds a pipe to the memory that all share (rule 14.1).
func (p *program) pipeObject(b *Buffer, v *tree.Var) *object {
	p.sends(b.Elem)
	o := &object{key: objectKey{what: b}, typ: b.Elem, name: b.Name, pipe: p.newPipe(b.Elem, b.Len)}
	told := p.told(b, o.pipe)
	layout := ir.PipeLayout(told)
	o.cells = layout.Cells()
	o.addr = p.p.Global(ir.Object{Name: b.Name, Pos: p.pos(v.Pos), Region: memmodel.Pipe, Kind: memmodel.SystemSVM, Layout: layout, Init: make([]int64, o.cells), Pipe: told})
	return o
}

// sends takes note of a pipe whose packets may hold pointers.
func (p *program) sends(packet *tree.Type) {
	for _, l := range p.leaves(packet) {
		p.sent = p.sent || l.ptr
	}
}

// givenPipe returns a pipe of the other language, of which the address and the room are given. A kernel has
// one end of it (rule 14.2).
func (e *Embedded) givenPipe(f *frame, v *tree.Var, arg Argument) value {
	addr, known := f.Known(arg.Cells[0])
	slots, sized := f.Known(arg.Cells[1])
	p := f.newPipe(v.Type.Elem, int(slots))
	f.sends(v.Type.Elem)
	switch {
	case !known || !sized || addr == 0:
		f.fault(v.Pos, "pass one that the host makes once, with cl.NewPipe", "clmc cannot determine at load time which pipe %s is", v.Name)
		return value{f.Constant(0)}
	case len(p.parts) != len(PacketParts(e.Layout(v.Type.Elem))):
		f.fault(v.Pos, "give packets four lanes", "packets of %s cannot be passed from a model in Go", v.Type.Elem)
		return value{f.Constant(0)}
	}
	if o := f.objectAt(addr); o != nil && o.writes != (v.Type.Access == tree.WriteOnly) {
		f.fault(v.Pos, "give it another pipe", "%s is the other end of a pipe of this kernel: a kernel cannot read from and write to the same pipe object (OpenCL C 6.15.16)", v.Name)
	}
	f.objects = append(f.objects, &object{addr: addr, cells: 1 + len(p.parts)*p.slots, typ: v.Type.Elem, name: v.Name, pipe: p, writes: v.Type.Access == tree.WriteOnly})
	return value{f.Constant(addr)}
}

// pipeCall is a call of a function on a pipe.
type pipeCall struct {
	*groupCall
	o     *object
	write bool // of a packet, a reservation to write or its commit
	group bool // all work-items of a group call it
}

// pipeAccess lowers the functions on pipes.
func (f *frame) pipeAccess(x *tree.BuiltinCall, args []value) value {
	if x.Fn.Name == "is_valid_reserve_id" {
		return value{f.Bin(ir.Ne, ir.I64, args[0].one(), f.Constant(0))}
	}
	addr, ok := f.Known(args[0].one())
	o := f.objectAt(addr)
	if !ok || o == nil || o.pipe == nil {
		f.notYet(x.Pos(), "a pipe that is not known")
		return f.zero(x.Type())
	}
	name := x.Fn.Name
	c := &pipeCall{groupCall: &groupCall{frame: f, x: x, args: args, sub: strings.HasPrefix(name, "sub_group_")}, o: o,
		write: strings.Contains(name, "write"), group: strings.Contains(name, "_group_")}
	switch {
	case name == "get_pipe_max_packets":
		return value{f.Constant(int64(o.pipe.slots))}
	case name == "get_pipe_num_packets":
		return value{c.there(c.step(ir.PipeReserveWrite, f.Constant(0), f.Constant(0)))}
	case strings.Contains(name, "reserve"):
		return value{c.reserve(args[1].one())}
	case strings.Contains(name, "commit"):
		c.commit(args[1].one())
		return nil
	case len(args) == 2 && c.write:
		return value{c.put(args[1])}
	case len(args) == 2:
		return value{c.take(args[1])}
	}
	c.packet(args[1].one(), args[2].one(), args[3])
	return value{f.Constant(0)}
}

// step changes the state of the pipe, and returns what it was.
func (c *pipeCall) step(op ir.PipeOp, n, at int32) int32 {
	v := c.Bin(ir.Or, ir.U64, c.Bin(ir.Shl, ir.U64, n, c.Constant(ir.PipeCountShift)), c.Constant(int64(op)|int64(c.o.pipe.slots)<<ir.PipeSizeShift))
	v = c.Bin(ir.Or, ir.U64, c.Bin(ir.Shl, ir.U64, at, c.Constant(ir.PipeAtShift)), v)
	return c.modify(c.Constant(c.o.addr), ir.Pipe, v)
}

// modify is an operation on a cell of the pipe that orders nothing else (rule 14.6).
func (c *pipeCall) modify(addr int32, alu ir.Alu, v int32) int32 {
	r := c.NewReg("")
	c.Emit(ir.Instr{Op: ir.OpRMW, Alu: alu, Type: ir.U64, Order: memmodel.Relaxed, Scope: memmodel.ScopeAllSVMDevices, Dst: r, Dst2: -1, A: addr, B: v,
		Str: c.p.Str(c.x.Fn.Name)})
	return r
}

// field returns a number that is part of another one.
func (c *pipeCall) field(v int32, shift int64) int32 {
	return c.Bin(ir.And, ir.U64, c.Bin(ir.Shr, ir.U64, v, c.Constant(shift)), c.Constant(ir.PipeField))
}

// there returns how many packets can be read from a pipe in some state.
func (c *pipeCall) there(state int32) int32 {
	marks := c.Bin(ir.Shr, ir.U64, c.Bin(ir.And, ir.U64, state, c.Constant(ir.PipeMarks)), c.field(state, ir.PipeHeldBit))
	return c.Un(ir.Ctz, ir.U64, c.Un(ir.Compl, ir.U64, marks))
}

// possible reports whether n packets could be written to, or read from, a pipe in some state, and which slot is the first:
// the oldest packets that are committed and not reserved (rule 14.4), or the slots behind all others (rule 14.5).
func (c *pipeCall) possible(state, n int32) (ok, slot int32) {
	at := c.field(state, ir.PipeHeldBit)
	if c.write {
		at = c.field(state, ir.PipeUsedBit)
		ok = c.Bin(ir.Le, ir.U64, c.Bin(ir.Add, ir.U64, at, n), c.Constant(int64(c.o.pipe.slots)))
	} else {
		ok = c.Bin(ir.Le, ir.U64, n, c.there(state))
	}
	return ok, c.wrap(c.Bin(ir.Add, ir.U64, c.field(state, ir.PipeOldestBit), at))
}

// wrap returns the slot of a number.
func (c *pipeCall) wrap(i int32) int32 {
	return c.Bin(ir.Rem, ir.U64, i, c.Constant(int64(c.o.pipe.slots)))
}

// cell returns the address of a part of a slot.
func (c *pipeCall) cell(slot int32, part int) int32 {
	at := c.Bin(ir.Mul, ir.I64, slot, c.Constant(int64(len(c.o.pipe.parts))))
	return c.Bin(ir.Add, ir.Ptr, at, c.Constant(c.o.addr+1+int64(part)))
}

// eachPart emits what is done to the parts of some slots in a row.
func (c *pipeCall) eachPart(slot, n int32, do func(cell int32)) {
	c.Repeat(n, func(i int32) {
		at := c.wrap(c.Bin(ir.Add, ir.U64, slot, i))
		for k := range c.o.pipe.parts {
			do(c.cell(at, k))
		}
	})
}

// empty and full give up executions in which a part is not yet as what took effect before leaves it.
func (c *pipeCall) empty(part int32) {
	c.Emit(ir.Instr{Op: ir.OpAssume, A: c.Bin(ir.Eq, ir.I64, part, c.Constant(0))})
}

func (c *pipeCall) full(part int32) {
	c.Emit(ir.Instr{Op: ir.OpAssume, A: c.Bin(ir.Ne, ir.I64, part, c.Constant(0))})
}

// elem is the type of the packets.
func (c *pipeCall) elem() *tree.Type { return c.x.Args[0].Type().Elem }

// split returns the parts of a packet.
func (c *pipeCall) split(v value) (parts []int32) {
	for _, p := range c.o.pipe.parts {
		bits := c.bits(p.t, v[p.leaf])
		bits = c.Bin(ir.And, ir.U64, c.Bin(ir.Shr, ir.U64, bits, c.Constant(int64(p.from))), c.Constant(1<<32-1))
		parts = append(parts, c.Bin(ir.Or, ir.U64, bits, c.Constant(partWritten)))
	}
	return parts
}

// join returns the packet of some parts, which somebody must have written (rule 14.4).
func (c *pipeCall) join(parts []int32) value {
	bits := make(value, len(c.leaves(c.elem())))
	for i := range bits {
		bits[i] = c.Constant(0)
	}
	for i, p := range c.o.pipe.parts {
		c.mustBeWritten(c.Bin(ir.Ge, ir.U64, parts[i], c.Constant(partWritten)), "the packet of "+c.o.name)
		low := c.Bin(ir.And, ir.U64, parts[i], c.Constant(1<<32-1))
		bits[p.leaf] = c.Bin(ir.Or, ir.U64, c.Bin(ir.Shl, ir.U64, low, c.Constant(int64(p.from))), bits[p.leaf])
	}
	for i, l := range c.leaves(c.elem()) {
		bits[i] = c.fromBits(l.t, bits[i])
	}
	return bits
}

// put writes a packet to the pipe; the result is 0, or -1 if it is full (rule 14.3).
func (c *pipeCall) put(from value) int32 {
	parts := c.split(c.read(c.behind(from, c.elem())))
	c.mark(c.x.Pos())
	return c.one(ir.PipeWrite, func(slot int32) {
		for i, v := range parts {
			c.empty(c.modify(c.cell(slot, i), ir.Xchg, v))
		}
	})
}

// take reads a packet from the pipe; the result is 0, or -1 if it is empty (rule 14.3).
func (c *pipeCall) take(to value) int32 {
	return c.one(ir.PipeRead, func(slot int32) {
		var parts []int32
		for i := range c.o.pipe.parts {
			v := c.modify(c.cell(slot, i), ir.Xchg, c.Constant(0))
			c.full(v)
			parts = append(parts, v)
		}
		c.write1(to, c.join(parts))
	})
}

// one is an operation on one packet, and what follows if it is possible.
func (c *pipeCall) one(op ir.PipeOp, do func(slot int32)) int32 {
	out, n := c.NewReg(""), c.Constant(1)
	ok, slot := c.possible(c.step(op, n, c.Constant(0)), n)
	c.Move(out, c.Constant(-1))
	c.If(ok, func() {
		do(slot)
		c.Move(out, c.Constant(0))
	}, nil)
	return out
}

// write1 writes a packet to where a pointer leads.
func (c *pipeCall) write1(to value, v value) {
	c.frame.write(c.behind(to, c.elem()), v)
	c.mark(c.x.Pos())
}

// tag is what the reservations of the call have in common.
func (c *pipeCall) tag() int64 {
	tag := c.o.addr<<idPipeShift | 1
	if c.write {
		tag |= 1 << idWriteShift
	}
	return tag
}

// reserve reserves packets (rules 14.4 and 14.5). The result is the reservation's ID, 0 if that is impossible.
func (c *pipeCall) reserve(n int32) int32 {
	op := ir.PipeReserveRead
	if c.write {
		op = ir.PipeReserveWrite
	}
	n = c.Bin(ir.Min, ir.U64, n, c.Constant(ir.PipeField)) // more are impossible just so
	id := c.NewReg("")
	c.Move(id, c.Constant(0))
	c.agreed(n, "the number of packets")
	c.leader(func() {
		ok, slot := c.possible(c.step(op, n, c.Constant(0)), n)
		c.If(ok, func() {
			if c.write {
				c.eachPart(slot, n, func(cell int32) { c.empty(c.modify(cell, ir.Or, c.Constant(0))) })
			}
			v := c.Bin(ir.Or, ir.U64, c.Bin(ir.Shl, ir.U64, n, c.Constant(idCountShift)), c.Constant(c.tag()))
			c.Move(id, c.Bin(ir.Or, ir.U64, c.Bin(ir.Shl, ir.U64, slot, c.Constant(idSlotShift)), v))
		}, nil)
	})
	if c.group {
		id = c.meet(ir.GroupBroadcast, 0, ir.U64, id, c.Constant(0))
	}
	c.remember(id)
	return id
}

// agreed checks that all work-items of the group call the function with one value (rule 14.7).
func (c *pipeCall) agreed(v int32, what string) {
	if c.group {
		first := c.meet(ir.GroupBroadcast, 0, ir.U64, v, c.Constant(0))
		c.Check(ir.CheckArgument, c.Bin(ir.Eq, ir.U64, v, first), fmt.Sprintf("%s of %s must be the same for all work-items of the group", what, c.x.Fn.Name))
	}
}

// leader emits what one work-item does for all that call the function together.
func (c *pipeCall) leader(do func()) {
	switch {
	case !c.group:
		do()
	case c.sub:
		c.If(c.Bin(ir.Eq, ir.I64, c.Query(ir.QuerySubGroupLocalID, c.Constant(0)), c.Constant(0)), do, nil)
	default:
		c.If(c.Bin(ir.Eq, ir.I64, c.Query(ir.QueryLocalLinearID, c.Constant(0)), c.Constant(0)), do, nil)
	}
}

// remember notes that a reservation is active, if it is one.
func (c *pipeCall) remember(id int32) {
	c.If(id, func() {
		placed := c.Constant(0)
		for _, r := range c.reserved {
			here := c.Bin(ir.And, ir.I64, c.Bin(ir.Eq, ir.U64, r, c.Constant(0)), c.Bin(ir.Eq, ir.I64, placed, c.Constant(0)))
			placed = c.Bin(ir.Or, ir.I64, here, placed)
			c.Move(r, c.Bin(ir.Or, ir.U64, r, c.Bin(ir.Mul, ir.U64, here, id)))
		}
		c.Check(ir.CheckReservations, placed, "")
	}, nil)
}

// active checks that an ID is that of a reservation of the pipe which the work-item has made, or its group, and
// not committed (rule 14.8).
func (c *pipeCall) active(id int32) {
	mine := c.Constant(0)
	for _, r := range c.reserved {
		mine = c.Bin(ir.Or, ir.I64, c.Bin(ir.Eq, ir.U64, r, id), mine)
	}
	const what = ^int64(ir.PipeField<<idCountShift | ir.PipeField<<idSlotShift)
	mine = c.Bin(ir.And, ir.I64, mine, c.Bin(ir.Eq, ir.U64, c.Bin(ir.And, ir.U64, id, c.Constant(what)), c.Constant(c.tag())))
	c.Check(ir.CheckArgument, mine, fmt.Sprintf("the reservation that %s is given must be one of pipe %s, valid, made by the same work-item or group, and not committed yet", c.x.Fn.Name, c.o.name))
}

// packet reads or writes a packet of a reservation.
func (c *pipeCall) packet(id, index int32, ptr value) {
	var parts []int32
	if c.write {
		parts = c.split(c.read(c.behind(ptr, c.elem())))
		c.mark(c.x.Pos())
	}
	c.active(id)
	c.Check(ir.CheckArgument, c.Bin(ir.Lt, ir.U64, index, c.field(id, idCountShift)), fmt.Sprintf("the index of %s must be less than the number of packets reserved", c.x.Fn.Name))
	slot := c.wrap(c.Bin(ir.Add, ir.U64, c.field(id, idSlotShift), index))
	if c.write {
		for i, v := range parts {
			c.modify(c.cell(slot, i), ir.Xchg, v)
		}
		return
	}
	for i := range c.o.pipe.parts {
		v := c.modify(c.cell(slot, i), ir.Or, c.Constant(0))
		c.full(v)
		parts = append(parts, v)
	}
	c.write1(ptr, c.join(parts))
}

// commit ends a reservation.
func (c *pipeCall) commit(id int32) {
	c.active(id)
	c.agreed(id, "the reservation")
	n, slot := c.field(id, idCountShift), c.field(id, idSlotShift)
	c.leader(func() {
		op := ir.PipeCommitRead
		if c.write {
			op = ir.PipeCommitWrite
		}
		c.eachPart(slot, n, func(cell int32) {
			if c.write {
				c.modify(cell, ir.Max, c.Constant(partNever))
			} else {
				c.full(c.modify(cell, ir.Xchg, c.Constant(0)))
			}
		})
		c.step(op, n, slot)
	})
	c.agreed(id, "the reservation") // nobody goes on before it is done
	for _, r := range c.reserved {
		c.Move(r, c.Bin(ir.Mul, ir.U64, r, c.Bin(ir.Ne, ir.U64, r, id)))
	}
}

// reservations makes room for the reservations of a kernel.
func (u *unit) reservations() {
	if !u.reserves {
		return
	}
	for range maxReservations {
		r := u.NewReg("")
		u.Move(r, u.Constant(0))
		u.reserved = append(u.reserved, r)
	}
}

// committed checks that no reservation is active (rule 14.8).
func (u *unit) committed() {
	for _, r := range u.reserved {
		u.Check(ir.CheckArgument, u.Bin(ir.Eq, ir.U64, r, u.Constant(0)), "each reservation must be committed before the kernel ends")
	}
}
