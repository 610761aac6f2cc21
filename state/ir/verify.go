package ir

import (
	"errors"
	"fmt"
	"slices"
)

// Verify checks that the program is well formed: that every index is in
// range and that control cannot run off the end of a function. Front ends call it
// before they hand a program out. A failure is a bug of the front end.
func (p *Program) Verify() error {
	if len(p.Positions) == 0 {
		return errors.New("ir: position 0 is missing")
	}
	if p.SubGroupSize < 0 {
		return fmt.Errorf("ir: sub-groups of %d work-items", p.SubGroupSize)
	}
	for i := range p.Objects {
		if err := p.verifyObject(&p.Objects[i]); err != nil {
			return err
		}
	}
	for _, t := range p.Threads {
		if t.Func < 0 || t.Func >= len(p.Funcs) {
			return fmt.Errorf("ir: thread %s has no function", t.Name)
		}
	}
	for _, v := range p.Final {
		if v.Addr < 0 || int(v.Addr) >= p.SharedCells() {
			return fmt.Errorf("ir: final variable %s is outside shared memory", v.Name)
		}
	}
	for _, f := range p.Funcs {
		if f.SubGroupSize < 0 {
			return fmt.Errorf("ir: func %s: sub-groups of %d work-items", f.Name, f.SubGroupSize)
		}
		if err := p.verifyFunc(f); err != nil {
			return fmt.Errorf("ir: func %s: %w", f.Name, err)
		}
	}
	return nil
}

func (p *Program) verifyObject(o *Object) error {
	switch {
	case o.Layout == nil:
		return fmt.Errorf("ir: object %s has no layout", o.Name)
	case o.Func >= len(p.Funcs):
		return fmt.Errorf("ir: object %s belongs to no function", o.Name)
	case o.Init != nil && len(o.Init) != o.Layout.Cells():
		return fmt.Errorf("ir: object %s has %d cells but %d initial values", o.Name, o.Layout.Cells(), len(o.Init))
	}
	return nil
}

func (p *Program) verifyFunc(f *Func) error {
	switch {
	case f.Private < 0 || f.Params < 0 || f.Private+f.Params > f.Regs:
		return errors.New("too few registers")
	case len(f.RegNames) > f.Regs:
		return errors.New("names of registers that do not exist")
	case len(f.Code) == 0:
		return errors.New("no code")
	}
	switch f.Code[len(f.Code)-1].Op {
	case OpJump, OpBranch, OpEnd, OpCopied:
	default:
		return errors.New("control runs off the end")
	}
	for pc := range f.Code {
		if err := p.verifyInstr(f, &f.Code[pc]); err != nil {
			return fmt.Errorf("instruction %d (%s): %w", pc, p.instr(f, &f.Code[pc]), err)
		}
	}
	return nil
}

func (p *Program) verifyInstr(f *Func, in *Instr) error {
	if !in.Op.has(decided) {
		return errors.New("unknown operation")
	}
	if in.Pos < 0 || int(in.Pos) >= len(p.Positions) {
		return errors.New("position out of range")
	}
	if d := max(in.dst(), in.dst2()); int(d) >= f.Regs || min(in.dst(), in.dst2()) < -1 {
		return errors.New("result register out of range")
	}
	if in.dst2() >= 0 && in.Dst >= 0 && in.Dst == in.Dst2 {
		return errors.New("both results in one register")
	}
	bad := false
	in.Uses(func(o int32) {
		bad = bad || int(o) >= f.Regs || o < 0 && int(^o) >= len(f.Consts)
	})
	if bad {
		return errors.New("operand out of range")
	}
	if err := in.verifyRounds(f); err != nil {
		return err
	}
	if in.Op == OpCollective && in.Group != GroupBroadcast && in.Group != GroupShuffle {
		if _, ok := Identity(in.Alu, in.Type); !ok {
			return errors.New("no collective function combines values so")
		}
	}
	if in.Op == OpRMW && !slices.Contains(modifications, in.Alu) {
		return errors.New("no read-modify-write computes this")
	}
	return p.verifyLinks(f, in)
}

// verifyRounds checks what the instruction says of loops.
func (in *Instr) verifyRounds(f *Func) error {
	r := in.Rounds
	switch {
	case in.Op == OpRound && (r == nil || len(r.Loops) != 1):
		return errors.New("a round of no loop")
	case r == nil:
		return nil
	case in.Op != OpRound && !in.Op.Meets():
		return errors.New("rounds of what does not meet")
	case in.Op != OpRound && len(r.Counts) != len(r.Loops):
		return errors.New("loops without counters")
	}
	for _, c := range slices.Concat(r.Counts, r.Idles, r.Clears) {
		if int(c) < f.Counters || int(c) >= f.Regs {
			return errors.New("counter out of range")
		}
	}
	return nil
}

// verifyLinks checks what the instruction refers to outside its operands.
func (p *Program) verifyLinks(f *Func, in *Instr) error {
	inCode := func(t int32) bool { return t >= 0 && int(t) < len(f.Code) }
	switch in.Op {
	case OpAsyncCopy:
		switch {
		case !inCode(in.Target):
			return errors.New("target out of range")
		case len(in.Args) != CopyArgs:
			return fmt.Errorf("%d arguments, want %d", len(in.Args), CopyArgs)
		case f.Copies < f.Private+f.Params || f.Copies+CopyArgs > f.Regs:
			return errors.New("arguments out of range")
		case in.Str < 0 || int(in.Str) >= len(p.Strings):
			return errors.New("string out of range")
		}
	case OpJump:
		if !inCode(in.Target) {
			return errors.New("target out of range")
		}
	case OpBranch:
		if !inCode(in.Target) || !inCode(in.Else) {
			return errors.New("target out of range")
		}
	case OpCheck:
		if in.Check >= CheckArgument && !in.Check.Limit() && (in.Str < 0 || int(in.Str) >= len(p.Strings)) {
			return errors.New("string out of range")
		}
	case OpAssert, OpObserve, OpReach, OpBarrier, OpCollective, OpWaitCopies:
		if in.Str < 0 || int(in.Str) >= len(p.Strings) {
			return errors.New("string out of range")
		}
	case OpEnqueueNDRange:
		return p.verifyStart(in, NDRangeHeader)
	case OpEnqueueKernel:
		return p.verifyStart(in, EnqueueHeader)
	case OpEnqueueNative, OpCallback:
		return p.verifyStart(in, 1)
	case OpGo:
		return p.verifyStart(in, 0)
	case OpEnqueueMarker, OpMarker, OpQueueBarrier:
		if want := 1 + int(in.Waits); len(in.Args) != want {
			return fmt.Errorf("%d arguments, want %d", len(in.Args), want)
		}
	}
	return nil
}

// verifyStart checks the arguments of an operation that starts a function:
// a header, a wait list and the function's parameters.
func (p *Program) verifyStart(in *Instr, header int) error {
	if in.Target < 0 || int(in.Target) >= len(p.Funcs) {
		return errors.New("kernel out of range")
	}
	if want := header + int(in.Waits) + p.Funcs[in.Target].Params; len(in.Args) != want {
		return fmt.Errorf("%d arguments, want %d", len(in.Args), want)
	}
	return nil
}
