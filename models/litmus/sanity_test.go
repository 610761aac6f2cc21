package litmus_test

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// sane checks what the machine takes for granted of a program.
func sane(p *ir.Program) error {
	for _, t := range p.Threads {
		if t.Func < 0 || t.Func >= len(p.Funcs) {
			return fmt.Errorf("%s has no function", t.Name)
		}
	}
	for _, v := range p.Final {
		if o := p.ObjectAt(-1, v.Addr); o == nil || o.Name != v.Name {
			return fmt.Errorf("final variable %s is not at address %d", v.Name, v.Addr)
		}
	}
	for _, f := range p.Funcs {
		if len(f.RegNames) != f.Regs || len(f.Live) != len(f.Code)+1 {
			return fmt.Errorf("%s: %d registers, %d names", f.Name, f.Regs, len(f.RegNames))
		}
		if n := len(f.Code); n == 0 || f.Code[n-1].Op != ir.OpEnd {
			return fmt.Errorf("%s does not end", f.Name)
		}
		for pc := range f.Code {
			if err := saneInstr(p, f, &f.Code[pc]); err != nil {
				return fmt.Errorf("%s, instruction %d: %w", f.Name, pc, err)
			}
		}
	}
	return nil
}

func saneInstr(p *ir.Program, f *ir.Func, in *ir.Instr) error {
	if in.Pos <= 0 || int(in.Pos) >= len(p.Positions) || p.Positions[in.Pos].Line == 0 {
		return fmt.Errorf("no position")
	}
	for _, r := range []int32{in.A, in.B, in.C} {
		if int(r) >= f.Regs || r < 0 && int(^r) >= len(f.Consts) {
			// Operands that the operation does not use are 0, which a function
			// without registers does not have.
			if r != 0 {
				return fmt.Errorf("operand %d out of range", r)
			}
		}
	}
	if int(in.Dst) >= max(f.Regs, 1) || int(in.Dst2) >= max(f.Regs, 1) {
		return fmt.Errorf("destination out of range")
	}
	switch in.Op {
	case ir.OpJump, ir.OpBranch:
		if int(in.Target) >= len(f.Code) || int(in.Else) >= len(f.Code) {
			return fmt.Errorf("target out of range")
		}
	case ir.OpObserve, ir.OpBarrier:
		if p.Strings[in.Str] == "" {
			return fmt.Errorf("no name")
		}
	case ir.OpLoad, ir.OpStore, ir.OpRMW, ir.OpCmpXchg:
		if in.A >= 0 || f.Consts[^in.A]&ir.SegMask != ir.SegShared {
			return fmt.Errorf("not a shared address")
		}
		o := p.ObjectAt(-1, int32(f.Consts[^in.A]))
		if o == nil {
			return fmt.Errorf("no object at address")
		}
		if in.Order != memmodel.NonAtomic && !o.Layout.Atomic {
			return fmt.Errorf("atomic operation on plain cell %s", o.Name)
		}
	}
	return nil
}

// observed returns the names of the variables that a program reports.
func observed(p *ir.Program) map[string]bool {
	names := map[string]bool{}
	for _, v := range p.Final {
		names[v.Name] = true
	}
	for _, f := range p.Funcs {
		for _, in := range f.Code {
			if in.Op == ir.OpObserve {
				names[p.Strings[in.Str]] = true
			}
		}
	}
	return names
}
