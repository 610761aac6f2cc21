package explore

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// With and without symmetry, and without any reduction, a search finds the
// same outcomes and the same kinds of violation, and says of each how it comes
// about, in units that a machine without symmetry knows.
func TestSymmetryAgrees(t *testing.T) {
	some := seeds.AtLeast(30)
	eachStyle(t, symmetricStyles(t), func(t *testing.T, style randprog.Style) {
		compared, smaller := 0, 0
		for seed := range some.All() {
			p := draw(style, seed)
			bounds := []int{NoPromises}
			if loadbuffering.Matters(state.NewMachine(p.Program, p.spec)) {
				bounds = append(bounds, DefaultPromises)
			}
			for _, promises := range bounds {
				d, less := symmetryDifference(p, promises)
				if d == tooLarge {
					continue
				}
				compared++
				if less {
					smaller++
				}
				if d != "" && style == randprog.Crowds { // a loop that does not end any more may enqueue without end
					t.Fatalf("%s %d, spec %s, promises %d: %s", style, seed, p.spec.Name, promises, d)
				}
				if d != "" {
					small := shrunk(p.Program, func(q *ir.Program) bool {
						d, _ := symmetryDifference(as(q, p.spec), promises)
						return d != "" && d != tooLarge
					})
					d, _ := symmetryDifference(as(small, p.spec), promises)
					t.Fatalf("%s %d, spec %s, promises %d: %s\n%s", style, seed, p.spec.Name, promises, d, randprog.Format(small))
				}
			}
		}
		t.Logf("%s: %d programs, %d comparisons; %d with fewer states", style, some.N(), compared, smaller)
		if compared*3 < some.N() || smaller*3 < compared {
			t.Errorf("%s: of %d programs, %d were searched to the end, and %d of these had fewer states with symmetry", style, some.N(), compared, smaller)
		}
	}, nil)
}

// symmetricStyles returns the styles of programs with units that are alike, of those asked for.
func symmetricStyles(t *testing.T) (list []randprog.Style) {
	for _, s := range []randprog.Style{randprog.Symmetric, randprog.Crowds} {
		if *styles == "" || strings.Contains(*styles, string(s)) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		t.Skip("not asked for")
	}
	return list
}

const tooLarge = "too large"

// symmetryDifference returns what symmetry changes, "" if nothing, and whether it
// saves states.
func symmetryDifference(p *drawn, promises int) (difference string, smaller bool) {
	opt := Options{POR: por.None, MaxStates: 4000, Promises: promises}
	full := p.search(opt)
	if !full.Complete {
		return tooLarge, false
	}
	for _, mode := range []por.Mode{por.DPOR, por.Sleep} {
		opt.POR = mode
		var states [2]int
		for i, without := range []bool{false, true} {
			opt.NoSymmetry = without
			r := p.search(opt)
			states[i] = r.Stats.States
			if d := unlike(p.Program, r.Result, full.Result); d != "" {
				return fmt.Sprintf("%s, symmetry %v: %s", mode, !without, d), false
			}
		}
		smaller = smaller || states[0] < states[1]
	}
	opt.NoCache = true // as if it were opt.NoSymmetry
	opt.NoSymmetry = false
	for _, opt.POR = range []por.Mode{por.DPOR, por.Sleep} {
		r := p.search(opt)
		if !r.Complete {
			continue // it may go round for ever
		}
		if d := unlike(p.Program, r.Result, full.Result); d != "" {
			return fmt.Sprintf("%s, nothing remembered: %s", opt.POR, d), false
		}
	}
	return "", smaller
}

// unlike says what a search shows other than the one without reduction, or
// cannot show again.
func unlike(p *ir.Program, r, full *Result) string {
	if d := disagreement(r, full); d != "" {
		return d
	}
	for _, v := range r.Violations {
		if d := misreplayed(p, r, v); d != "" {
			return d
		}
	}
	return ""
}

