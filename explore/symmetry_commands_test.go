package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// launcher is a program whose commands or host threads each add 1 to a counter, in several ways.
type launcher struct {
	*randprog.Builder
	host *randprog.Thread
	x    *randprog.Var
	n    int64
}

func newLauncher(name string, n int64) *launcher {
	c := &launcher{Builder: randprog.NewBuilder(name), n: n}
	c.host = c.Thread(memmodel.Place{Host: true})
	c.x = c.Var(randprog.Var{Name: "x", Kind: memmodel.FineSVMAtomics})
	return c
}

// adds draws what each of them does.
func (c *launcher) adds(t *randprog.Thread) *randprog.Thread {
	t.Blind(ir.Add, c.x, t.Int(1), memmodel.SeqCst, memmodel.ScopeAllSVMDevices)
	t.Blind(ir.Xchg, c.x, t.Int(1), memmodel.SeqCst, memmodel.ScopeAllSVMDevices)
	return t
}

// Commands and host threads of one code that each do the same have the states of as many
// work-items, not those of their orders: at most as many more as there are stages in the code.
func TestSymmetryOfCommands(t *testing.T) {
	children := func(c *launcher) {
		parent, k := c.Kernel("P"), c.adds(c.Code())
		parent.Repeat(c.n, func(randprog.Val) {
			parent.Enqueue(randprog.Enqueue{Kernel: k, Items: 1, Size: 1, NoEvent: true})
		})
		c.host.Host(parent, 1, 1)
		c.host.Finish()
	}
	ofAll := func(c *launcher) { // of several work-items, one each
		parent, k := c.Kernel("P"), c.adds(c.Code())
		parent.Enqueue(randprog.Enqueue{Kernel: k, Items: 1, Size: 1, NoEvent: true})
		c.host.Host(parent, c.n, 1)
	}
	kernels := func(c *launcher) {
		k, q := c.adds(c.Code()), c.Queue(0, true)
		c.host.Repeat(c.n, func(randprog.Val) { c.host.Launch(q, k, 1, 1) })
		c.host.FinishQueue(q)
	}
	natives := func(c *launcher) {
		k, q := c.adds(c.Code()), c.Queue(0, true)
		c.host.Repeat(c.n, func(randprog.Val) { c.host.Native(q, k) })
	}
	threads := func(c *launcher) {
		k := c.adds(c.Code())
		c.host.Repeat(c.n, func(randprog.Val) { c.host.Go(k) })
	}
	for _, f := range []struct {
		name string
		draw func(*launcher)
	}{{"children", children}, {"children of several", ofAll}, {"kernels", kernels}, {"natives", natives}, {"threads", threads}} {
		t.Run(f.name, func(t *testing.T) {
			program := func(n int64) *ir.Program {
				c := newLauncher(f.name, n)
				f.draw(c)
				return c.Program()
			}
			full := Run(context.Background(), program(2), Options{POR: por.None, All: true})
			if d := unlike(program(2), Run(context.Background(), program(2), Options{All: true}), full); d != "" {
				t.Error(d)
			}
			var states [2]int
			for i := range states {
				r := Run(context.Background(), program(4), Options{NoSymmetry: i > 0, Promises: NoPromises})
				if states[i] = r.Stats.States; !r.Complete || len(r.Violations) > 0 {
					t.Errorf("%v %v", r.Verdict, r.Incomplete)
				}
			}
			t.Logf("%d states, without symmetry %d", states[0], states[1])
			if states[0]*4 > states[1] {
				t.Errorf("%d states, without symmetry %d", states[0], states[1])
			}
		})
	}
}

// Commands that wait to be started stay where they are: their work-items will be called after
// them. Of four kernels behind another one, only the first, which is enqueued before
// anything is written, may read 0 (rule 12.1), and a schedule names it.
func TestSymmetryOfThoseThatWait(t *testing.T) {
	c := newLauncher("held up", 4)
	y := c.Var(randprog.Var{Name: "y", Kind: memmodel.FineSVMAtomics})
	k, other, q := c.Code(), c.Code(), c.Queue(0, true)
	k.Assert(k.Load(c.x, memmodel.Relaxed, memmodel.ScopeAllSVMDevices))
	other.Store(y, other.Int(1), memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
	gate := c.host.Launch(q, other, 1, 1)
	c.host.Repeat(c.n, func(i randprog.Val) {
		c.host.Launch(q, k, 1, 1, gate)
		c.host.Store(c.x, c.host.Bin(ir.Add, i, c.host.Int(1)), memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
	})
	c.host.Load(y, memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
	p := c.Program()
	r := Run(context.Background(), p, Options{KeepSchedule: true})
	if len(r.Violations) != 1 || !r.Has(state.AssertionFailed) {
		t.Fatalf("%v %v", r.Verdict, r.Violations)
	}
	if d := misreplayed(p, r, r.Violations[0]); d != "" {
		t.Error(d)
	}
}

// Commands of one code that somebody tells apart are not exchanged. Each adds 1 to x, or 11 if it finds y
// set, which the host does when it has waited for one of them: so that one finds 0, and the other
// may find 1 (rules 12.3, 12.8). If they were exchanged, the host would wait for the one that comes last,
// whichever that is.
func TestSymmetryKeepsApart(t *testing.T) {
	for _, f := range []struct {
		name string
		wait func(c *launcher, k *randprog.Thread)
	}{
		{"an event that is waited for", func(c *launcher, k *randprog.Thread) {
			q := c.Queue(0, true)
			c.host.Launch(q, k, 1, 1)
			c.host.WaitFor(c.host.Launch(q, k, 1, 1))
		}},
		{"queues", func(c *launcher, k *randprog.Thread) {
			q, other := c.Queue(0, true), c.Queue(0, true)
			c.host.Launch(q, k, 1, 1)
			c.host.Launch(other, k, 1, 1)
			c.host.FinishQueue(other)
		}},
		{"a marker behind one", func(c *launcher, k *randprog.Thread) {
			q := c.Queue(0, true)
			c.host.Launch(q, k, 1, 1)
			marker := c.host.Command(ir.OpMarker, q, nil)
			c.host.Launch(q, k, 1, 1)
			c.host.WaitFor(marker)
		}},
		{"children of two", func(c *launcher, k *randprog.Thread) {
			parent, q := c.Kernel("P"), c.Queue(0, true)
			parent.Enqueue(randprog.Enqueue{Kernel: k, Items: 1, Size: 1, NoEvent: true})
			c.host.Launch(q, parent, 1, 1)
			c.host.WaitFor(c.host.Launch(q, parent, 1, 1))
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			c := newLauncher(f.name, 2)
			y := c.Var(randprog.Var{Name: "y", Kind: memmodel.FineSVMAtomics, Hidden: true})
			k := c.Code()
			found := k.Load(y, memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
			k.Blind(ir.Add, c.x, k.Bin(ir.Add, k.Int(1), k.Bin(ir.Mul, found, k.Int(10))), memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
			f.wait(c, k)
			c.host.Store(y, c.host.Int(1), memmodel.Relaxed, memmodel.ScopeAllSVMDevices)
			p := c.Program()
			for _, mode := range por.Modes() {
				r := Run(context.Background(), p, Options{POR: mode, All: true, Promises: NoPromises})
				if d := unlike(p, r, &Result{Outcomes: []map[string]int64{{"x": 12}, {"x": 2}}}); d != "" || !r.Complete {
					t.Errorf("%s: %s %v", mode, d, r.Incomplete)
				}
			}
		})
	}
}
