package shipped

import (
	"strings"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por/loadbuffering"
	"github.com/clmc/clmc/state"
)

// checkMatter checks whether promises can make a difference to a model.
func checkMatter(t *testing.T, text string, want bool) {
	t.Helper()
	p, err := load.Source("model.go", []byte(text), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if matter := loadbuffering.Matters(state.NewMachine(p, memmodel.Specs[0])); matter != want {
		t.Errorf("promises matter: %v\n%s", matter, p)
	}
}

// A compare-exchange that is merely tried again until it succeeds reads what it
// expects, for all that matters. What work-item 1 writes is not that.
func TestPromisesMatterToRetries(t *testing.T) {
	const head = `package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func try() bool {
	expected := int32(0)
	return cl.AtomicCompareExchangeStrongExplicit(&x, &expected, 2, cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func kernel() {
	if cl.GetGlobalID(0) == 1 {
		if cl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1 {
			cl.AtomicStoreExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
		return
	}
	tries := int32(0)
`
	const tail = `
	cl.AtomicStoreExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	cl.Observe("tries", tries)
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(2, 1))
	cl.Finish()
}
`
	for _, c := range []struct {
		name, loop string
		matter     bool
	}{
		{"retried", "for !try() {\n}", false},
		{"counted", "for !try() {\ntries++\n}", true},
		{"counted first", "for {\ntries++\nif try() {\nbreak\n}\n}", true},
		{"given up", "for tries < 2 && !try() {\ntries++\n}", true},
		{"once", "if !try() {\ntries = 1\n}", true},
		// Nobody writes 0 once more, so that who has failed fails for ever.
		{"something else first", "for !try() {\ncl.AtomicLoadExplicit(&y, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)\n}", false},
		{"entered otherwise", "tries = 1\nfor {\nif try() {\nbreak\n}\ntries = 0\n}", true},
	} {
		t.Run(c.name, func(t *testing.T) { checkMatter(t, head+c.loop+tail, c.matter) })
	}
}

// What values there are tells more than the code. Each verdict follows from the text:
// "matters" where what is read first can have come, by way of the others, from what is
// written after.
func TestPromisesMatterToValues(t *testing.T) {
	const head = `package main

import "github.com/clmc/clmc/models/cl"

const n = 5

var (
	w, x, y, z cl.AtomicInt
	slot       [8]cl.AtomicInt
	data       int32
)

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(n, 1))
	cl.Finish()
}

func load(p *cl.AtomicInt) int32 {
	return cl.AtomicLoadExplicit(p, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func store(p *cl.AtomicInt, v int32) {
	cl.AtomicStoreExplicit(p, v, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func release(p *cl.AtomicInt, v int32) {
	cl.AtomicStoreExplicit(p, v, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func exchange(p *cl.AtomicInt, v int32) int32 {
	return cl.AtomicExchangeExplicit(p, v, cl.MemoryOrderAcquire, cl.MemoryScopeDevice)
}

func cas(p *cl.AtomicInt, from, to int32) bool {
	return cl.AtomicCompareExchangeStrongExplicit(p, &from, to, cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func kernel() {
	i, none := int32(cl.GetGlobalID(0)), int32(0)
	cl.Assert(i >= none, "is a number")
`
	for _, c := range []struct {
		name, body string
		matter     bool
	}{
		{"a ring of slots", "load(&slot[i])\nstore(&slot[(i+1)%n], 1)", true},
		{"a chain of slots", "load(&slot[i])\nstore(&slot[i+1], 1)", false},
		{"slots in the same order", "for s := range 4 {\ncas(&slot[s], 0, i+1)\n}", false},
		{"slots in different orders", "for s := range 4 {\nif i == 0 {\ns = 3 - s\n}\ncas(&slot[s], 0, i+1)\n}", true},
		{"values that are not written", "if i == 0 {\nif load(&x) == 1 {\nstore(&y, 1)\n}\nreturn\n}\nif load(&y) == 2 {\nstore(&x, 1)\n}", false},
		// Item 0 writes 1 to y whatever it reads.
		{"values that are", "if i == 0 {\nif load(&x) == 0 {\nstore(&y, 1)\n} else {\nstore(&y, 1)\n}\nreturn\n}\nif load(&y) == 1 {\nstore(&x, 1)\n}", true},
		{"an exchange lock", "for exchange(&x, 1) != 0 {\n}\nif load(&y) == 0 {\ndata = 1\nstore(&y, 1)\n}\nrelease(&x, 0)", false},
		// Who takes ticket t writes slot t + 1 and has read slot t: in the order of tickets.
		{"tickets", "t := cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)\nload(&slot[t])\nstore(&slot[t+1], 1)", false},
		// The same, but the last leads to the first: each of the five takes another part of the cycle.
		{"a ring of tickets", "t := cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)\nload(&slot[t%n])\nstore(&slot[(t+1)%n], 1)", true},
		{"a ring of three tickets", "t := cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)\nif t < 3 {\nload(&slot[t])\nstore(&slot[(t+1)%3], 1)\n}", true},
		{"a ring of tickets with release stores", "t := cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)\nload(&slot[t%n])\nrelease(&slot[(t+1)%n], 1)", false},
		// Items 3 and 4 read each other's slot, and nobody else's is read by another.
		{"a pair among others", "load(&slot[i])\nstore(&slot[7-i], 1)", true},
		{"a table", "h := i / 2\nif i > 2 {\nreturn\n}\nfor !cas(&slot[h], 0, i+1) {\nh = (h + 1) % 8\n}\nstore(&slot[7], 1)", false},
		// Item 1 writes either x or y; item 2 may read y without having seen x.
		{"either of two", `switch i {
	case 0:
		store(&w, 1)
		store(&slot[0], 1)
	case 1:
		load(&z)
		if load(&w) == 1 {
			store(&y, 1)
		} else {
			store(&x, 1)
		}
	case 2:
		if load(&x) == 0 && load(&slot[0]) == 0 {
			return
		}
		if load(&y) == 1 {
			store(&z, 1)
		}
	}`, true},
		// As item 0 may write y and x both, once it has read 1 from slot 3, item 1 may read both.
		{"both of two, in the end", `switch i {
	case 0:
		load(&z)
		if load(&w) == 1 {
			store(&y, 1)
			return
		}
		store(&x, 1)
		if load(&slot[3]) == 1 {
			store(&y, 1)
		}
	case 1:
		if load(&x) == 1 && load(&y) == 1 {
			store(&z, 1)
		}
	case 2:
		if load(&slot[4]) == 1 {
			store(&slot[3], 1)
		}
	case 3:
		store(&w, 1)
	case 4:
		if load(&w) == 1 {
			store(&slot[4], 1)
		}
	}`, true},
		// Item 1 may read what item 0 writes last before it reads what that writes first.
		{"both of two, the last first", `switch i {
	case 0:
		load(&z)
		store(&x, 1)
		store(&y, 1)
	case 1:
		if load(&y) == 1 && load(&x) == 1 {
			store(&z, 1)
		}
	}`, true},
		// Item 0 may find slot 1 occupied by item 1, which has read 3 from y.
		{"tables that are come back to", `switch i {
	case 0:
		for h := 1; !cas(&slot[h], 0, 2); h = (h + 1) % 3 {
		}
		exchange(&y, 3)
	case 1:
		r := cl.AtomicFetchAddExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		store(&slot[r&1], 1)
		for h := 0; !cas(&slot[h], 0, 2); h = (h + 1) % 3 {
		}
	}`, true},
		// Item 0 may count to 5 before it reads y, as it may wait that long for slot 0.
		{"a counter in a loop", `switch i {
	case 0:
		load(&y)
		for load(&slot[0]) == 0 {
			cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		}
	case 1:
		if load(&x) == 5 {
			store(&y, 1)
		}
	case 2:
		store(&slot[0], 1)
	}`, true},
		// Item 0 writes 1 to y in a round in which it has read 1 from x.
		{"rounds that write", `switch i {
	case 0:
		for load(&x) != 2 {
			store(&y, 1)
		}
	case 1:
		if load(&y) == 1 {
			store(&x, 1)
		}
	case 2:
		store(&x, 2)
	}`, true},
		// Only after a round that is part of the outcome has item 0 read 1 before it writes y.
		{"rounds that are seen", `switch i {
	case 0:
		for load(&x) == 1 {
			cl.Observe("seen", 1)
		}
		store(&y, 1)
	case 1:
		if load(&y) == 1 {
			store(&x, 1)
		}
	case 2:
		store(&x, 2)
	}`, true},
		{"rounds that are not", `switch i {
	case 0:
		for load(&x) == 1 {
		}
		store(&y, 1)
	case 1:
		if load(&y) == 1 {
			store(&x, 1)
		}
	case 2:
		store(&x, 2)
	}`, false},
		// As "rounds that are seen": a round in which the assertion fails is one of the execution.
		{"rounds that fail", `switch i {
	case 0:
		for {
			v := load(&x)
			cl.Assert(v != 1, "is not 1")
			if v == 0 {
				break
			}
		}
		store(&z, 1)
	case 1:
		if load(&z) == 1 {
			store(&x, 1)
		}
	case 2:
		store(&x, 0)
	}`, true},
		// The same, but what a round has read is added up and seen in the end only.
		{"rounds that add up", `switch i {
	case 0:
		s := int32(0)
		for {
			v := load(&x)
			s += v
			if v != 1 {
				break
			}
		}
		store(&z, 1)
		cl.Observe("s", s)
	case 1:
		if load(&z) == 1 {
			store(&x, 1)
		}
	case 2:
		store(&x, 2)
	}`, true},
		// As "rounds that fail", though what is asserted is known, since it is asked for as well.
		{"rounds that fail by what decides", `switch i {
	case 0:
		for {
			v := load(&x)
			ok := v != 1
			cl.Assert(ok, "is not 1")
			if ok && v == 0 {
				break
			}
		}
		store(&z, 1)
	case 1:
		if load(&z) == 1 {
			store(&x, 1)
		}
	case 2:
		store(&x, 0)
	}`, true},
		// Item 0 may write y before it has seen x set, and then find w set, by who has read y.
		{"rounds that assert data", `switch i {
	case 0:
		for load(&x) == 0 {
			cl.Assert(load(&w) != 1, "is not 1")
		}
		store(&y, 1)
	case 1:
		store(&x, 1)
		if load(&y) == 1 {
			store(&w, 1)
		}
	}`, true},
		// Only a round in which item 0 has read 1 from x, for good, comes before z is written.
		{"rounds that are remembered", `switch i {
	case 0:
		r := none
		for load(&slot[0]) == 0 {
			r = load(&x)
			if load(&slot[2]) == 5 && r == 3 {
				store(&slot[3], 1)
			}
		}
		store(&z, 1)
		cl.Observe("r", r)
	case 1:
		if load(&z) == 1 {
			store(&x, 1)
		}
	case 2:
		store(&slot[0], 1)
	}`, true},
		// Who writes slot s has read slots below s only. Of values there are 1, 2, 3, 7, 43, 1807 and so
		// on, which decide nothing.
		{"data of many values", `for s := 2 * i; i < 4 && s < 2*i+2; s++ {
		sum := none
		for j := range s {
			sum = 3*sum + load(&slot[j])
		}
		store(&slot[s], sum+s+1)
	}`, false},
	} {
		t.Run(c.name, func(t *testing.T) { checkMatter(t, head+c.body+"\n}\n", c.matter) })
	}
}

// TestPromisesMatterToMany asks of kernels with hundreds of work-items of which most do the same.
func TestPromisesMatterToMany(t *testing.T) {
	const text = `package main

import "github.com/clmc/clmc/models/cl"

var slot [2]cl.AtomicInt

func add(p *cl.AtomicInt) int32 {
	return cl.AtomicFetchAddExplicit(p, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
}

func kernel() {
	i := cl.GetGlobalID(0)
	BODY
}

func main() { cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(300, 1)) }
`
	for _, c := range []struct {
		name, body string
		matter     bool
	}{
		// Only who reads 0 in slot 1 goes on from there to another slot, and nobody writes that.
		{"one of two goes on", "add(&slot[0])\nif i < 2 && add(&slot[1]) == 0 {\nadd(&slot[0])\n}", false},
		// What one adds to slot 1 the other reads there first, and what that one adds to slot 0 the first one has read.
		{"the last two turn round", "if i < 298 {\nadd(&slot[0])\n} else {\nadd(&slot[i-298])\nif add(&slot[299-i]) == 7 {\nadd(&slot[0])\n}\n}", true},
	} {
		t.Run(c.name, func(t *testing.T) { checkMatter(t, strings.Replace(text, "BODY", c.body, 1), c.matter) })
	}
}