// misreplayed says what a schedule shows other than the violation that it was
// found with.
func misreplayed(p *ir.Program, r *Result, v Violation) string {
	m := state.NewMachine(p, r.Spec)
	if r.Promises > 0 {
		allow(m, r.Promises)
	}
	s := m.Initial()
	for i, mv := range v.Schedule {
		if !slices.Contains(por.Moves(m, s, mv.Unit, nil), mv.Choice) {
			return fmt.Sprintf("%v: move %d of %v is not possible", v.Kind, i, v.Schedule)
		}
		m.Do(s, mv.Unit, mv.Choice)
	}
	switch w := s.Violation; {
	case (v.Kind == state.Deadlock || v.Kind == state.NoWayOut) && w.Kind == state.NoViolation:
		if s.Status(v.Unit) == state.Ended {
			return "deadlock of a unit that has ended"
		}
		if u := leftOut(m, s); v.Kind == state.Deadlock && u >= 0 {
			return fmt.Sprintf("deadlock beside unit %d, which does not wait", u)
		}
	case w.Kind != v.Kind:
		return fmt.Sprintf("%v replays to %v", v.Kind, w.Kind)
	case w.Unit != v.Unit || w.PC != v.PC || w.Waiting != v.Waiting || w.Missing != v.Missing ||
		w.Fault.Loc != v.Fault.Loc || w.Fault.Unit != v.Fault.Unit: // of several races, one is told
		return fmt.Sprintf("%+v replays to %+v", v.Violation, w)
	}
	return ""
}

// leftOut returns a unit that can take steps, all of which are abandoned, or -1.
func leftOut(m *state.Machine, s *state.State) memmodel.Unit {
	for u := range s.Cast.Count() {
		stays := func(c state.Choice) bool {
			next := &state.State{}
			next.CopyFrom(s)
			m.Do(next, u, c)
			return !next.Abandoned
		}
		if s.Status(u) == state.Ready && !slices.ContainsFunc(por.Moves(m, s, u, nil), stays) {
			return u
		}
	}
	return -1
}

// takingTurns: of two work-items, one looks at x while the other waits at a
// barrier; then they change roles, for ever.
func takingTurns() *ir.Program {
	b := randprog.NewBuilder("taking-turns")
	x, first := b.Atomic("x"), b.Atomic("first")
	k := b.Code()
	role := k.Bin(ir.Eq, k.RMW(ir.Add, first, k.Int(1), rlx, dev), k.Int(0))
	k.While(func() randprog.Val { return k.Int(1) }, func() {
		k.If(role, func() { k.LoadInto(k.Reg(), k.Addr(x, 0), rlx, dev) }, nil)
		k.Barrier("B", memmodel.GlobalFence, memmodel.ScopeWorkGroup)
		k.Set(role, k.Bin(ir.Eq, role, k.Int(0)))
	})
	b.Run(k, place(0))
	b.Run(k, place(0))
	return b.Program()
}

// A step that leads to an image of the state that it comes from is not a wait:
// that is no deadlock, but as both loops have no end there is no way out.
func TestSymmetryIsNoWait(t *testing.T) {
	for _, mode := range por.Modes() {
		r := Run(context.Background(), takingTurns(), Options{POR: mode, All: true, KeepSchedule: true})
		if len(r.Violations) != 1 || !r.Has(state.NoWayOut) {
			t.Errorf("reduction %s: %v, %v", mode, r.Verdict, r.Violations)
		}
	}
}

// rolesByID: of four work-items, the first two write x, and the others add what they
// read of it to a sum. The writers may go on to write their ids, or to write if their
// ids are not what they were.
func rolesByID(writes, remembers bool) *ir.Program {
	b := randprog.NewBuilder("roles-by-id")
	x, sum := b.Atomic("x"), b.Atomic("sum")
	k := b.Code()
	id := k.Query(ir.QueryGlobalID)
	k.If(k.Bin(ir.Lt, id, k.Int(2)), func() {
		k.Blind(ir.Xchg, x, k.Int(1), rlx, dev)
		k.Blind(ir.Xchg, x, k.Int(1), rlx, dev)
		if writes {
			k.Store(x, k.Bin(ir.Add, id, k.Int(2)), rlx, dev)
		}
		if remembers {
			again := k.Query(ir.QueryGlobalID)
			k.If(k.Bin(ir.Ne, id, again), func() { k.Store(x, k.Int(9), rlx, dev) }, nil)
		}
	}, func() {
		k.RMW(ir.Add, sum, k.Load(x, rlx, dev), rlx, dev)
	})
	for i := range 4 {
		b.Run(k, place(i))
	}
	return b.Program()
}

