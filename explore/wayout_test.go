package explore

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// graph is all that a program can do, without any reduction but the canonical
// form of states: the definition of what has no way out, to compare with.
type graph struct {
	m      *state.Machine
	canon  memmodel.Canon
	number map[string]int
	into   [][]int // by state: those that lead to it
	out    []int   // by state: how many lead on, itself not counted
	exits  []bool  // by state: it ends, goes wrong, or can be discarded
	sound  []bool  // by state: the execution up to it exists
	loops  []bool  // by state: some step leads back to it
	bound  bool    // something is beyond a bound of the memory model
}

// hangs reports whether a program can come to a state that has no way out, and
// whether that is certain: its graph is not larger than that.
func hangs(p *ir.Program, promises, limit int) (hang, known bool) {
	g := &graph{m: state.NewMachine(p, memmodel.Specs[0]), number: map[string]int{}}
	if promises > 0 {
		allow(g.m, promises)
	}
	todo := []*state.State{g.m.Initial()}
	g.add(todo[0])
	for at := 0; at < len(todo); at++ {
		if len(g.number) > limit || g.bound {
			return false, false
		}
		todo = g.expand(at, todo[at], todo)
		todo[at] = nil
	}
	if bounded, endless := g.m.Promises().Limits(); bounded || endless {
		return false, false
	}
	leaves := g.backward()
	rest := g.goOn(leaves)
	for n := range rest {
		if rest[n] && g.sound[n] {
			return true, true
		}
	}
	return false, true
}

// add numbers a state, and reports whether it is new.
func (g *graph) add(s *state.State) (n int, fresh bool) {
	g.m.Normalise(&g.canon, s)
	key := string(s.Append(nil))
	n, known := g.number[key]
	if !known {
		n = len(g.number)
		g.number[key] = n
		g.into, g.out, g.exits = append(g.into, nil), append(g.out, 0), append(g.exits, false)
		g.sound, g.loops = append(g.sound, !s.Open()), append(g.loops, false)
	}
	return n, !known
}

// expand adds all that a state leads to.
func (g *graph) expand(at int, s *state.State, todo []*state.State) []*state.State {
	if s.Violation.Kind != state.NoViolation && !s.Open() {
		g.exits[at] = true
		return todo
	}
	waits, ready := true, false
	for u := range s.Cast.Count() {
		ready = ready || s.Status(u) == state.Ready
		for _, c := range por.Moves(g.m, s, u, nil) {
			next := &state.State{}
			next.CopyFrom(s)
			g.m.Do(next, u, c)
			if next.Abandoned {
				g.bound = g.bound || next.Mem.GraphFull()
				g.exits[at] = g.exits[at] || next.AssumptionFailed && !next.Open()
				continue
			}
			n, fresh := g.add(next)
			if n == at {
				g.loops[at] = true
				waits = waits && g.m.Reading(s, u) >= 0 && g.m.Operation(s, u).Instr.Op != ir.OpStore
				continue
			}
			waits = false
			g.into[n] = append(g.into[n], at)
			g.out[at]++
			if fresh {
				todo = append(todo, next)
			}
		}
	}
	if g.sound[at] && (!ready || waits && g.loops[at]) { // the end, or a deadlock
		g.exits[at] = true
	}
	return todo
}

