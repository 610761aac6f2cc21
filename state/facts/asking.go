package facts

import (
	"encoding/binary"
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// Asking is what the code of a function asks of the work-item that executes it,
// and what it makes of the answers. Work-items are symmetric as far as that is the
// same: one that only compares its id with a constant is like all those on the
// same side.
type Asking struct {
	f  *ir.Func // the code
	OK bool     // false: commands name their parents, and of other operations nothing is known
	// It matters in which order work-items come in their group.
	Ordered  bool
	Observes bool       // observations name their commands and threads
	direct   []question // whose answers matter as they are
	// What is computed from answers and constants alone, each after what it is
	// computed from. Some of it matters for more than that.
	steps []askingStep
}

// question is a work-item function that code calls.
type question struct {
	query ir.Query // which one
	dim   int64    // the dimension that it is asked for
}

// askingStep is an instruction whose result depends on nothing but who executes it.
type askingStep struct {
	pc      int32    // where it stands
	from    [2]int32 // the steps that computed its operands, or noStep
	matters bool     // for more than what other steps compute of it
}

// noStep stands for what is the same for all work-items, or as far as what matters is.
const noStep = -1

// newAsking finds what a function asks.
func (facts *Facts) newAsking(f *ir.Func) *Asking {
	a := &Asking{f: f, OK: true}
	for pc := range f.Code {
		switch in := &f.Code[pc]; in.Op {
		case ir.OpQuery:
			if in.A >= 0 && f.LiveAt(pc+1, int(in.Dst)) {
				for dim := range int64(4) { // from 3 on, all answers are the same
					a.direct = append(a.direct, question{in.Query, dim})
				}
			}
		case ir.OpObserve:
			a.Observes = true
			if in.PerItem {
				a.direct = append(a.direct, question{query: ir.QueryGlobalLinearID})
			}
		case ir.OpNop, ir.OpMove, ir.OpBin, ir.OpUn, ir.OpConv, ir.OpJump, ir.OpBranch, ir.OpCheck,
			ir.OpAssert, ir.OpAssume, ir.OpReach, ir.OpRound, ir.OpEnd,
			ir.OpLoad, ir.OpStore, ir.OpRMW, ir.OpCmpXchg, ir.OpFence, ir.OpBarrier, ir.OpChoose:
		case ir.OpCollective: // a sum of floating-point numbers depends on the order, too
			a.Ordered = a.Ordered || in.Group != ir.GroupReduce || in.Type.Float()
		default:
			return &Asking{}
		}
	}
	a.walk(facts.spent)
	return a
}

// origins says of each register which step has computed it.
type origins []int32

// walk finds the steps and takes their results through the code.
func (a *Asking) walk(spent func() bool) {
	f := a.f
	t := tracing{a, make([]int32, len(f.Code)), make([]origins, len(f.Code))}
	for pc := range t.number {
		t.number[pc] = noStep
	}
	now := slices.Repeat(origins{noStep}, f.Regs)
	t.join(0, now)
	for work := []int32{0}; len(work) > 0 && !spent(); {
		pc := int(work[len(work)-1])
		work = work[:len(work)-1]
		copy(now, t.before[pc])
		t.pass(pc, now)
		for _, next := range f.Code[pc].Successors(pc) {
			if t.join(int(next), now) {
				work = append(work, next)
			}
		}
	}
}

// tracing is the fixpoint computation of one function's steps.
type tracing struct {
	*Asking
	number []int32   // by pc: of the step that it is
	before []origins // by pc; nil where the code has not come to
}

// join takes note that registers may come to pc from these origins. It reports
// whether that is news.
func (t *tracing) join(pc int, from origins) (news bool) {
	if t.before[pc] == nil {
		t.before[pc] = slices.Clone(from)
		return true
	}
	for r, step := range t.before[pc] {
		if step == noStep && from[r] == noStep || step == from[r] {
			continue
		}
		if t.f.LiveAt(pc, r) {
			t.matter(step)
			t.matter(from[r])
		}
		if step != noStep {
			t.before[pc][r], news = noStep, true
		}
	}
	return news
}

func (t *tracing) matter(step int32) {
	if step != noStep {
		t.steps[step].matters = true
	}
}

// pass changes origins as the instruction at pc does, and takes note of what
// matters to it, or is kept while a unit waits there.
func (t *tracing) pass(pc int, now origins) {
	in := &t.f.Code[pc]
	if in.Op.Visible() {
		for r, step := range now {
			if t.f.LiveAt(pc, r) {
				t.matter(step)
			}
		}
	}
	d, d2 := in.Results()
	computed := int32(noStep)
	if from, ok := t.computes(in, now); ok && int(d) >= t.f.Private {
		if t.number[pc] == noStep {
			t.number[pc] = int32(len(t.steps))
			t.steps = append(t.steps, askingStep{pc: int32(pc), from: from})
		}
		computed = t.number[pc]
	} else {
		in.Uses(func(o int32) {
			if o >= 0 {
				t.matter(now[o])
			}
		})
	}
	for _, r := range [...]int32{d, d2} {
		if r >= 0 {
			now[r] = computed
		}
	}
}

// computes reports whether an instruction computes something from the results of
// steps and constants alone, and from which.
func (t *tracing) computes(in *ir.Instr, now origins) (from [2]int32, ok bool) {
	from = [2]int32{noStep, noStep}
	operands := [...]int32{in.A, in.B}
	n := 1
	switch in.Op {
	case ir.OpQuery:
		return from, in.A < 0
	case ir.OpMove, ir.OpUn, ir.OpConv:
	case ir.OpBin:
		n = 2
	default:
		return from, false
	}
	for i, o := range operands[:n] {
		if o < 0 {
			continue
		}
		if from[i] = now[o]; from[i] == noStep {
			return from, false
		}
		ok = true
	}
	return from, ok
}

// Answers appends what matters of what the code gets to know of an item.
func (a *Asking) Answers(k []byte, it *ir.Item) []byte {
	for _, q := range a.direct {
		k = binary.AppendVarint(k, it.Answer(q.query, q.dim))
	}
	values := make([]int64, len(a.steps))
	for i, s := range a.steps {
		in := &a.f.Code[s.pc]
		get := func(j int, o int32) int64 {
			if o < 0 {
				return a.f.Consts[^o]
			}
			return values[s.from[j]]
		}
		v := get(0, in.A)
		switch in.Op {
		case ir.OpQuery:
			v = it.Answer(in.Query, v)
		case ir.OpConv:
			v = ir.Convert(in.Type, in.From, v)
		case ir.OpUn:
			v, _ = ir.EvalUn(in.Alu, in.Type, v)
		case ir.OpBin:
			v, _ = ir.Eval(in.Alu, in.Type, v, get(1, in.B))
		}
		if values[i] = v; s.matters {
			k = binary.AppendVarint(k, v)
		}
	}
	return k
}