// Work-items whose ids decide which role they have, and nothing else, can be
// exchanged with those of the same role only.
func TestSymmetryOfRoles(t *testing.T) {
	for i, p := range []*ir.Program{rolesByID(false, false), rolesByID(true, false), rolesByID(false, true)} {
		full := Run(context.Background(), p, Options{POR: por.None, All: true})
		var states [2]int
		for j, without := range []bool{false, true} {
			r := Run(context.Background(), p, Options{NoSymmetry: without, All: true})
			if d := unlike(p, r, full); d != "" {
				t.Errorf("program %d, without symmetry %v: %s", i, without, d)
			}
			states[j] = r.Stats.States
		}
		if i == 0 && states[0] >= states[1] {
			t.Errorf("%d states with symmetry, %d without", states[0], states[1])
		}
	}
}

// Executions that differ in which of several units that are alike does what
// lead to states of the same form; giving units other names once more changes
// nothing; and what can happen next is the same but for the names.
func TestSymmetryForm(t *testing.T) {
	if !slices.Contains(symmetricStyles(t), randprog.Symmetric) {
		t.Skip("not asked for")
	}
	compared, apart, again := 0, 0, 0
	for seed := range seeds.All() {
		p := randprog.Symmetric.Program(uint64(seed))
		m := state.NewMachine(p, memmodel.Specs[seed%len(memmodel.Specs)])
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		s, image := m.Initial(), m.Initial()
		var names []memmodel.Unit
		for step := 0; step < 60; step++ {
			if len(names) != len(s.Cast.Units) {
				if len(names) > 0 && s.Mem.Quiet() && step > 0 && len(names) > len(s.Cast.Units) {
					break // the kernel is over
				}
				names = exchangeNames(p, s.Cast, rng)
			}
			form, unsettled := sorted(t, m, s)
			other, also := sorted(t, m, image)
			if compared++; unsettled || also {
				again++
			}
			if !bytes.Equal(form, other) {
				apart++
			}
			moves := allMoves(m, s)
			if len(moves) == 0 || s.Violation.Kind != state.NoViolation || s.Abandoned {
				break
			}
			mv := moves[rng.IntN(len(moves))]
			if !slices.Contains(m.Choices(image, names[mv.Unit], nil), mv.Choice) {
				t.Fatalf("seed %d, step %d: %v cannot be exchanged in %v", seed, step, mv, names)
			}
			m.Do(s, mv.Unit, mv.Choice)
			m.Do(image, names[mv.Unit], mv.Choice)
		}
	}
	t.Logf("%d of %d states differ from their image", apart, compared)
	if apart*50 > compared {
		t.Errorf("%d of %d states differ from their image", apart, compared)
	}
	if again*500 > compared {
		t.Errorf("of %d of %d states the form in other names is not settled", again, compared)
	}
}

// Commands and host threads that are given each other's names can go on as before, under those.
func TestSymmetryFormOfCommands(t *testing.T) {
	if !slices.Contains(symmetricStyles(t), randprog.Crowds) {
		t.Skip("not asked for")
	}
	renamed := 0
	for seed := range seeds.All() {
		m := state.NewMachine(randprog.Crowds.Program(uint64(seed)), memmodel.Specs[seed%len(memmodel.Specs)])
		rng := rand.New(rand.NewPCG(uint64(seed), 4))
		var o state.Sorter
		var c memmodel.Canon
		for s, step := m.Initial(), 0; step < 60; step++ {
			sorted(t, m, s)
			if m.Normalise(&c, s); o.Sort(m, &c, s) {
				renamed++
			}
			moves := allMoves(m, s)
			if len(moves) == 0 || s.Violation.Kind != state.NoViolation || s.Abandoned {
				break
			}
			mv := moves[rng.IntN(len(moves))]
			m.Do(s, mv.Unit, mv.Choice)
		}
	}
	if t.Logf("%d states were given other names", renamed); renamed < seeds.N() {
		t.Errorf("%d states of %d programs were given other names", renamed, seeds.N())
	}
}

