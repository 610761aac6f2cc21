package randprog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Parse reads a program in the format of Format, with comments from "# " to the
// end of their lines, so that a failure can be
// replayed from a test's log and kept as a regression test.
func Parse(text string) (p *ir.Program, err error) {
	ps := &parser{b: NewBuilder(""), vars: map[string]*Var{}, kernels: map[string]int32{}}
	for line := range strings.Lines(text) {
		if w := strings.Fields(line); len(w) > 1 && (w[0] == "kernel" || w[0] == "thread") {
			ps.kernels[w[1]] = int32(len(ps.kernels))
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if err := ps.line(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", i+1, line, err)
		}
	}
	if err := ps.endThread(); err != nil {
		return nil, err
	}
	return ps.b.Program(), nil
}

type parser struct {
	b    *Builder
	vars map[string]*Var
	// kernels holds the index of each function, by name: they may be enqueued
	// before they are defined.
	kernels map[string]int32

	t      *Thread
	regs   map[string]Val
	labels map[string]int32
	jumps  []jump
}

// jump is a target to fill in once all labels are known.
type jump struct {
	at    int32
	els   bool
	label string
}

type parseError string

func (e parseError) Error() string { return string(e) }

func (ps *parser) line(w []string) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case parseError:
			err = r
		default:
			panic(r)
		}
	}()
	if len(w) == 0 || w[0] == "#" {
		return nil
	}
	ps.dispatch(w)
	return nil
}

// dispatch chooses on the first word of a line.
func (ps *parser) dispatch(w []string) {
	switch {
	case w[0] == "name":
		ps.b.prog.Name = w[1]
	case w[0] == "object":
		ps.object(w[1:])
	case w[0] == "thread":
		ps.thread(w[1:])
	case w[0] == "kernel":
		need(w, 2)
		ps.begin(func() *Thread { return ps.b.Kernel(w[1]) })
		ps.operands(w[2:])
		ps.t.f.Params = len(w) - 2
	case w[0] == "queue":
		need(w, 3)
		ps.b.Queue(uint16(integer(w[1])), w[2] == "true")
	case w[0] == "enqueue_failure":
		ps.b.EnqueueFailure()
	case ps.t == nil:
		panic(parseError("instruction outside a thread"))
	case strings.HasSuffix(w[0], ":"):
		ps.labels[strings.TrimSuffix(w[0], ":")] = ps.t.pc()
	case slices.Contains(w, "="):
		at := slices.Index(w, "=")
		ps.assignment(w[:at], w[at+1:])
	default:
		ps.statement(w)
	}
}

// object parses "x global svm_coarse atomic = 0", with "hidden" behind it if the
// last value is no part of the outcome.
func (ps *parser) object(w []string) {
	need(w, 5)
	v := Var{Name: w[0], Plain: w[3] == "plain", Uninit: w[4] == "uninit", Hidden: slices.Contains(w, "hidden"), Mapped: slices.Contains(w, "mapped")}
	if name, size, ok := strings.Cut(w[0], "["); ok {
		v.Name, v.Len = name, int(integer(strings.TrimSuffix(size, "]")))
	}
	switch w[1] {
	case "local":
		v.Region = memmodel.Local
	case "image":
		v.Region = memmodel.Image
	}
	kind, ok := memmodel.ParseKind(w[2])
	if !ok {
		panic(parseError("unknown kind " + w[2]))
	}
	v.Kind = kind
	if !v.Uninit {
		v.Init = integer(w[5])
	}
	ps.vars[v.Name] = ps.b.Var(v)
}

// thread parses "P0 device 0 kernel 0 group 0 sub 0" or "P0 host".
func (ps *parser) thread(w []string) {
	place := memmodel.Place{Host: w[1] == "host"}
	if !place.Host {
		need(w, 9)
		part := func(i int) uint16 { return uint16(integer(w[i])) }
		place = memmodel.Place{Device: part(2), Kernel: uint32(part(4)), Group: part(6), Sub: part(8)}
	}
	ps.begin(func() *Thread { return ps.b.Thread(place) })
}

// begin ends the function that was being read and begins the next.
func (ps *parser) begin(next func() *Thread) {
	if err := ps.endThread(); err != nil {
		panic(parseError(err.Error()))
	}
	ps.t = next()
	ps.regs, ps.labels, ps.jumps = map[string]Val{}, map[string]int32{}, nil
}

