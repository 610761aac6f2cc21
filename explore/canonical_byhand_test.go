package explore

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// turn is a step of an execution that is given: the unit that takes it and, if that loads, the value that it reads.
type turn struct {
	unit  memmodel.Unit
	reads int64
}

// take has a walk take a step, of those that read the value one that assumes the least. What is stored comes last in modification order.
func (w *walk) take(next turn) error {
	moves := allMoves(w.m, w.form)
	i := slices.IndexFunc(moves, func(mv Move) bool {
		x := w.m.Reading(w.form, mv.Unit)
		return mv.Unit == next.unit && mv.Choice.Broken == 0 && (x < 0 && mv.Choice.Back == 0 || x >= 0 && w.form.Mem.Value(x, memmodel.Msg(mv.Choice.Back)) == next.reads)
	})
	if i < 0 {
		return fmt.Errorf("%v cannot be taken", next)
	}
	like := meant(w.m, w.whole, allMoves(w.m, w.whole), w.form, moves[i])
	if len(like) == 0 {
		return fmt.Errorf("%v can be taken in canonical form only", next)
	}
	w.do(w.whole, like[0])
	w.do(w.form, moves[i])
	w.steps++
	return nil
}

// follow takes given steps, and compares after each the canonical form of the whole history with that of the form before the step.
func (w *walk) follow(steps []turn) error {
	for _, next := range steps {
		w.m.Normalise(&w.canon, w.form)
		if err := w.take(next); err != nil {
			return err
		}
		form, whole := encode(w.m, w.form), encode(w.m, w.whole)
		if !bytes.Equal(form, whole) {
			return fmt.Errorf("behind %v the canonical form depends on the history", next)
		}
	}
	return nil
}

// groundless: P0 counts x up. P1 releases d by its store of 2 and goes on with the release sequence, which P2 reads from and assumes that P3 will not
// break (rule 5.4). Then P3 and P4 have seen what P0 has written, so that nobody can read the initial value any more, which goes; P3
// ends without having stored, so that nothing is assumed any more. Had x been looked at then only, the initial value had been merged with
// what P0 has written.
func groundless() (*ir.Program, []turn) {
	b := randprog.NewBuilder("groundless")
	x, y, d := b.Atomic("x"), b.Atomic("y"), b.Plain("d")
	p, u, r, w, v := b.Thread(place(0)), b.Thread(place(1)), b.Thread(place(2)), b.Thread(place(3)), b.Thread(place(4))
	p.RMW(ir.Add, x, p.Int(1), rlx, dev)
	u.Write(d, u.Int(1))
	u.Store(x, u.Int(2), rel, dev)
	u.Store(x, u.Int(3), rlx, dev)
	r.ExitUnless(r.Bin(ir.Eq, r.Load(x, acq, dev), r.Int(3)))
	r.Read(d)
	w.Load(x, rlx, dev)
	w.ExitUnless(w.Load(y, rlx, dev))
	w.Store(x, w.Int(9), rlx, dev)
	v.Load(x, rlx, dev)
	v.Load(x, rlx, dev)
	return b.Program(), []turn{{0, 0}, {4, 1}, {1, 0}, {1, 0}, {1, 0}, {2, 3}, {3, 1}, {3, 0}}
}

// nothingTold: P0 releases nothing but that it has stored to x, and goes on with the release sequence, which P1 reads from, where P2 may yet break it. Nothing
// hangs on whether it does, as who reads what P0 has stored has seen as much of x.
func nothingTold() (*ir.Program, []turn) {
	b := randprog.NewBuilder("nothing-told")
	x, y := b.Atomic("x"), b.Atomic("y")
	p, r, w, v := b.Thread(place(0)), b.Thread(place(1)), b.Thread(place(2)), b.Thread(place(3))
	p.Store(x, p.Int(1), rel, dev)
	p.Store(x, p.Int(2), rlx, dev)
	r.Load(x, acq, dev)
	w.ExitUnless(w.Load(y, rlx, dev))
	w.Store(x, w.Int(9), rlx, dev)
	v.Load(x, rlx, dev)
	return b.Program(), []turn{{0, 0}, {0, 0}, {1, 2}}
}

// The canonical form is one in executions in which it is reached by two ways that random programs seldom take.
func TestCanonicalFormByHand(t *testing.T) {
	for _, program := range []func() (*ir.Program, []turn){groundless, nothingTold} {
		p, steps := program()
		if err := newWalk(p, memmodel.Specs[0], 0).follow(steps); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}
