package load

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/state/ir"
)

// doGo lowers a go statement of the host program: a further host thread. Like a
// kernel it takes over values: private memory is not shared.
func (f *frame) doGo(in *ssa.Go) {
	com := in.Common()
	callee := f.value(com.Value).fn
	switch {
	case f.where != inHost:
		f.fault(in.Pos(), noGo.hint, "%s", noGo.message)
		return
	case com.IsInvoke():
		f.fault(in.Pos(), noInterfaces.hint, "%s", noInterfaces.message)
		return
	case callee == nil || isVocabulary(callee.fn) || callee.fn.Blocks == nil:
		f.fault(in.Pos(), "write instead: go func() { ... }()", "clmc cannot determine at load time which function the host thread runs")
		return
	}
	c := &call{frame: f, pos: in.Pos(), by: "host thread"}
	parts := []*captured{c.capture(value{fn: callee}, callee.fn.Signature)}
	for _, a := range com.Args {
		parts = append(parts, c.capture(f.value(a), a.Type()))
	}
	if slices.Contains(parts, nil) {
		return
	}
	at := f.At
	index := f.thread(parts)
	f.At = at
	var args []int32
	for _, p := range parts {
		args = append(args, p.params()...)
	}
	f.Emit(ir.Instr{Op: ir.OpGo, Target: int32(index), Args: args})
}

// thread returns the function, in the program, of a host thread that runs
// parts[0] with the others as arguments.
func (l *lowering) thread(parts []*captured) int {
	key := "go"
	for _, p := range parts {
		key += " " + p.key()
	}
	if i, ok := l.kernels[key]; ok {
		return i
	}
	fn := parts[0].fn
	u := l.newFunc(l.threadName(parts[0]), fn.Pos(), inHost)
	u.spawned = true
	l.kernels[key] = u.Number()
	v := u.receive(parts[0], "", nil)
	var args []value
	for i, p := range parts[1:] {
		args = append(args, u.receive(p, fn.Params[i].Name(), fn.Params[i].Type()))
	}
	u.run(v.fn, v.fn.free, args...)
	return u.Number()
}

// threadName names a host thread after the function that it runs: one that a sync.WaitGroup starts, after what it has been given.
func (l *lowering) threadName(c *captured) string {
	if l.fset.PositionFor(c.fn.Pos(), false).Filename == syncFile {
		for _, f := range c.free {
			if f.fn != nil {
				return l.functionName(f.fn)
			}
		}
	}
	return l.functionName(c.fn)
}
