package randprog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Format writes a program in the line format that Parse reads:
//
//	name MP
//	object d global svm_coarse plain = 0
//	object y global svm_coarse atomic = 0
//	thread P0 device 0 kernel 0 group 0 sub 0
//		store d 1
//		store y 1 release device
//	thread P1 device 0 kernel 0 group 1 sub 0
//		r0 = load y acquire device
//		unless r0 goto L3
//		r1 = load d
//	L3:
//		observe 1:r0 r0
//		observe 1:r1 r1
//
// Instructions that the package does not generate are shown, but not readable.
func Format(p *ir.Program) string {
	var w strings.Builder
	fmt.Fprintf(&w, "name %s\n", p.Name)
	for i := range p.Objects {
		formatObject(&w, p, &p.Objects[i])
	}
	if p.EnqueueFailure {
		w.WriteString("enqueue_failure\n")
	}
	for _, q := range p.HostQueues {
		fmt.Fprintf(&w, "queue %d %t\n", q.Device, q.OutOfOrder)
	}
	for fn, f := range p.Funcs {
		i := slices.IndexFunc(p.Threads, func(t ir.Thread) bool { return t.Func == fn })
		if i < 0 {
			fmt.Fprintf(&w, "kernel %s", f.Name)
			for r := range f.Params {
				w.WriteString(" " + newPrinter(p, f).register(int32(r)))
			}
			w.WriteString("\n")
		} else {
			formatThread(&w, &p.Threads[i])
		}
		newPrinter(p, f).code(&w)
	}
	return w.String()
}

func formatThread(w *strings.Builder, t *ir.Thread) {
	where := "host"
	if pl := t.Place; !pl.Host {
		where = fmt.Sprintf("device %d kernel %d group %d sub %d", pl.Device, pl.Kernel, pl.Group, pl.Sub)
	}
	fmt.Fprintf(w, "thread %s %s\n", t.Name, where)
}

func formatObject(w *strings.Builder, p *ir.Program, o *ir.Object) {
	cell, _ := o.Layout.Cell(0)
	class, size := "plain", ""
	if cell.Atomic {
		class = "atomic"
	}
	if o.Layout.Elem != nil {
		size = fmt.Sprintf("[%d]", o.Layout.Len)
	}
	fmt.Fprintf(w, "object %s%s %v %v %s ", o.Name, size, o.Region, o.Kind, class)
	if o.Init == nil {
		w.WriteString("uninit")
	} else {
		fmt.Fprintf(w, "= %d", o.Init[0])
	}
	if !slices.ContainsFunc(p.Final, func(f ir.FinalVar) bool { return f.Addr == o.Base }) {
		w.WriteString(" hidden")
	}
	if o.HostMaps {
		w.WriteString(" mapped")
	}
	w.WriteString("\n")
}

// printer writes the code of one function.
type printer struct {
	p       *ir.Program
	f       *ir.Func
	targets map[int32]bool
}

func newPrinter(p *ir.Program, f *ir.Func) *printer {
	pr := &printer{p: p, f: f, targets: map[int32]bool{}}
	for i, in := range f.Code {
		switch {
		case in.Op == ir.OpJump:
			pr.targets[in.Target] = true
		case in.Op == ir.OpBranch:
			for _, to := range []int32{in.Target, in.Else} {
				pr.targets[to] = pr.targets[to] || to != int32(i)+1 || in.Target == in.Else
			}
		}
	}
	return pr
}

func (pr *printer) code(w *strings.Builder) {
	for pc := range pr.f.Code {
		in := &pr.f.Code[pc]
		if pr.targets[int32(pc)] {
			fmt.Fprintf(w, "L%d:\n", pc)
		}
		if in.Op == ir.OpEnd && pc == len(pr.f.Code)-1 {
			continue
		}
		fmt.Fprintf(w, "\t%s\n", pr.instr(int32(pc), in))
	}
}