// exchangeNames draws other names for the units of a cast, such that those that
// share a work-group or sub-group still do and nothing that their code asks
// changes.
func exchangeNames(p *ir.Program, c *state.Cast, rng *rand.Rand) []memmodel.Unit {
	names := make([]memmodel.Unit, len(c.Units))
	var items []memmodel.Unit
	for u := range memmodel.Unit(len(names)) {
		names[u] = u
		if c.Units[u].Group >= 0 {
			items = append(items, u)
		}
	}
	for range 50 {
		try := slices.Clone(names)
		for i, j := range rng.Perm(len(items)) {
			try[items[i]] = items[j]
		}
		if automorphism(p, c, try) {
			return try
		}
	}
	return names
}

func automorphism(p *ir.Program, c *state.Cast, names []memmodel.Unit) bool {
	for u, v := range names {
		a, b := &c.Units[u], &c.Units[v]
		if a.Func != b.Func || memmodel.Unit(u) != v && (a.Func < 0 || a.Place.Host || asks(p.Funcs[a.Func])) {
			return false
		}
		for w, x := range names {
			q, r := c.Units[w].Place, c.Units[x].Place
			if a.Place.SameGroup(q) != b.Place.SameGroup(r) ||
				a.Place.SameGroup(q) && (a.Place.Sub == q.Sub) != (b.Place.Sub == r.Sub) {
				return false
			}
		}
	}
	return true
}

func asks(f *ir.Func) bool {
	return slices.ContainsFunc(f.Code, func(in ir.Instr) bool {
		return in.Op == ir.OpQuery || in.Op == ir.OpObserve || in.Op > ir.OpChoose
	})
}

// sorted returns the form of s under symmetry, sees that it is one, and says whether the canonical form drops more in it once more: that costs states,
// and must be seldom.
func sorted(t *testing.T, m *state.Machine, s *state.State) (form []byte, unsettled bool) {
	var c memmodel.Canon
	var o state.Sorter
	n := &state.State{}
	n.CopyFrom(s)
	m.Normalise(&c, n)
	before := allMoves(m, n)
	plain := n.Append(nil)
	m.Normalise(&c, n)
	exact := bytes.Equal(plain, n.Append(nil)) // seldom, once more drops more
	if o.Sort(m, &c, n) {
		var after []Move
		for _, mv := range allMoves(m, n) {
			after = append(after, Move{memmodel.Unit(o.Units[mv.Unit]), mv.Choice})
		}
		slices.SortStableFunc(after, func(a, b Move) int { return int(a.Unit - b.Unit) })
		if !slices.Equal(before, after) {
			t.Fatalf("%v became %v", before, after)
		}
	}
	form = n.Append(nil)
	if o.Sort(m, &c, n) && exact {
		t.Fatal("a state has two forms")
	}
	m.Normalise(&c, n)
	if exact = exact && !bytes.Equal(form, n.Append(nil)); exact {
		t.Log("in other names, once more drops more")
	}
	return form, exact
}

