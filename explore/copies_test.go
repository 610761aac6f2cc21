package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// TestCopies compares the machine with rule 11.7 on random kernels of one
// work-group that access memory, meet at barriers, and start and await
// asynchronous copies.
func TestCopies(t *testing.T) {
	t.Parallel()
	verdicts := map[state.Kind]int{}
	for seed := range seeds.Times(2).All() {
		k := newCopyKernel(uint64(seed))
		p, err := load.Source("copies.go", []byte(k.source()), load.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k.source())
		}
		verdicts[k.verdict]++
		for _, mode := range por.Modes() {
			if mode == por.None && seed%4 != 0 {
				continue // it takes longer
			}
			r := Run(context.Background(), p, Options{POR: mode, All: true, MaxStates: 100_000})
			got := state.NoViolation
			for _, v := range r.Violations {
				if got == state.NoViolation || v.Kind == state.DataRace {
					got = v.Kind
				}
			}
			// Of several things that go wrong, an execution shows the first.
			first := k.verdict == state.DataRace && slices.Contains(k.also, got)
			if r.Complete && got != k.verdict && !first {
				t.Fatalf("seed %d, reduction %s: found kind %d, want %d\n%s", seed, mode, got, k.verdict, k.source())
			}
		}
	}
	if seeds.N() >= 60 && len(verdicts) < 4 {
		t.Errorf("not all verdicts occur: %v", verdicts)
	}
}

// copyItems is the number of work-items of a copyKernel.
const copyItems = 2

// copyKernel is a random kernel with what must be found in it.
type copyKernel struct {
	*rand.Rand
	code    []string
	verdict state.Kind
	also    []state.Kind // what else goes wrong, if there is a race

	// What each unit knows of the others, by region (global, local): the work-items,
	// then the copies.
	knows  [2][][]int
	clock  []int
	past   []pastAccess
	second bool   // the second work-group executes it, of two
	events []int  // of each copy: its event
	waited []bool // each copy
}

type pastAccess struct {
	unit, at, cell int
	region         int
	write          bool
}

var copyArrays = []string{"g", "h", "s", "t"} // the last two are local

func newCopyKernel(seed uint64) *copyKernel {
	k := &copyKernel{Rand: rand.New(rand.NewPCG(seed, 11))}
	k.second = k.IntN(4) == 0
	for range copyItems {
		k.unit()
	}
	for range 3 + k.IntN(7) {
		switch k.IntN(8) {
		case 0, 1, 2:
			k.access(k.IntN(copyItems), k.IntN(len(copyArrays)), k.IntN(2), k.IntN(2) == 0)
		case 3:
			k.barrier(k.IntN(4))
		case 4, 5:
			k.copy()
		case 6:
			k.wait(k.IntN(max(1, len(k.events))))
		case 7: // what has been done is in a stored state
			k.code = append(k.code, "cl.Choose(2)")
		}
	}
	if k.IntN(8) > 0 {
		for c := range k.events {
			k.wait(c)
		}
	}
	if slices.Contains(k.waited, false) {
		k.wrong(state.UnwaitedCopy)
	}
	return k
}

// wrong notes that something goes wrong.
func (k *copyKernel) wrong(kind state.Kind) {
	switch {
	case k.verdict == state.NoViolation:
		k.verdict = kind
	case kind == state.DataRace && k.verdict != kind:
		k.verdict, k.also = kind, append(k.also, k.verdict)
	case k.verdict == state.DataRace:
		k.also = append(k.also, kind)
	}
}

// unit adds a unit that knows what all work-items know.
func (k *copyKernel) unit() {
	u := len(k.clock)
	k.clock = append(k.clock, 0)
	for r := range k.knows {
		for i := range k.knows[r] {
			k.knows[r][i] = append(k.knows[r][i], 0)
		}
		all := make([]int, u+1)
		for i := range all {
			for w := range min(copyItems, u) {
				if v := k.knows[r][w][i]; w == 0 || v < all[i] {
					all[i] = v
				}
			}
		}
		k.knows[r] = append(k.knows[r], all)
	}
}

// touch notes an access and looks for races with those before.
func (k *copyKernel) touch(u, array, i int, write bool) {
	r := array / 2
	k.clock[u]++
	k.knows[0][u][u], k.knows[1][u][u] = k.clock[u], k.clock[u]
	for _, a := range k.past {
		if a.unit != u && a.cell == 2*array+i && (a.write || write) && k.knows[r][u][a.unit] < a.at {
			k.wrong(state.DataRace)
		}
	}
	k.past = append(k.past, pastAccess{u, k.clock[u], 2*array + i, r, write})
}

func (k *copyKernel) say(format string, args ...any) {
	k.code = append(k.code, fmt.Sprintf("\t"+format, args...))
}

func (k *copyKernel) access(w, array, i int, write bool) {
	if write {
		k.say("if l == %d { %s[%d] = 5 }", w, copyArrays[array], i)
	} else {
		k.say("if l == %d { x += %s[%d] }", w, copyArrays[array], i)
	}
	k.touch(w, array, i, write)
}

