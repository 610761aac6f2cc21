package litmus_test

import (
	"fmt"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// sane checks what Verify does not know of programs made from litmus tests.
func sane(p *ir.Program) error {
	if err := p.Verify(); err != nil {
		return err
	}
	for _, v := range p.Final {
		if o := p.ObjectAt(-1, v.Addr); o == nil || o.Name != v.Name {
			return fmt.Errorf("final variable %s is not at address %d", v.Name, v.Addr)
		}
	}
	for _, f := range p.Funcs {
		if len(f.RegNames) != f.Regs || len(f.Live) != len(f.Code)+1 {
			return fmt.Errorf("%s has %d registers, %d names", f.Name, f.Regs, len(f.RegNames))
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
	if p.Positions[in.Pos].Line == 0 {
		return fmt.Errorf("no position")
	}
	if !in.Op.Access() {
		return nil
	}
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