// endThread resolves the labels of the thread that was being read.
func (ps *parser) endThread() error {
	for _, j := range ps.jumps {
		to, ok := ps.labels[j.label]
		if !ok {
			return fmt.Errorf("no label %s in %s", j.label, ps.t.f.Name)
		}
		if j.els {
			ps.t.f.Code[j.at].Else = to
		} else {
			ps.t.f.Code[j.at].Target = to
		}
	}
	ps.jumps = nil
	return nil
}

// assignment parses the instructions that have results.
func (ps *parser) assignment(dst, w []string) {
	t, d := ps.t, ps.operand(dst[0])
	switch w[0] {
	case "load":
		o, s := orderScope(w[2:])
		t.LoadInto(d, ps.address(w[1]), o, s)
	case "rmw":
		need(w, 6)
		o, s := orderScope(w[4:])
		t.emit(ir.Instr{Op: ir.OpRMW, Alu: alu(w[1]), Type: ir.I32, Order: o, Scope: s,
			Dst: int32(d), A: int32(ps.address(w[2])), B: int32(ps.operand(w[3]))})
	case "cas":
		need(w, 7)
		need(dst, 2)
		t.emit(ir.Instr{Op: ir.OpCmpXchg, Type: ir.I32, Order: order(w[4]), FailOrder: order(w[5]), Scope: scope(w[6]),
			Weak: len(w) > 7, Dst: int32(d), Dst2: int32(ps.operand(dst[1])),
			A: int32(ps.address(w[1])), B: int32(ps.operand(w[2])), C: int32(ps.operand(w[3]))})
	case "enqueue":
		need(w, 5)
		event := int32(-1)
		if len(dst) > 1 {
			event = int32(ps.operand(dst[1]))
		}
		args := t.space([]int32{int32(t.Int(ir.DefaultQueue)), int32(ps.operand(w[4]))}, integer(w[2]), integer(w[3]))
		t.emit(ir.Instr{Op: ir.OpEnqueueKernel, Target: ps.kernel(w[1]), Args: append(args, ps.operands(w[5:])...), Waits: int32(len(w) - 5),
			Dst: int32(d), Dst2: event})
	case "marker":
		t.emit(ir.Instr{Op: ir.OpEnqueueMarker, Args: append([]int32{int32(t.Int(ir.DefaultQueue))}, ps.operands(w[1:])...), Waits: int32(len(w) - 1),
			Dst: -1, Dst2: int32(d)})
	case "command":
		need(w, 3)
		args := t.space([]int32{int32(ps.operand(w[2]))}, 1, 1)
		t.emit(ir.Instr{Op: ir.OpEnqueueNDRange, Target: ps.kernel(w[1]), Args: append(args, ps.operands(w[3:])...), Waits: int32(len(w) - 3), Dst: int32(d)})
	case "launch":
		need(w, 5)
		args := t.space([]int32{int32(ps.operand(w[4]))}, integer(w[2]), integer(w[3]))
		t.emit(ir.Instr{Op: ir.OpEnqueueNDRange, Target: ps.kernel(w[1]), Args: append(args, ps.operands(w[5:])...), Waits: int32(len(w) - 5), Dst: int32(d)})
	case "host_marker", "host_barrier":
		op := ir.OpMarker
		if w[0] == "host_barrier" {
			op = ir.OpQueueBarrier
		}
		t.emit(ir.Instr{Op: op, Args: ps.operands(w[1:]), Waits: int32(len(w) - 2), Dst: int32(d)})
	case "native":
		need(w, 3)
		t.emit(ir.Instr{Op: ir.OpEnqueueNative, Target: ps.kernel(w[1]), Args: ps.operands(w[2:]), Waits: int32(len(w) - 3), Dst: int32(d), Str: ps.b.str(w[1])})
	case "status":
		need(w, 2)
		t.emit(ir.Instr{Op: ir.OpEventStatus, Dst: int32(d), A: int32(ps.operand(w[1]))})
	case "user_event":
		t.emit(ir.Instr{Op: ir.OpCreateEvent, Dst: int32(d)})
	case "query":
		need(w, 2)
		t.emit(ir.Instr{Op: ir.OpQuery, Query: ir.Query(integer(w[1])), Dst: int32(d), A: int32(t.Int(0))})
	case "collect":
		need(w, 7)
		in := ir.Instr{Op: ir.OpCollective, Group: group(w[2]), Alu: alu(w[3]), Type: ir.I32, SubGroup: w[1] == "sub_group",
			Dst: int32(d), Str: ps.b.str(w[4]), B: int32(ps.operand(w[5])), C: int32(ps.operand(w[6])), Rounds: loops(w[7:])}
		if in.Alu == ir.And || in.Alu == ir.Or {
			in.Type = ir.Bool
		}
		t.emit(in)
	default:
		ps.arithmetic(d, w)
	}
}