func (k *copyKernel) barrier(flags int) {
	k.say("cl.WorkGroupBarrier(%s)", []string{"0", "cl.CLKGlobalMemFence", "cl.CLKLocalMemFence", "cl.CLKGlobalMemFence|cl.CLKLocalMemFence"}[flags])
	for r := range k.knows {
		if flags&(1<<r) == 0 {
			continue
		}
		for i := range k.clock {
			most := 0
			for w := range copyItems {
				most = max(most, k.knows[r][w][i])
			}
			for w := range copyItems {
				k.knows[r][w][i] = most
			}
		}
	}
}

func (k *copyKernel) copy() {
	dst, src := k.IntN(2), 2+k.IntN(2)
	if k.IntN(2) == 0 {
		dst, src = src, dst
	}
	c, n := len(k.events), 1+k.IntN(2)
	joined := "0"
	event := c
	if open := slices.Index(k.waited, false); open >= 0 && k.IntN(3) == 0 {
		event = k.events[open]
		joined = fmt.Sprintf("e%d", event)
	}
	if k.IntN(20) == 0 {
		k.say("cl.AsyncWorkGroupCopy(%s[:], %s[:], l, 0)", copyArrays[dst], copyArrays[src])
		k.wrong(state.BarrierDivergence)
		return
	}
	k.say("e%d := cl.AsyncWorkGroupCopy(%s[:], %s[:], %d, %s)", c, copyArrays[dst], copyArrays[src], n, joined)
	k.say("_ = e%d", c)
	k.unit()
	k.events, k.waited = append(k.events, event), append(k.waited, false)
	for i := range n {
		k.touch(copyItems+c, src, i, false)
		k.touch(copyItems+c, dst, i, true)
	}
}

// wait awaits the event of copy c, and with it all copies that share it.
func (k *copyKernel) wait(c int) {
	if c >= len(k.events) || k.waited[c] {
		return
	}
	k.say("cl.WaitGroupEvents(e%d)", k.events[c])
	for d, e := range k.events {
		if e != k.events[c] || k.waited[d] {
			continue
		}
		k.waited[d] = true
		for r := range k.knows {
			for w := range copyItems {
				k.knows[r][w][copyItems+d] = k.clock[copyItems+d]
			}
		}
	}
}

// source returns the kernel as a model. The local arrays are initialised first.
func (k *copyKernel) source() string {
	items, other := copyItems, ""
	if k.second {
		items, other = 2*copyItems, `
	if cl.GetGroupID(0) == 0 {
		cl.AtomicStoreExplicit(&f, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		return
	}`
	}
	return `package main

import "github.com/clmc/clmc/models/cl"

var g, h [2]int32
var f cl.AtomicInt

func kernel() {` + other + `
	s, t := cl.Local[[2]int32](), cl.Local[[2]int32]()
	l := cl.GetLocalID(0)
	x := int32(0)
	s[l], t[l] = 1, 1
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
` + strings.Join(k.code, "\n") + `
	cl.Assume(x >= 0)
}

func main() {
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(` + strconv.Itoa(items) + `, 2))
	cl.Finish()
}
`
}

// TestCopyMutants breaks rule 11.7 and sees TestCopies fail.
func TestCopyMutants(t *testing.T) {
	mutant.Try(t, copyMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^TestCopies$", "-seeds", "300", ".")
	})
}

// copyMutants are ways to break rule 11.7.
var copyMutants = mutant.List([][5]string{
	{"11.7 a copy comes after what happens before its call in all work-items, not in some", "memmodel/fence.go",
		"		joinMin(m.snaps[at:at+m.L.width], m", "		joinMax(m.snaps[at:at+m.L.width], m"},
	{"11.7 and it does come after that", "memmodel/fence.go",
		"	copy(m.change(u), m.snaps[at:])\n", "	clear(m.change(u))\n"},
	{"11.7 what follows the wait comes after the copy", "memmodel/fence.go",
		"			m.L.know(v, c, t, m.count[t])\n", "			_ = v[c]\n"},
	{"11.7 the wait is for the copy's end", "state/copy.go",
		"			if s.status[c] == Ready && m.event", "			if false && m.event"},
	{"11.7 a copy that joins an event is waited for with it", "state/copy.go",
		"	if *event == 0 {\n", "	if true {\n"},
	{"11.7 copies are waited for", "state/copy.go",
		"	if at < 0 || ", "	if at >= 0 || at < 0 || "},
	{"canonical form: what a copy has done is told of by itself", "memmodel/gather.go",
		"	return !m.Live(u) && !p.Host && !p.Copies()\n", "	return !m.Live(u) && !p.Host\n"},
	{"what is ahead of a copy is ahead of its work-group", "state/copy.go",
		"Place: first.Place, Item: first.Item, Copy", "Place: first.Place, Copy"},
	{"11.7 all pass the same", "state/copy.go",
		"	return same\n", "	return same || true\n"},
})
