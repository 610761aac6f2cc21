package explore

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// TestAlone tests that what a unit can do alone depends on no more than by what it is remembered:
// along random executions, what is remembered, maybe of another state, is what is found anew, by following all loads.
func TestAlone(t *testing.T) {
	styles := []randprog.Style{randprog.Heard, randprog.LB, randprog.Help, randprog.CAS, randprog.RS, randprog.MP, randprog.Fences, randprog.Mix, randprog.Resets,
		randprog.Chained, randprog.Carried, randprog.Values, randprog.Guarded, randprog.Locks, randprog.SCF, randprog.SC, randprog.Tallies, randprog.Uninit}
	for _, style := range styles {
		t.Run(string(style), func(t *testing.T) {
			asked := 0
			for seed := range seeds.All() {
				p := style.Program(uint64(seed))
				m, anew := promising(p, seed, true), promising(p, seed, false)
				rng := rand.New(rand.NewPCG(uint64(seed), 2))
				walks := 6
				if style == randprog.Heard { // short ones
					walks = 60
				}
				for range walks {
					if asked += aloneAlong(t, m, anew, rng); t.Failed() {
						t.Fatalf("seed %d: in\n%s", seed, randprog.Format(p))
					}
				}
			}
			t.Logf("%d states of units", asked)
			if asked < seeds.N()/8 {
				t.Errorf("only %d states of units were asked about", asked)
			}
		})
	}
}

// promising returns a machine on which units promise whatever may be promised, whether that matters or not. Unless it
// is to know which loads and registers make a difference, it takes all for such that do.
func promising(p *ir.Program, seed int, knows bool) *state.Machine {
	m := state.NewMachine(p, memmodel.Specs[seed%len(memmodel.Specs)])
	var where state.Promisable
	for _, f := range p.Funcs {
		reads, writes := make([]bool, len(f.Code)), make([]bool, len(f.Code))
		for pc := range f.Code {
			in := &f.Code[pc]
			atomic := in.Op.Access() && in.Order != memmodel.NonAtomic
			reads[pc] = atomic && in.Op != ir.OpStore
			writes[pc] = atomic && in.Op != ir.OpLoad && !(in.Order == memmodel.SeqCst && m.Spec.SCBoth)
		}
		where.Reads, where.Writes, where.Readers = append(where.Reads, reads), append(where.Writes, writes), append(where.Readers, slices.Clone(reads))
	}
	if loadbuffering.FindDependencies(m, &where); !knows {
		where = ignorant(p, where)
		where.Doubts = true
	}
	m.Promises().Allow(manyPromises, where)
	return m
}

// ignorant has all loads and registers make a difference, but for what is to be told of who reads promises.
func ignorant(p *ir.Program, where state.Promisable) state.Promisable {
	for fn, f := range p.Funcs {
		for pc, heeds := range where.ValueMatters[fn] {
			where.Readers[fn][pc] = where.Readers[fn][pc] && heeds
		}
		all := make(facts.Set, (f.Regs+63)/64)
		for r := range f.Regs {
			all.Add(r)
		}
		where.ValueMatters[fn] = slices.Repeat([]bool{true}, len(f.Code))
		where.Decides[fn] = slices.Repeat([]facts.Set{all}, len(f.Code))
	}
	return where
}

// aloneAlong goes along a random execution and compares what two machines say of each unit, of
// which one forgets. It returns how often.
func aloneAlong(t *testing.T, m, anew *state.Machine, rng *rand.Rand) (asked int) {
	s, normal := m.Initial(), rng.IntN(2) == 0
	var canon memmodel.Canon
	var fresh state.State // in which nothing is known
	for range 40 {
		fresh.CopyFrom(s)
		var units []memmodel.Unit
		for u := range s.Cast.Count() {
			if len(m.Choices(s, u, nil)) > 0 {
				units = append(units, u)
			}
			if !m.Promises().May(s, u) {
				continue
			}
			asked++
			anew.Promises().Remember(0)
			if a, b := m.Promises().Alone(s, u), anew.Promises().Alone(&fresh, u); !reflect.DeepEqual(a, b) {
				t.Errorf("unit %d alone: remembered %+v, found %+v", u, a, b)
				return asked
			}
			a := m.Promises().Offers(s, u, -1, nil)
			anew.Promises().Remember(0)
			b := anew.Promises().Offers(&fresh, u, -1, nil)
			if _, endless := anew.Promises().Limits(); endless { // where less is followed, more may be found
				return asked
			}
			if !reflect.DeepEqual(a, b) {
				t.Errorf("unit %d: remembered that it may promise %v, found %v", u, a, b)
				return asked
			}
		}
		if len(units) == 0 {
			return asked
		}
		u := units[rng.IntN(len(units))]
		moves := por.Moves(m, s, u, nil)
		if m.Do(s, u, moves[rng.IntN(len(moves))]); s.Abandoned {
			return asked
		}
		if normal {
			m.Normalise(&canon, s)
		}
	}
	return asked
}

