package explore

import (
	"context"
	"fmt"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// TestPastAdditions has all work-items of a group add to a cell, or the like, and look at it behind a barrier. Nobody can read the cell
// before all have added, so one state is enough, however many there are; and what is read is what they come to in any order.
func TestPastAdditions(t *testing.T) {
	const n = 600 // more than there may be messages
	cell := func(first, step, result string) string {
		return fmt.Sprintf(`kernel void k(global int *out) {
			local int t;
			int i = get_local_id(0);
			if (i == 0) t = %s;
			barrier(CLK_LOCAL_MEM_FENCE);
			%s;
			barrier(CLK_LOCAL_MEM_FENCE);
			if (i == 0 || i == 299) { if (t != %s) out[8] = 1; }
		}`, first, step, result)
	}
	for _, c := range []struct {
		states int
		text   string
	}{
		{1, cell("0", "atomic_add(&t, 2)", "1200")},
		{1, cell("5", "atomic_inc(&t)", "605")},
		{1, cell("600", "atomic_dec(&t)", "0")},
		{1, cell("3", "atomic_max(&t, i)", "599")},
		{1, cell("3", "atomic_min(&t, i - 7)", "-7")},
		{1, cell("0", "atomic_or(&t, 1 << (i & 3))", "15")},
		{1, cell("31", "atomic_and(&t, ~(1 << (i & 3)))", "16")},
		{1, cell("0", "atomic_xor(&t, i & 1)", "0")}, // 300 times 1
		{1, cell("0", "atomic_add(&t, 1); atomic_add(&t, 1)", "1200")},
		{1, cell("0", "if (i & 1) atomic_inc(&t)", "300")},
		{1, `kernel void k(global int *out) {
			local int h[4];
			int i = get_local_id(0);
			if (i < 4) h[i] = 0;
			barrier(CLK_LOCAL_MEM_FENCE);
			atomic_inc(&h[i & 3]);
			barrier(CLK_LOCAL_MEM_FENCE);
			if (i < 4 && h[i] != 150) out[8] = 1;
		}`},
		{1, `kernel void k(global int *out) {
			atomic_inc(out);
			barrier(CLK_GLOBAL_MEM_FENCE);
			if (get_local_id(0) == 7 && out[0] != 600) out[8] = 1;
		}`},
		{2, `kernel void k(global int *out) {
			local int t;
			int i = get_local_id(0);
			for (int r = 0; r < 2; r++) {
				if (i == 0) t = r;
				barrier(CLK_LOCAL_MEM_FENCE);
				atomic_inc(&t);
				barrier(CLK_LOCAL_MEM_FENCE);
				if (i == r && t != 600 + r) out[8] = 1;
				barrier(CLK_LOCAL_MEM_FENCE);
			}
		}`},
	} {
		text := fmt.Sprintf("//clmc:launch k global=%d local=%d out=zero[9]\n//clmc:assert out[8] == 0\n%s\n", n, n, c.text)
		r := Run(context.Background(), must(clc.Source("k.cl", []byte(text), clc.Options{})), Options{})
		if r.Verdict != Verified || r.Stats.States > c.states {
			t.Errorf("%v, %d states, want %d; %v\n%s", r.Verdict, r.Stats.States, c.states, r.Incomplete, c.text)
		}
	}
}

// TestAdditionsThatAreSeen has them read where not all are over: too early, or behind a barrier that does not order the memory.
func TestAdditionsThatAreSeen(t *testing.T) {
	for _, c := range []struct {
		barrier string
		seen    int64 // the least that work-item 0 may read
		kind    state.Kind
	}{
		{"work_group_barrier(CLK_GLOBAL_MEM_FENCE)", 3, state.NoViolation},
		{"work_group_barrier(CLK_LOCAL_MEM_FENCE)", 1, state.AssertionFailed}, // rule 11.4: its own addition, rule 7.2
		{"", 1, state.AssertionFailed},
		{"sub_group_barrier(CLK_GLOBAL_MEM_FENCE)", 2, state.AssertionFailed}, // those of its sub-group, rule 11.5
	} {
		for least := c.seen; least <= c.seen+1 && least <= 3; least++ {
			text := fmt.Sprintf(`//clmc:launch k global=3 local=3 x=zero[1]
			__attribute__((intel_reqd_sub_group_size(2)))
			kernel void k(global atomic_int *x) {
				atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);
				%s;
				if (get_local_id(0) == 0)
					assert(atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) >= %d);
			}`, c.barrier, least)
			want := state.NoViolation
			if least > c.seen {
				want = c.kind
			}
			r := Run(context.Background(), must(clc.Source("k.cl", []byte(text), clc.Options{})), Options{})
			if !r.Complete && want == state.NoViolation || want == state.NoViolation != (len(r.Violations) == 0) || len(r.Violations) > 0 && r.Violations[0].Kind != want {
				t.Errorf("%q, %d seen: %v %v, want %v", c.barrier, least, kinds(r), r.Incomplete, want)
			}
		}
	}
}

// TestBarriersPublish has data handed on by what is written atomically behind a barrier, whose entry fence releases it (rules 6.4, 11.2): to
// another work-group through global memory, and to another sub-group through local memory where the barrier is of the sub-group. So nothing races.
func TestBarriersPublish(t *testing.T) {
	for name, p := range map[string]*ir.Program{"another work-group": handedOn(false), "another sub-group": handedOn(true)} {
		if r := explored(p, Options{All: true}); !r.Complete || len(r.Violations) > 0 {
			t.Errorf("%s: %v %v, want none", name, kinds(r), r.Incomplete)
		}
	}
}

// handedOn: P0 writes d, comes to a barrier of its own, and stores to x; P1, of another group or sub-group, reads d if it has read what was stored, behind an acquire fence.
func handedOn(sub bool) *ir.Program {
	b := randprog.NewBuilder("handed on")
	region, flags, from, to := memmodel.Global, memmodel.Flags(memmodel.GlobalFence), memmodel.Place{}, memmodel.Place{Group: 1}
	if sub {
		region, flags, to = memmodel.Local, memmodel.LocalFence, memmodel.Place{Sub: 1}
	}
	x, d := b.Var(randprog.Var{Name: "x", Region: region}), b.Var(randprog.Var{Name: "d", Region: region, Plain: true})
	p := b.Thread(from)
	p.Write(d, p.Int(1))
	if sub {
		p.SubGroupBarrier("B", flags, memmodel.ScopeWorkGroup)
	} else {
		p.Barrier("B", flags, dev)
	}
	p.Store(x, p.Int(1), rlx, dev)
	q := b.Thread(to)
	q.ExitUnless(q.Load(x, rlx, dev))
	q.Fence(flags, acq, dev)
	q.Read(d)
	return b.Program()
}