// assumes: of two work-items of one code the first to count writes d and goes on with its release of that. The other one would break the release
// sequence if it found y to be 5, which it is not. So a third one that reads 2 comes behind the write of d (rules 5.4 and 6.1). It may have assumed
// that the sequence breaks; then the other one comes further than the first, which gives both another name. A fourth one keeps them from being run at once.
func assumes() *ir.Program {
	b := randprog.NewBuilder("assumes")
	x, y, z, count, q, d := b.Atomic("x"), b.Atomic("y"), b.Atomic("z"), b.Atomic("count"), b.Atomic("q"), b.Plain("d")
	k := b.Code()
	role := k.Reg()
	k.RMWInto(role, ir.Add, count, k.Int(1), rlx, dev)
	k.If(k.Bin(ir.Eq, role, k.Int(0)), func() {
		k.Write(d, k.Int(1))
		k.Store(x, k.Int(1), rel, dev)
		k.Store(x, k.Int(2), rlx, dev)
		never(k, peek(k, z), func() { k.Store(q, k.Int(1), rlx, dev) })
	}, func() {
		never(k, peek(k, y), func() { k.Store(x, k.Int(3), rlx, dev) })
		never(k, peek(k, z), func() { k.Store(q, k.Int(1), rlx, dev) })
	})
	b.Run(k, place(0))
	b.Run(k, place(1))
	r := b.Thread(place(2))
	r.ExitUnless(r.Bin(ir.Eq, r.Load(x, acq, dev), r.Int(2)))
	r.Read(d)
	v := b.Thread(place(3))
	never(v, peek(v, q), func() {
		for _, at := range []*randprog.Var{count, y, z} {
			v.Store(at, v.Int(1), rlx, dev)
		}
	})
	return b.Program()
}

// What is assumed of a unit's release sequence is assumed of that unit under its other name, too.
func TestSymmetryOfAssumptions(t *testing.T) {
	for _, mode := range por.Modes() {
		if r := explored(assumes(), Options{POR: mode, Promises: NoPromises}); r.Verdict != Verified || len(r.Outcomes) == 0 {
			t.Errorf("%s: %v %v %v", mode, r.Verdict, kinds(r), r.Incomplete)
		}
	}
}

// Which of several units that can be exchanged has its turn first is no matter of chance,
// and of the orders that there are it is a good one: who has come further goes on, and
// who has come least far stores first where a store has several places.
func TestSymmetryFurthestFirst(t *testing.T) {
	for _, c := range []struct {
		p    *ir.Program
		most int // of which half as many again are too many
	}{{ticketRounds(5), 531}, {writersOfTwo(5), 210}} {
		r := Run(context.Background(), c.p, Options{Promises: NoPromises, MaxStates: 20_000})
		if !r.Complete || len(r.Violations) > 0 {
			t.Fatalf("%s: %v, violations %v", c.p.Name, r.Incomplete, r.Violations)
		}
		t.Logf("%s: %d states", c.p.Name, r.Stats.States)
		if r.Stats.States > c.most*5/4 {
			t.Errorf("%s: %d states", c.p.Name, r.Stats.States)
		}
	}
}

// ticketRounds returns n units that each take a ticket lock twice.
func ticketRounds(n int) *ir.Program {
	b := randprog.NewBuilder("ticket-rounds")
	next, serving, sum := b.Atomic("next"), b.Atomic("serving"), b.Plain("sum")
	t := b.Code()
	for range 2 {
		mine, now := t.Reg(), t.Reg()
		t.Set(mine, t.RMW(ir.Add, next, t.Int(1), rlx, dev))
		t.Set(now, t.Int(-1))
		t.While(func() randprog.Val { return t.Bin(ir.Ne, now, mine) }, func() { t.Set(now, t.Load(serving, acq, dev)) })
		t.Write(sum, t.Bin(ir.Add, t.Read(sum), t.Int(1)))
		t.Store(serving, t.Bin(ir.Add, mine, t.Int(1)), rel, dev)
	}
	for i := range n {
		b.Run(t, place(i))
	}
	return b.Program()
}

// writersOfTwo returns n units that write two locations, and one that reads them in the
// other order.
func writersOfTwo(n int) *ir.Program {
	b := randprog.NewBuilder("writers-of-two")
	x, y := b.Atomic("x"), b.Atomic("y")
	t := b.Code()
	t.Store(x, t.Int(1), rlx, dev)
	t.Store(y, t.Int(1), rel, dev)
	for i := range n {
		b.Run(t, place(i))
	}
	r := b.Thread(place(n))
	r.Load(y, acq, dev)
	r.Load(x, rlx, dev)
	return b.Program()
}