// loops parses the loops around a meeting: "in 0 2", or nothing.
func loops(w []string) *ir.Rounds {
	if len(w) == 0 {
		return nil
	}
	if w[0] != "in" {
		panic(parseError("expected in and the loops around, not " + w[0]))
	}
	var list []int32
	for _, n := range w[1:] {
		list = append(list, int32(integer(n)))
	}
	return around(list)
}

// kernel returns the index of a function.
func (ps *parser) kernel(name string) int32 {
	fn, ok := ps.kernels[name]
	if !ok {
		panic(parseError("unknown kernel " + name))
	}
	return fn
}

func (ps *parser) operands(w []string) (list []int32) {
	for _, s := range w {
		list = append(list, int32(ps.operand(s)))
	}
	return list
}

func group(s string) ir.Group {
	for g := ir.GroupBroadcast; g <= ir.GroupScanExclusive; g++ {
		if g.String() == s {
			return g
		}
	}
	panic(parseError("unknown collective " + s))
}

func (ps *parser) arithmetic(d Val, w []string) {
	switch len(w) {
	case 1:
		ps.t.Set(d, ps.operand(w[0]))
	case 2:
		ps.t.emit(ir.Instr{Op: ir.OpUn, Alu: alu(w[0]), Type: ir.I32, Dst: int32(d), A: int32(ps.operand(w[1]))})
	case 3:
		typ := ir.I32
		if strings.HasPrefix(w[1], "&") {
			typ = ir.Ptr
		}
		ps.t.emit(ir.Instr{Op: ir.OpBin, Alu: alu(w[0]), Type: typ, Dst: int32(d),
			A: int32(ps.operand(w[1])), B: int32(ps.operand(w[2]))})
	default:
		panic(parseError("too many operands"))
	}
}

// statement parses the instructions without results.
func (ps *parser) statement(w []string) {
	t := ps.t
	switch w[0] {
	case "nop":
		t.emit(ir.Instr{Op: ir.OpNop})
	case "end":
		t.emit(ir.Instr{Op: ir.OpEnd})
	case "assert":
		need(w, 2)
		t.Assert(ps.operand(w[1]))
	case "reach":
		need(w, 2)
		t.Reach(w[1])
	case "divisor":
		need(w, 2)
		t.Divisor(ps.operand(w[1]))
	case "store":
		o, s := orderScope(w[3:])
		t.StoreAt(ps.address(w[1]), ps.operand(w[2]), o, s)
	case "fence":
		o, s := orderScope(w[2:])
		t.Fence(fenceFlags(w[1]), o, s)
	case "barrier", "sub_barrier":
		need(w, 4)
		t.emit(ir.Instr{Op: ir.OpBarrier, Flags: fenceFlags(w[2]), Scope: scope(w[3]),
			SubGroup: w[0] == "sub_barrier", Str: ps.b.str(w[1]), Rounds: loops(w[4:])})
	case "round":
		need(w, 2)
		t.emit(ir.Instr{Op: ir.OpRound, Rounds: around([]int32{int32(integer(w[1]))})})
	case "host":
		need(w, 4)
		t.emit(ir.Instr{Op: ir.OpEnqueueNDRange, Dst: -1, Target: ps.kernel(w[1]), Args: t.space([]int32{int32(t.Int(0))}, integer(w[2]), integer(w[3]))})
	case "assume":
		need(w, 2)
		t.Assume(ps.operand(w[1]))
	case "finish":
		need(w, 2)
		t.emit(ir.Instr{Op: ir.OpFinish, A: int32(ps.operand(w[1]))})
	case "wait":
		t.emit(ir.Instr{Op: ir.OpWaitEvents, Dst: -1, Args: ps.operands(w[1:])})
	case "go":
		need(w, 2)
		t.emit(ir.Instr{Op: ir.OpGo, Target: ps.kernel(w[1]), Args: ps.operands(w[2:])})
	case "callback", "callback_at_1", "callback_at_2":
		need(w, 3)
		_, at, _ := strings.Cut(w[0], "_at_")
		args := append([]int32{int32(ps.operand(w[2])), int32(t.Int(integer("0" + at)))}, ps.operands(w[3:])...)
		t.emit(ir.Instr{Op: ir.OpCallback, Target: ps.kernel(w[1]), Args: args})
	case "map_cell":
		need(w, 2)
		t.emit(ir.Instr{Op: ir.OpMapCell, A: int32(ps.address(w[1]))})
	case "map":
		need(w, 4)
		t.emit(ir.Instr{Op: ir.OpMap, A: int32(ps.address(w[1])), B: int32(ps.operand(w[2])), Writes: w[3] == "true"})
	case "free":
		need(w, 2)
		t.emit(ir.Instr{Op: ir.OpFree, A: int32(ps.address(w[1]))})
	case "unmap":
		need(w, 3)
		t.emit(ir.Instr{Op: ir.OpUnmap, A: int32(ps.address(w[1])), B: int32(ps.operand(w[2]))})
	case "set_event":
		need(w, 3)
		t.emit(ir.Instr{Op: ir.OpSetEvent, A: int32(ps.operand(w[1])), B: int32(ps.operand(w[2]))})
	case "observe", "observe_item":
		need(w, 3)
		t.emit(ir.Instr{Op: ir.OpObserve, A: int32(ps.operand(w[2])), Str: ps.b.str(w[1]), PerItem: w[0] == "observe_item"})
	case "goto":
		ps.jump(t.emit(ir.Instr{Op: ir.OpJump}), false, w[1])
	case "if", "unless":
		ps.branch(w)
	default:
		panic(parseError("unknown instruction " + w[0]))
	}
}