// A work-item that has come round a loop stores what is there already. Alone, it can modify x after
// it has written it, but in the next round only, which is like this one in all but that.
func TestAloneAgain(t *testing.T) {
	b := randprog.NewBuilder("again")
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	item := b.Thread(memmodel.Place{})
	flag, look := item.Reg(), item.Reg()
	item.Store(x, item.Int(2), rlx, dev)
	item.While(func() randprog.Val {
		item.LoadInto(flag, item.Addr(y, 0), rlx, dev)
		return item.Bin(ir.Eq, flag, item.Int(0))
	}, func() {
		item.LoadInto(look, item.Addr(z, 0), rlx, dev)
		item.If(item.Bin(ir.Eq, look, item.Int(0)), func() { item.Blind(ir.Add, x, item.Int(1), rlx, dev) }, nil)
		item.Store(x, item.Int(2), rlx, dev)
	})
	m := promising(b.Program(), 0, true)
	s := m.Initial()
	for range 5 { // the store, and a round
		m.Do(s, 0, m.Choices(s, 0, nil)[0])
	}
	if again := m.Promises().Alone(s, 0).Again; !slices.Equal(again, []memmodel.Loc{0}) {
		t.Errorf("after it has written them, it modifies locations %v, want x alone, number 0", again)
	}
}

// Along many executions of a few programs, each with one thing that decides what a unit can do alone and
// that random programs seldom have: what another reader relies on, what a message older than the
// one seen last publishes by way of newer ones, how much a message tells and to whom, and data.
func TestAloneByHand(t *testing.T) {
	tries := thorough.Of(1000, 4000)
	t.Parallel()
	for _, p := range []*ir.Program{reliedOn(), carriedOn(), toldMore(), toldInGroup(), noted()} {
		m, anew := promising(p, 0, true), promising(p, 0, false)
		rng, asked := rand.New(rand.NewPCG(1, 2)), 0
		for range tries {
			if asked += aloneAlong(t, m, anew, rng); t.Failed() {
				t.Fatal(randprog.Format(p))
			}
		}
		if asked < tries {
			t.Errorf("asked %d times only", asked)
		}
	}
}

// reliedOn returns a program in which a reader has learnt of x by y = 2, or has not, so that item, which has seen y = 1, may not
// or may write between the two stores that the reader has read from (rule 5.4), and read y = 2 after that.
func reliedOn() *ir.Program {
	b := randprog.NewBuilder("relied on")
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	item := b.Thread(memmodel.Place{})
	item.Glance(y, rlx, dev)
	item.Glance(z, rlx, dev)
	item.Store(y, item.Int(7), rlx, dev)
	item.If(item.Bin(ir.Eq, item.Load(y, rlx, dev), item.Int(2)), func() { item.Store(z, item.Int(5), rlx, dev) }, nil)
	writer := b.Thread(memmodel.Place{Group: 1})
	writer.Store(x, writer.Int(1), rlx, dev)
	writer.Store(y, writer.Int(1), rel, dev)
	writer.Store(y, writer.Int(2), rlx, dev)
	reader := b.Thread(memmodel.Place{Group: 2})
	reader.Load(y, acq, dev)
	reader.Load(x, rlx, dev)
	answering(b, z, y)
	return b.Program()
}

