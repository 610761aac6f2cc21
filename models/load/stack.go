package load

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Host variables that commands read and write. The variables of a work-item are private memory, and so are those of
// a host function: nobody else reaches them. But the host hands addresses of its own to clEnqueueReadBuffer and its
// like, and the command, which is a unit of its own, goes there. So such a variable is an object in memory.

// onHost gives a host variable that commands reach memory. In a loop it is the same memory in each round, with nothing
// but zeros when the round begins, as the stack of a C program has it: a command of the last round that is not
// complete yet races with that.
func (f *frame) onHost(a *ssa.Alloc, name string) value {
	t := deref(a.Type())
	addr := f.newObject(orName(name, "variable"), a.Pos(), t, 0)
	f.onStack = append(f.onStack, extent{addr, addr + int64(f.size(t))})
	if f.inLoop(a.Block()) {
		if f.size(t) > maxByValue {
			f.fault(a.Pos(), "declare it outside the loop", "%s is too large to be cleared in each iteration: %d cells, the limit is %d", orValue(name), f.size(t), maxByValue)
			return one(f.Constant(addr))
		}
		f.write(f.Constant(addr), t, f.flat(f.zero(t), a.Pos()))
	}
	return one(f.Constant(addr))
}

// extent is a run of addresses, without the last.
type extent struct{ from, to int64 }

// isOnStack reports whether an address is that of a host variable.
func (l *lowering) isOnStack(addr int64) bool {
	for _, e := range l.onStack {
		if e.from <= addr && addr < e.to {
			return true
		}
	}
	return false
}

// commanded reports whether a pointer, or what is made of it, is given to a command of the host.
func commanded(p ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[p] || p.Referrers() == nil {
		return false
	}
	seen[p] = true
	for _, r := range *p.Referrers() {
		switch r := r.(type) {
		case *ssa.Slice, *ssa.IndexAddr, *ssa.FieldAddr, *ssa.Phi, *ssa.ChangeType, *ssa.SliceToArrayPointer:
			if commanded(r.(ssa.Value), seen) {
				return true
			}
		case *ssa.Store: // what is read there is the pointer, too
			if r.Val == p && r.Addr.Referrers() != nil && readAndCommanded(r.Addr, seen) {
				return true
			}
		case *ssa.Call:
			if givenTo(r, p, seen) {
				return true
			}
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == p && commanded(r.Fn.(*ssa.Function).FreeVars[i], seen) {
					return true
				}
			}
		}
	}
	return false
}

// readAndCommanded reports whether what a variable holds is given to a command of the host, also by closures.
func readAndCommanded(variable ssa.Value, seen map[ssa.Value]bool) bool {
	for _, r := range *variable.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			if commanded(r, seen) {
				return true
			}
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == variable && readAndCommanded(r.Fn.(*ssa.Function).FreeVars[i], seen) {
					return true
				}
			}
		}
	}
	return false
}

// givenTo reports whether a call gives a pointer, which is one of its arguments, to a command.
func givenTo(c *ssa.Call, p ssa.Value, seen map[ssa.Value]bool) bool {
	fn := c.Call.StaticCallee()
	if fn == nil {
		return false
	}
	command := isVocabulary(fn)
	if command && builtins[builtinName(fn)].where != inHost {
		return false
	}
	for i, arg := range c.Call.Args {
		switch last := i == len(fn.Params)-1; {
		case arg != p || i >= len(fn.Params):
		case !command:
			if commanded(fn.Params[i], seen) {
				return true
			}
		case !last || !fn.Signature.Variadic(): // what comes last are queues and events, which are no memory
			if _, isSlice := p.Type().Underlying().(*types.Slice); isSlice {
				return true
			}
		}
	}
	return false
}