// branch parses "if r goto L1", "unless r goto L1" and "if r goto L1 else L2".
func (ps *parser) branch(w []string) {
	need(w, 4)
	next := ps.t.pc() + 1
	at := ps.t.emit(ir.Instr{Op: ir.OpBranch, A: int32(ps.operand(w[1])), Target: next, Else: next})
	ps.jump(at, w[0] == "unless", w[3])
	if len(w) > 5 {
		ps.jump(at, true, w[5])
	}
}

func (ps *parser) jump(at int32, els bool, label string) {
	ps.jumps = append(ps.jumps, jump{at, els, label})
}

// operand parses an integer, "&x", "&a[1]" or a register.
func (ps *parser) operand(s string) Val {
	if name, ok := strings.CutPrefix(s, "&"); ok {
		return ps.address(name)
	}
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		return ps.t.Int(v)
	}
	r, ok := ps.regs[s]
	if !ok {
		r = ps.t.Reg()
		ps.t.f.RegNames[r] = s
		ps.regs[s] = r
	}
	return r
}

// address parses "x", "a[1]" or "*register".
func (ps *parser) address(s string) Val {
	if r, ok := strings.CutPrefix(s, "*"); ok {
		return ps.operand(r)
	}
	name, index, _ := strings.Cut(strings.TrimSuffix(s, "]"), "[")
	v := ps.vars[name]
	if v == nil {
		panic(parseError("unknown variable " + name))
	}
	if index == "" {
		return ps.t.Addr(v, 0)
	}
	return ps.t.Addr(v, integer(index))
}

func need(w []string, n int) {
	if len(w) < n {
		panic(parseError("too few words"))
	}
}

func integer(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(parseError("not an integer: " + s))
	}
	return v
}

// orderScope parses "release device"; without words, a non-atomic access.
func orderScope(w []string) (memmodel.Order, memmodel.Scope) {
	if len(w) == 0 {
		return memmodel.NonAtomic, memmodel.ScopeWorkItem
	}
	need(w, 2)
	return order(w[0]), scope(w[1])
}

func order(s string) memmodel.Order {
	for o := memmodel.Relaxed; o <= memmodel.SeqCst; o++ {
		if orderName(o) == s {
			return o
		}
	}
	panic(parseError("unknown order " + s))
}

func scope(s string) memmodel.Scope {
	for sc := memmodel.ScopeWorkItem; sc <= memmodel.ScopeAllSVMDevices; sc++ {
		if scopeName(sc) == s {
			return sc
		}
	}
	panic(parseError("unknown scope " + s))
}

func fenceFlags(s string) memmodel.Flags {
	var f memmodel.Flags
	for i, n := range flagList {
		if slices.Contains(strings.Split(s, "|"), n) {
			f |= 1 << i
		}
	}
	return f
}

func alu(s string) ir.Alu {
	i := slices.Index(aluNames[:], s)
	if i < 0 {
		panic(parseError("unknown operation " + s))
	}
	return ir.Alu(i)
}
