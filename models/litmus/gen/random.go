package gen

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
)

// Random yields n random tests. A test depends only on the seed and on its
// place in the sequence.
func Random(seed int64, n int) iter.Seq[Test] {
	return func(yield func(Test) bool) {
		for i := range n {
			r := &random{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(i)))}
			if !yield(r.test(fmt.Sprintf("random%d-%d", seed, i))) {
				return
			}
		}
	}
}

// random makes one test.
type random struct {
	*rand.Rand
	program
	scope string // that most operations of the test have
	calm  bool   // all of them have it, and it includes all threads
	value int    // last value written, so that writes differ
}

// pick returns one of the choices.
func pick[T any](r *random, choices ...T) T { return choices[r.IntN(len(choices))] }

func (r *random) test(name string) Test {
	r.name = name
	threads := pick(r, 1, 2, 2, 2, 2, 3, 3, 4)
	placement := pick(r, placements(threads)...)
	r.tree = scopeTree(placement)
	r.scope = pick(r, keys...)
	if r.calm = r.IntN(4) > 0; r.calm {
		r.scope = pick(r, wideEnough(placement)...)
	}
	r.locations(len(placement) == threads)
	budget := 9 // bounds the number of executions
	for i := range threads {
		n := min(1+r.IntN(4), budget-(threads-i-1))
		budget -= n
		r.threads = append(r.threads, r.thread(n))
	}
	if len(placement) == threads && threads > 1 && r.IntN(4) == 0 {
		r.barrier()
	}
	return r.program.test()
}

// keys are the scopes' short names, in a fixed order.
var keys = []string{"wg", "dev", "all"}

// wideEnough returns the scopes that include all threads of a placement.
func wideEnough(placement string) []string {
	switch {
	case strings.Contains(placement, "/"):
		return keys[2:]
	case strings.Contains(placement, ","):
		return keys[1:]
	}
	return keys
}

// locations declares one to three locations, atomic for the most part, and
// one to compare with. Local ones are for threads that share a work-group.
func (r *random) locations(together bool) {
	for _, name := range []string{"x", "y", "z"}[:1+r.IntN(3)] {
		l := location{name: name, region: pick(r, "global", "global", "global_fga", "local"), atomic: r.IntN(5) > 0}
		if l.region == "local" && r.calm && !together {
			l.region = "global"
		}
		r.locs = append(r.locs, l)
	}
	e := location{name: "e", region: "global", init: r.IntN(2), quiet: true}
	r.locs = append(r.locs, e)
}

// thread makes n random statements.
func (r *random) thread(n int) threadText {
	var t threadText
	indent := 0
	for range n {
		if len(t.regs) > 0 && r.IntN(4) == 0 {
			t.line(indent, "if (%s == %d) {", pick(r, t.regs...), r.IntN(min(r.value, 3)+1))
			indent++
		}
		r.statement(&t, indent)
	}
	for ; indent > 0; indent-- {
		t.line(indent-1, "}")
	}
	return t
}

// statement makes one statement.
func (r *random) statement(t *threadText, indent int) {
	l := r.locs[r.IntN(len(r.locs)-1)]
	switch k := r.IntN(10); {
	case k == 9:
		t.line(indent, "atomic_work_item_fence(%s,%s,%s);", pick(r, flagNames["L"], flagNames["G"], flagNames["LG"]),
			order(pick(r, "acquire", "release", "acq_rel", "seq_cst")), r.anyScope())
	case k < 4 && !l.atomic:
		t.line(indent, "*%s = %s;", l.name, r.operand(t))
	case !l.atomic:
		t.line(indent, "%s = *%s;", r.register(t), l.name)
	case k < 3:
		t.line(indent, "atomic_store_explicit(%s,%s,%s,%s);", l.name, r.operand(t), order(pick(r, "relaxed", "release", "seq_cst")), r.anyScope())
	case k < 6:
		t.line(indent, "%s = atomic_load_explicit(%s,%s,%s);", r.register(t), l.name, order(pick(r, "relaxed", "acquire", "seq_cst")), r.anyScope())
	case k == 6:
		r.compareExchange(t, indent, l)
	default:
		op := pick(r, "exchange", "fetch_add", "fetch_sub", "fetch_or", "fetch_xor", "fetch_and")
		operand := r.operand(t)
		t.line(indent, "%s = atomic_%s_explicit(%s,%s,%s,%s);", r.register(t), op, l.name, operand, order(r.anyOrder()), r.anyScope())
	}
}

func (r *random) compareExchange(t *threadText, indent int, l location) {
	success := r.anyOrder()
	failure := "relaxed"
	if success == "acquire" || success == "acq_rel" || success == "seq_cst" {
		failure = pick(r, "relaxed", "acquire")
	}
	desired := r.operand(t)
	t.line(indent, "%s = atomic_compare_exchange_%s_explicit(%s,e,%s,%s,%s,%s);", r.register(t),
		pick(r, "strong", "weak"), l.name, desired, order(success), order(failure), r.anyScope())
}

func (r *random) anyOrder() string {
	return pick(r, "relaxed", "acquire", "release", "acq_rel", "seq_cst")
}

// anyScope returns the test's scope or, in a test that is not calm, now and
// then another.
func (r *random) anyScope() string {
	if r.calm || r.IntN(3) > 0 {
		return scopeNames[r.scope]
	}
	return scopeNames[pick(r, keys...)]
}

// operand returns a new value or a register's.
func (r *random) operand(t *threadText) string {
	if len(t.regs) > 0 && r.IntN(5) == 0 {
		return pick(r, t.regs...)
	}
	r.value++
	return fmt.Sprint(r.value)
}

// register returns a register that has not been assigned.
func (r *random) register(t *threadText) string {
	name := fmt.Sprintf("r%d", len(t.regs))
	t.regs = append(t.regs, name)
	return name
}

// barrier puts a barrier into every thread, between top-level statements for
// the most part.
func (r *random) barrier() {
	text := fmt.Sprintf("B0: work_group_barrier(%s,%s);", pick(r, flagNames["L"], flagNames["G"], flagNames["LG"]), scopeNames[r.scope])
	for i := range r.threads {
		t := &r.threads[i]
		at := r.IntN(len(t.lines) + 1)
		rest := append([]string{"  " + text}, t.lines[at:]...)
		t.lines = append(t.lines[:at:at], rest...)
	}
}
