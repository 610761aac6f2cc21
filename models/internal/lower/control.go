package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/state/ir"
)

// If emits a conditional; otherwise may be nil. What either emits goes on behind it,
// unless it ended its block otherwise.
func (f *Func) If(cond int32, then, otherwise func()) {
	yes, no, done := NewBlock(), NewBlock(), NewBlock()
	f.Branch(cond, yes, no)
	f.Enter(yes)
	then()
	f.Jump(done)
	f.Enter(no)
	if otherwise != nil {
		otherwise()
	}
	f.Jump(done)
	f.Enter(done)
}

// Cases calls each with every one of the values and emits what it emits for the value
// that v has, and otherwise, which may be nil, for any other: a switch, or an argument
// that an instruction wants to be known, as the order of an atomic operation. A known v
// leaves one of them.
func (f *Func) Cases(t ir.Type, v int32, values []int64, each func(value int64), otherwise func()) {
	if len(values) == 0 {
		if otherwise != nil {
			otherwise()
		}
		return
	}
	same := f.Bin(ir.Eq, t, v, f.Constant(values[0]))
	rest := func() { f.Cases(t, v, values[1:], each, otherwise) }
	if k, ok := f.Known(same); ok {
		if k != 0 {
			each(values[0])
		} else {
			rest()
		}
		return
	}
	f.If(same, func() { each(values[0]) }, rest)
}

// Repeat emits a loop over the numbers below n.
func (f *Func) Repeat(n int32, body func(i int32)) {
	i := f.NewReg("")
	f.Move(i, f.Constant(0))
	head, round, exit := NewBlock(), NewBlock(), NewBlock()
	f.Jump(head)
	f.Enter(head)
	f.Branch(f.Bin(ir.Lt, ir.I64, i, n), round, exit)
	f.Enter(round)
	body(i)
	f.Move(i, f.Bin(ir.Add, ir.I64, i, f.Constant(1)))
	f.Jump(head)
	f.Enter(exit)
}

// Parallel emits the moves dst[i] = src[i] as if all were made at once: a move
// waits until no other still reads its destination, and a cycle is broken by a
// copy.
func (f *Func) Parallel(dst, src []int32) {
	type move struct{ dst, src int32 }
	var todo []move
	readers := map[int32]int{}
	for i, d := range dst {
		if d != src[i] {
			todo = append(todo, move{d, src[i]})
			readers[src[i]]++
		}
	}
	for len(todo) > 0 {
		ready := slices.IndexFunc(todo, func(m move) bool { return readers[m.dst] == 0 })
		if ready < 0 {
			ready = 0
			saved := f.Copy(todo[0].dst)
			for i := range todo {
				if todo[i].src == todo[0].dst {
					todo[i].src = saved
				}
			}
		}
		f.Move(todo[ready].dst, todo[ready].src)
		readers[todo[ready].src]--
		todo = slices.Delete(todo, ready, ready+1)
	}
}

// Chosen emits a choice of one of some values. If it has a name, traces say what was chosen under it.
func (f *Func) Chosen(values []int64, name string) int32 {
	if len(values) == 1 {
		return f.Constant(values[0])
	}
	n := f.NewReg("")
	in := ir.Instr{Op: ir.OpChoose, Dst: n, A: f.Constant(int64(len(values)))}
	if name != "" {
		var words []string
		for _, v := range values {
			words = append(words, fmt.Sprintf("%s = %d", name, v))
		}
		f.prog.Str("") // index 0 is no name
		in.Str = f.prog.Str(strings.Join(words, "; "))
	}
	f.Emit(in)
	consecutive := true
	for i, v := range values {
		consecutive = consecutive && v == values[0]+int64(i)
	}
	if consecutive {
		return f.Bin(ir.Add, ir.I64, n, f.Constant(values[0]))
	}
	out := f.NewReg("")
	f.Move(out, f.Constant(values[0]))
	var all []int64
	for i := range values {
		all = append(all, int64(i))
	}
	f.Cases(ir.I64, n, all, func(i int64) { f.Move(out, f.Constant(values[i])) }, nil)
	return out
}