func (pr *printer) instr(pc int32, in *ir.Instr) string {
	r := pr.operand
	switch in.Op {
	case ir.OpNop:
		return "nop"
	case ir.OpMove:
		return fmt.Sprintf("%s = %s", r(in.Dst), r(in.A))
	case ir.OpBin:
		return fmt.Sprintf("%s = %s %s %s", r(in.Dst), aluNames[in.Alu], r(in.A), r(in.B))
	case ir.OpUn:
		return fmt.Sprintf("%s = %s %s", r(in.Dst), aluNames[in.Alu], r(in.A))
	case ir.OpJump:
		return fmt.Sprintf("goto L%d", in.Target)
	case ir.OpBranch:
		return pr.branch(pc, in)
	case ir.OpQuery:
		return fmt.Sprintf("%s = query %d", r(in.Dst), in.Query)
	case ir.OpAssume:
		return "assume " + r(in.A)
	case ir.OpAssert:
		return "assert " + r(in.A)
	case ir.OpReach:
		return "reach " + pr.p.Strings[in.Str]
	case ir.OpObserve:
		if in.PerItem {
			return fmt.Sprintf("observe_item %s %s", pr.p.Strings[in.Str], r(in.A))
		}
		return fmt.Sprintf("observe %s %s", pr.p.Strings[in.Str], r(in.A))
	case ir.OpRound:
		return fmt.Sprintf("round %d", in.Rounds.Loops[0])
	case ir.OpCheck:
		return "divisor " + r(in.A)
	case ir.OpEnd:
		return "end"
	}
	return pr.visible(in)
}

func (pr *printer) branch(pc int32, in *ir.Instr) string {
	switch pc + 1 {
	case in.Target:
		return fmt.Sprintf("unless %s goto L%d", pr.operand(in.A), in.Else)
	case in.Else:
		return fmt.Sprintf("if %s goto L%d", pr.operand(in.A), in.Target)
	}
	return fmt.Sprintf("if %s goto L%d else L%d", pr.operand(in.A), in.Target, in.Else)
}

func (pr *printer) visible(in *ir.Instr) string {
	r, at := pr.operand, ""
	if in.Order != memmodel.NonAtomic {
		at = " " + orderName(in.Order) + " " + scopeName(in.Scope)
	}
	switch in.Op {
	case ir.OpLoad:
		return fmt.Sprintf("%s = load %s%s", r(in.Dst), pr.address(in.A), at)
	case ir.OpStore:
		return fmt.Sprintf("store %s %s%s", pr.address(in.A), r(in.B), at)
	case ir.OpRMW:
		return fmt.Sprintf("%s = rmw %s %s %s%s", r(in.Dst), aluNames[in.Alu], pr.address(in.A), r(in.B), at)
	case ir.OpCmpXchg:
		weak := ""
		if in.Weak {
			weak = " weak"
		}
		return fmt.Sprintf("%s %s = cas %s %s %s %s %s %s%s", r(in.Dst), r(in.Dst2), pr.address(in.A), r(in.B), r(in.C),
			orderName(in.Order), orderName(in.FailOrder), scopeName(in.Scope), weak)
	case ir.OpFence:
		return fmt.Sprintf("fence %s%s", flagNames(in.Flags), at)
	case ir.OpBarrier:
		op := "barrier"
		if in.SubGroup {
			op = "sub_barrier"
		}
		return fmt.Sprintf("%s %s %s %s%s", op, pr.p.Strings[in.Str], flagNames(in.Flags), scopeName(in.Scope), loopNames(in))
	}
	if in.Op == ir.OpCollective {
		group := "group"
		if in.SubGroup {
			group = "sub_group"
		}
		return fmt.Sprintf("%s = collect %s %s %s %s %s %s%s", r(in.Dst), group, in.Group, aluNames[in.Alu],
			pr.p.Strings[in.Str], r(in.B), r(in.C), loopNames(in))
	}
	return pr.command(in)
}

// loopNames lists the loops around a meeting, outermost first.
func loopNames(in *ir.Instr) (s string) {
	if in.Rounds == nil {
		return ""
	}
	for _, l := range in.Rounds.Loops {
		s += fmt.Sprint(" ", l)
	}
	return " in" + s
}

