package axiom

import (
	"fmt"

	"github.com/clmc/clmc/state/ir"
)

// observation is a value that a path adds to the outcome.
type observation struct {
	text  int32
	item  bool // in a kernel
	value int64
}

// shown is a value of an outcome, with the name that it has unless another
// value of some outcome has it, too, and the one that it has then.
type shown struct {
	name, long string
	value      int64
}

// nameOutcomes fills in the outcomes of the result.
func (e *enumerator) nameOutcomes() {
	twice := map[string]bool{}
	for _, o := range e.outcomes {
		for i := range o {
			for k := range i {
				twice[o[i].name] = twice[o[i].name] || o[k].name == o[i].name
			}
		}
	}
	for _, o := range e.outcomes {
		values := map[string]int64{}
		for _, v := range o {
			if twice[v.name] {
				v.name = v.long
			}
			values[v.name] = v.value
		}
		e.result.Outcomes[OutcomeKey(values)] = true
	}
}

// whose returns what stands before the name of an observation of thread i: its
// linear id in a kernel, or the function if several observe under that name; and
// what tells the thread from all others.
func (c *candidate) whose(i int, o observation) (short, long string) {
	functions := 0
	for f := range c.e.prog.Funcs {
		if c.e.observes(f, o) {
			functions++
		}
	}
	item := &c.e.threads[i].Item
	long = c.e.prog.Funcs[c.e.threads[i].Func].Name
	if o.item {
		short = fmt.Sprintf("%d:", linear(item.GlobalID, item.GlobalSize))
		long += fmt.Sprintf("(%d)", item.GlobalID[0])
	}
	if functions > 1 {
		short = long + ":"
	}
	if of := c.e.of[i]; of >= 0 {
		long += "@" + c.number(of)
	}
	return short, long + ":"
}

// observes reports whether a function may observe under that name.
func (e *enumerator) observes(fn int, o observation) bool {
	for _, in := range e.prog.Funcs[fn].Code {
		if in.Op == ir.OpObserve && in.Str == o.text && in.PerItem == o.item {
			return true
		}
	}
	return false
}

// number counts, among what the parent of an instance has made, up to the instance.
func (c *candidate) number(instance int) string {
	k := &c.e.instances[instance]
	n := 0
	for _, a := range c.paths[k.by].actions {
		if a.kind != command {
			continue
		}
		switch a.cmd.op {
		case ir.OpEnqueueNDRange, ir.OpEnqueueNative, ir.OpMarker, ir.OpQueueBarrier, ir.OpGo, ir.OpCallback, ir.OpCreateEvent:
			n++
		case ir.OpEnqueueKernel, ir.OpEnqueueMarker:
			if a.cmd.status == 0 {
				n++
			}
		}
		if a.cmd.pc == k.pc {
			break
		}
	}
	text := fmt.Sprint(n)
	if k.op == ir.OpCallback {
		text += ".1"
	}
	if of := c.e.of[k.by]; of >= 0 {
		parent := c.number(of)
		if item := &c.e.threads[k.by].Item; !c.e.onHost(k.by) {
			parent += fmt.Sprintf(".%d", linear(item.GlobalID, item.GlobalSize))
		}
		text = parent + "." + text
	}
	return text
}