// backward returns the states from which some path leads to an exit.
func (g *graph) backward() []bool {
	leaves := slices.Clone(g.exits)
	var todo []int
	for n := range leaves {
		if leaves[n] {
			todo = append(todo, n)
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		for _, n := range g.into[todo[0]] {
			if !leaves[n] {
				leaves[n] = true
				todo = append(todo, n)
			}
		}
	}
	return leaves
}

// goOn returns the states without a way out from which something goes on for
// ever. From others the memory model forbids whatever is tried.
func (g *graph) goOn(leaves []bool) []bool {
	rest, out := make([]bool, len(leaves)), slices.Clone(g.out)
	var todo []int
	for n := range leaves {
		rest[n] = !leaves[n]
		if rest[n] && out[n] == 0 && !g.loops[n] {
			todo = append(todo, n)
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		rest[todo[0]] = false
		for _, n := range g.into[todo[0]] {
			if out[n]--; rest[n] && out[n] == 0 && !g.loops[n] {
				todo = append(todo, n)
			}
		}
	}
	return rest
}

// wayOutStyles are the random programs in which units may wait for ever.
var wayOutStyles = []randprog.Style{randprog.Waits, randprog.Cycles, randprog.Loops}

// wayOutStates bounds the programs that are compared.
const wayOutStates = 2000

func soughtIn(p *ir.Program, opt Options) *Result {
	opt.All, opt.MaxStates, opt.KeepSchedule = true, wayOutStates, true
	return Run(context.Background(), p, opt)
}

// misjudged says how searches of a program differ from the definition of what
// has no way out. It reports whether the program is small enough, and hangs.
func misjudged(p *ir.Program, seed int) (wrong string, hang, known bool) {
	promises := seed % 2
	first := soughtIn(p, Options{POR: por.DPOR, Promises: promises + promises - 1})
	if !first.Complete {
		return "", false, false
	}
	hang, known = hangs(p, first.Promises, wayOutStates)
	if !known {
		return "", false, false
	}
	for _, opt := range []Options{
		{POR: por.DPOR}, {POR: por.DPOR, NoSymmetry: true}, {POR: por.DPOR, Workers: 2}, {POR: por.DPOR, Exact: true}, {POR: por.Sleep}, {POR: por.None},
		{POR: por.DPOR, Keep: memmodel.KeepRegisters}, {POR: por.DPOR, Keep: memmodel.KeepSync},
	} {
		opt.Promises = promises + promises - 1
		r := soughtIn(p, opt)
		switch {
		case !r.Complete:
		case hang && r.Has(state.Deadlock): // who waits with a step beside its read is told as one or the other
		case r.Has(state.NoWayOut) != hang:
			return fmt.Sprintf("%+v: %v %v, but a state without a way out: %v", opt, r.Verdict, kinds(r), hang), hang, true
		}
		for i, v := range r.Violations {
			if v.Kind != state.NoWayOut && v.Kind != state.Deadlock {
				continue
			}
			if d := misreplayed(p, r, v); d != "" {
				return fmt.Sprintf("%+v: %s", opt, d), hang, true
			}
			if i == 0 && v.Kind == state.NoWayOut && opt.POR == por.DPOR && !opt.Exact && opt.Keep == 0 {
				opt.MaxStates, opt.Witnesses, opt.All = wayOutStates, 2, true
				if d := trimmed(p, Run(context.Background(), p, opt)); d != "" {
					return fmt.Sprintf("%+v: %s", opt, d), hang, true
				}
			}
		}
	}
	return "", hang, true
}

// trimmed says what is wrong with the schedules that are shown: from where each
// leads to there must be no way out, and from the state before there must be one.
func trimmed(p *ir.Program, short *Result) string {
	for _, v := range short.Violations {
		if v.Kind != state.NoWayOut {
			continue
		}
		m := state.NewMachine(p, memmodel.Specs[0])
		if short.Promises > 0 {
			allow(m, short.Promises)
		}
		por.Interleave(m) // as the search does
		if !leadsNowhere(m, v.Schedule) {
			return fmt.Sprintf("%v leads to a state with a way out", v.Schedule)
		}
		if n := len(v.Schedule); n > 0 && leadsNowhere(m, v.Schedule[:n-1]) {
			return fmt.Sprintf("%v is too long", v.Schedule)
		}
	}
	return ""
}

// leadsNowhere reports whether a schedule leads to a state without a way out.
func leadsNowhere(m *state.Machine, schedule []Move) bool {
	s := m.Initial()
	for _, mv := range schedule {
		m.Do(s, mv.Unit, mv.Choice)
	}
	g := &graph{m: m, number: map[string]int{}}
	todo := []*state.State{s}
	g.add(s)
	for at := 0; at < len(todo); at++ {
		todo = g.expand(at, todo[at], todo)
	}
	return !g.backward()[0] && g.goOn(make([]bool, len(g.out)))[0] && g.sound[0]
}

// TestNoWayOut compares searches of all kinds with the definition, on random programs.
func TestNoWayOut(t *testing.T) {
	some := seeds.Times(10)
	if testing.Short() {
		some = seeds.Times(2)
	}
	n := some.N()
	eachStyle(t, wayOutStyles, func(t *testing.T, style randprog.Style) {
		hung, all := 0, 0
		for seed := range some.All() {
			p := style.Program(uint64(seed))
			wrong, hang, known := misjudged(p, seed)
			if wrong != "" {
				t.Fatalf("seed %d: %s\n%s", seed, wrong, p)
			}
			if known {
				all++
			}
			if hang {
				hung++
			}
		}
		t.Logf("%d of %d programs compared, %d have no way out", all, n, hung)
		if all < n/3 || style == randprog.Waits && hung < max(1, all/20) {
			t.Errorf("only %d of %d programs were compared, and %d of them have no way out", all, n, hung)
		}
	}, nil)
}

// Who comes only to an assumption that fails is not one of those who wait: such executions do not
// count (docs/semantics.md, section 5), and so are no deadlocks. Who goes on waiting if he reads the
// newest message waits, whatever he would assume of an older one (rule 7.9).
func TestDeadlockBesideAssumption(t *testing.T) {
	for _, c := range []struct {
		name   string
		others func(b *randprog.Builder, x, y *randprog.Var)
		want   Verdict
	}{
		{"the only other one fails an assumption", func(b *randprog.Builder, _, y *randprog.Var) {
			o := b.Thread(memmodel.Place{})
			o.Assume(o.Load(y, rlx, dev))
		}, Inconclusive}, // no execution is left
		{"the other one sets the flag, or fails an assumption", func(b *randprog.Builder, x, y *randprog.Var) {
			o := b.Thread(memmodel.Place{})
			set := o.Choose(2)
			o.Load(y, rlx, dev)
			o.Assume(set)
			o.Store(x, o.Int(1), rlx, dev)
		}, Verified},
		{"of an outdated value something else is assumed", func(b *randprog.Builder, _, y *randprog.Var) {
			o := b.Thread(memmodel.Place{})
			o.Store(y, o.Int(1), rlx, dev)
			w := b.Thread(memmodel.Place{})
			w.While(func() randprog.Val {
				r := w.Load(y, rlx, dev)
				w.Assume(r)
				return w.Bin(ir.Eq, r, w.Int(1))
			}, nil)
		}, Violated},
	} {
		b := randprog.NewBuilder(c.name)
		x, y := b.Atomic("x"), b.Atomic("y")
		w := b.Thread(memmodel.Place{})
		w.While(func() randprog.Val { return w.Bin(ir.Eq, w.Load(x, rlx, dev), w.Int(0)) }, nil)
		c.others(b, x, y)
		p := b.Program()
		for _, mode := range por.Modes() {
			r := Run(context.Background(), p, Options{POR: mode, All: true})
			if r.Verdict != c.want || r.Has(state.Deadlock) != (c.want == Violated) {
				t.Errorf("%s, %s: %v %v, want %v", c.name, mode, r.Verdict, kinds(r), c.want)
			}
		}
	}
}

// TestFateIsKept checks that a frame's fate is that of before when it has been
// stored and loaded.
func TestFateIsKept(t *testing.T) {
	for _, want := range []termination{{out: true}, {round: true}, {back: true}, {cyclicAsleep: 5}} {
		f, g := frame{fate: want}, frame{}
		if g.load(f.save()); g.fate != want {
			t.Errorf("%+v, loaded %+v", want, g.fate)
		}
	}
}

// What goes round for ever once another thread's assertion has failed, as it does in every
// execution, leaves that as what is wrong: the states before lead to the failure.
func TestFailuresBesideHangs(t *testing.T) {
	b := randprog.NewBuilder("a failed check beside an endless exchange")
	x := b.Atomic("x")
	k := b.Thread(memmodel.Place{})
	k.Assert(k.Int(0))
	for range 2 {
		w := b.Thread(memmodel.Place{})
		w.While(func() randprog.Val { return w.Int(1) }, func() {
			w.RMW(ir.Xchg, x, w.Int(1), rlx, dev)
			w.RMW(ir.Xchg, x, w.Int(0), rlx, dev)
		})
	}
	p := b.Program()
	for _, mode := range por.Modes() {
		r := Run(context.Background(), p, Options{POR: mode, Promises: NoPromises})
		if len(r.Violations) != 1 || r.Violations[0].Kind != state.AssertionFailed || r.Violations[0].Unsettled {
			t.Errorf("%v: %v, %v", mode, kinds(r), r.Incomplete)
		}
	}
}

// leaves: P0 goes round and looks at x, of which it may have seen less than there is, chooses whether to leave, and if not chooses
// once more. Behind the loop it chooses twice and looks at x. P1 waits for it at a barrier, and for all that the text says may write x behind that.
func leaves() *ir.Program {
	b := randprog.NewBuilder("leaves")
	x, y := b.Atomic("x"), b.Atomic("y")
	p := b.Thread(place(0))
	p.While(func() randprog.Val { return p.Int(1) }, func() {
		peek(p, x)
		p.BreakIf(p.Choose(2))
		p.Choose(2)
	})
	p.Choose(2)
	p.Choose(2)
	p.Observe(p.Load(x, rlx, dev))
	p.Barrier("B", memmodel.GlobalFence, memmodel.ScopeWorkGroup)
	q := b.Thread(place(0))
	q.Barrier("B", memmodel.GlobalFence, memmodel.ScopeWorkGroup)
	never(q, peek(q, y), func() { q.Store(x, q.Int(2), rlx, dev) })
	w := b.Thread(place(1))
	w.Store(x, w.Int(1), rlx, dev)
	return b.Program()
}

// A cycle that can be left is one that has a way out, also in its states from which the next leads on around it only: P0 may leave in each round.
func TestNoWayOutOfAPartOfACycle(t *testing.T) {
	for _, mode := range por.Modes() {
		r := Run(context.Background(), leaves(), Options{POR: mode, Promises: NoPromises, All: true})
		if r.Verdict != Verified || len(r.Outcomes) == 0 {
			t.Errorf("%s: %v %v %v", mode, r.Verdict, kinds(r), r.Incomplete)
		}
	}
}

// Who stores in each round does not wait, though a read comes first and the state is the same after
// the round: no deadlock, but a state without a way out, and so is the very first (docs/exploration/violations.md).
func TestRoundsThatStoreAreNoWaits(t *testing.T) {
	b := randprog.NewBuilder("rounds of a read and a store")
	x, y := b.Atomic("x"), b.Atomic("y")
	k := b.Thread(memmodel.Place{})
	k.Store(x, k.Int(1), rlx, dev)
	k.While(func() randprog.Val { return k.Int(1) }, func() {
		k.Load(y, rlx, dev)
		k.Store(x, k.Int(1), rlx, dev)
	})
	p := b.Program()
	for _, mode := range por.Modes() {
		r := Run(context.Background(), p, Options{POR: mode, Promises: NoPromises, All: true})
		if !slices.Equal(kinds(r), []state.Kind{state.NoWayOut}) {
			t.Errorf("%v: %v, %v", mode, kinds(r), r.Incomplete)
			continue
		}
		if d := trimmed(p, r); d != "" {
			t.Errorf("%v: %s", mode, d)
		}
	}
}

// Who exchanges a value for another one, again and again, has who waits for that one go on: no
// round of waiting, though the unit is where it was before. One work-item puts 1 into x until it
// finds 2 there, which the other one stores as soon as it has seen the 1. So both come to their ends.
func TestExchangesThatChangeAreNoWaits(t *testing.T) {
	b := randprog.NewBuilder("an exchange is waited for")
	x := b.Atomic("x")
	puts := b.Thread(memmodel.Place{})
	puts.While(func() randprog.Val {
		return puts.Bin(ir.Ne, puts.RMW(ir.Xchg, x, puts.Int(1), rlx, dev), puts.Int(2))
	}, func() {})
	waits := b.Thread(memmodel.Place{Group: 1})
	waits.While(func() randprog.Val {
		return waits.Bin(ir.Ne, waits.Load(x, rlx, dev), waits.Int(1))
	}, func() {})
	waits.Store(x, waits.Int(2), rlx, dev)
	p := b.Program()
	for _, mode := range por.Modes() {
		r := Run(context.Background(), p, Options{POR: mode, Promises: NoPromises, All: true})
		if len(r.Violations) > 0 || !r.Complete || r.Stats.Ends == 0 {
			t.Errorf("%v: %v, %v, %d ends", mode, kinds(r), r.Incomplete, r.Stats.Ends)
		}
	}
	m := state.NewMachine(p, memmodel.Specs[0])
	reducer := por.Reducer{Machine: m}
	var canon memmodel.Canon
	s, next := m.Initial(), &state.State{}
	for _, c := range []struct {
		what  string
		waits bool
	}{{"puts 1 for 0", false}, {"puts 1 for 1", true}} {
		m.Normalise(&canon, s)
		next.CopyFrom(s)
		choices := m.Choices(s, 0, nil)
		m.Do(next, 0, choices[slices.IndexFunc(choices, func(c state.Choice) bool { return c.Back == 0 })])
		if !next.Repeats(s, 0) {
			t.Errorf("who %s is not where it was", c.what)
		}
		if reducer.Spins(s, next, 0) != c.waits {
			t.Errorf("that who %s waits is said to be %v", c.what, !c.waits)
		}
		s.CopyFrom(next)
	}
}