// carriedOn returns a program in which whoever acquires y = 3 learns of x what the writer of y = 1 knew of it, by what it has
// read (rule 5.4).
func carriedOn() *ir.Program {
	b := randprog.NewBuilder("carried on")
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	item := b.Thread(memmodel.Place{})
	item.Glance(y, rlx, dev)
	item.Glance(y, acq, dev)
	s := item.Load(x, rlx, dev)
	item.If(item.Bin(ir.Eq, s, item.Int(0)), func() { item.Store(z, item.Int(1), rlx, dev) }, func() { item.Store(z, item.Int(2), rlx, dev) })
	writer := b.Thread(memmodel.Place{Group: 1})
	writer.Glance(x, rlx, dev)
	writer.Store(y, writer.Int(1), rel, dev)
	adder := b.Thread(memmodel.Place{Group: 2})
	adder.Blind(ir.Add, y, adder.Int(1), rlx, dev)
	adder.Blind(ir.Add, y, adder.Int(1), rlx, dev)
	t := b.Thread(memmodel.Place{Group: 3})
	t.Store(x, t.Int(1), rlx, dev)
	answering(b, z, x)
	return b.Program()
}

// toldMore returns a program in which whoever acquires y = 1 may still read x = 1, or x = 2 only, as the writer of y had seen the
// one or the other (rules 7.2, 7.4).
func toldMore() *ir.Program {
	b := randprog.NewBuilder("told more")
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	item := b.Thread(memmodel.Place{})
	item.If(item.Load(y, acq, dev), func() {
		item.If(item.Bin(ir.Eq, item.Load(x, rlx, dev), item.Int(1)), func() { item.Store(z, item.Int(1), rlx, dev) }, nil)
	}, nil)
	writer := b.Thread(memmodel.Place{Group: 1})
	writer.Glance(x, rlx, dev)
	writer.Store(y, writer.Int(1), rel, dev)
	t := b.Thread(memmodel.Place{Group: 2})
	t.Store(x, t.Int(1), rlx, dev)
	t.Store(x, t.Int(2), rlx, dev)
	answering(b, z, x)
	return b.Program()
}

// toldInGroup returns a program in which y = 1 is released to all of the device, or to the writer's own work-group alone, in which
// nobody reads it (rules 3.4, 6.1).
func toldInGroup() *ir.Program {
	b := randprog.NewBuilder("told in a group")
	x, y, z := b.Atomic("x"), b.Atomic("y"), b.Atomic("z")
	item := b.Thread(memmodel.Place{})
	item.If(item.Load(y, acq, dev), func() {
		item.If(item.Bin(ir.Eq, item.Load(x, rlx, dev), item.Int(0)), func() { item.Store(z, item.Int(1), rlx, dev) }, nil)
	}, nil)
	writer := b.Thread(memmodel.Place{Group: 1})
	writer.Store(x, writer.Int(1), rlx, dev)
	writer.If(writer.Choose(2), func() { writer.Store(y, writer.Int(1), rel, dev) }, func() { writer.Store(y, writer.Int(1), rel, memmodel.ScopeWorkGroup) })
	answering(b, z, x)
	return b.Program()
}

// noted returns a program in which a work-item writes 1 or 2 into data of its own, as it chooses, and does later what it finds there.
func noted() *ir.Program {
	b := randprog.NewBuilder("noted")
	x, d, z := b.Atomic("x"), b.Plain("d"), b.Atomic("z")
	item := b.Thread(memmodel.Place{})
	item.Write(d, item.Bin(ir.Add, item.Choose(2), item.Int(1)))
	item.Glance(x, rlx, dev)
	item.If(item.Bin(ir.Eq, item.Read(d), item.Int(1)), func() { item.Store(z, item.Int(1), rlx, dev) }, func() { item.Store(z, item.Int(2), rlx, dev) })
	answering(b, z, x)
	return b.Program()
}

// answering adds a unit that may read z and then write v: it alone makes a promise of z matter.
func answering(b *randprog.Builder, z, v *randprog.Var) {
	t := b.Thread(memmodel.Place{Group: 4})
	t.Load(z, rlx, dev)
	t.Store(v, t.Int(9), rlx, dev)
}