// command writes an operation on commands; index spaces are one-dimensional.
func (pr *printer) command(in *ir.Instr) string {
	list := func(from int) (s string) {
		for _, a := range in.Args[from:] {
			s += " " + pr.operand(a)
		}
		return s
	}
	r := pr.operand
	switch in.Op {
	case ir.OpEnqueueNDRange:
		switch one := r(in.Args[5]) == "1" && r(in.Args[8]) == "1"; {
		case in.Dst >= 0 && !one:
			return fmt.Sprintf("%s = launch %s %s %s %s%s", r(in.Dst), pr.p.Funcs[in.Target].Name, r(in.Args[5]), r(in.Args[8]), r(in.Args[0]), list(ir.NDRangeHeader))
		case in.Dst >= 0:
			return fmt.Sprintf("%s = command %s %s%s", r(in.Dst), pr.p.Funcs[in.Target].Name, r(in.Args[0]), list(ir.NDRangeHeader))
		}
		return fmt.Sprintf("host %s %s %s", pr.p.Funcs[in.Target].Name, r(in.Args[5]), r(in.Args[8]))
	case ir.OpMarker:
		return fmt.Sprintf("%s = host_marker %s%s", r(in.Dst), r(in.Args[0]), list(1))
	case ir.OpQueueBarrier:
		return fmt.Sprintf("%s = host_barrier %s%s", r(in.Dst), r(in.Args[0]), list(1))
	case ir.OpEnqueueNative:
		return fmt.Sprintf("%s = native %s %s%s", r(in.Dst), pr.p.Funcs[in.Target].Name, r(in.Args[0]), list(1))
	case ir.OpEventStatus:
		return fmt.Sprintf("%s = status %s", r(in.Dst), r(in.A))
	case ir.OpCallback:
		when := ""
		if at := in.Args[1]; at < 0 && pr.f.Consts[^at] != 0 {
			when = fmt.Sprintf("_at_%d", pr.f.Consts[^at])
		}
		return fmt.Sprintf("callback%s %s %s%s", when, pr.p.Funcs[in.Target].Name, r(in.Args[0]), list(2))
	case ir.OpGo:
		return fmt.Sprintf("go %s%s", pr.p.Funcs[in.Target].Name, list(0))
	case ir.OpMapCell:
		return "map_cell " + pr.address(in.A)
	case ir.OpMap:
		return fmt.Sprintf("map %s %s %t", pr.address(in.A), r(in.B), in.Writes)
	case ir.OpFree:
		return "free " + pr.address(in.A)
	case ir.OpUnmap:
		return fmt.Sprintf("unmap %s %s", pr.address(in.A), r(in.B))
	case ir.OpWaitEvents:
		return "wait" + list(0)
	case ir.OpFinish:
		return "finish " + r(in.A)
	case ir.OpEnqueueKernel:
		results := r(in.Dst)
		if in.Dst2 >= 0 {
			results += " " + r(in.Dst2)
		}
		return fmt.Sprintf("%s = enqueue %s %s %s %s%s", results, pr.p.Funcs[in.Target].Name, r(in.Args[6]), r(in.Args[9]), r(in.Args[1]), list(ir.EnqueueHeader))
	case ir.OpEnqueueMarker:
		return fmt.Sprintf("%s = marker%s", r(in.Dst2), list(1))
	case ir.OpCreateEvent:
		return fmt.Sprintf("%s = user_event", r(in.Dst))
	case ir.OpSetEvent:
		return fmt.Sprintf("set_event %s %s", r(in.A), r(in.B))
	}
	return fmt.Sprintf("op%d %+v", in.Op, *in)
}

// operand writes a register, an integer, or the address of a variable.
func (pr *printer) operand(o int32) string {
	if o >= 0 {
		return pr.register(o)
	}
	v := pr.f.Consts[^o]
	if v&ir.SegMask == ir.SegShared {
		return "&" + pr.p.CellName(-1, int32(v&^ir.SegMask))
	}
	return fmt.Sprint(v)
}

// address writes the operand of an access: a variable or "*register".
func (pr *printer) address(o int32) string {
	s := pr.operand(o)
	if name, ok := strings.CutPrefix(s, "&"); ok {
		return name
	}
	return "*" + s
}

func (pr *printer) register(r int32) string {
	names := pr.f.RegNames
	if int(r) < len(names) && names[r] != "" && slices.Index(names, names[r]) == int(r) {
		return names[r]
	}
	return fmt.Sprintf("t%d", r)
}

func orderName(o memmodel.Order) string { return strings.TrimPrefix(o.String(), "memory_order_") }
func scopeName(s memmodel.Scope) string { return strings.TrimPrefix(s.String(), "memory_scope_") }

func flagNames(f memmodel.Flags) string {
	var names []string
	for i, n := range flagList {
		if f&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	if names == nil {
		return "0"
	}
	return strings.Join(names, "|")
}

var flagList = []string{"local", "global", "image"}

var aluNames = [...]string{ir.Add: "add", ir.Sub: "sub", ir.Mul: "mul", ir.Div: "div", ir.Rem: "rem",
	ir.And: "and", ir.Or: "or", ir.Xor: "xor", ir.AndNot: "andnot", ir.Shl: "shl", ir.Shr: "shr",
	ir.Eq: "eq", ir.Ne: "ne", ir.Lt: "lt", ir.Le: "le", ir.Gt: "gt", ir.Ge: "ge",
	ir.Neg: "neg", ir.Not: "not", ir.Compl: "compl", ir.Min: "min", ir.Max: "max", ir.Pipe: "pipe", ir.Xchg: "xchg"}
