package liveness_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore/liveness"
)

// byHand are programs with verdicts that are derived from the definitions: whether every execution ends under hsa, obe, hsa_obe, lobe and fair, under weak and
// under strong fairness. Kernel k runs in `groups` work-groups of one work-item.
var byHand = []struct {
	name, vars, kernel string
	groups             int
	weak, strong       string
}{
	// Work-group 0 is the lowest, so that hsa guarantees it, and lobe as soon as any has started. Under obe it need never start. Work-group 1 may read 0 as long as memory is not
	// fair, and cannot for ever where it is (rule 7.9).
	{"a flag is set once and waited for", "x", `
	if g == 0 {
		set(&x, 1)
	} else {
		for get(&x) != 1 {
		}
	}`, 2, "pfppp", "pfppp"},
	// Work-group 1 need not start but under fair. That its store reads nothing does not make it come.
	{"the lower work-group waits", "x", `
	if g == 1 {
		set(&x, 1)
	} else {
		for get(&x) != 1 {
		}
	}`, 2, "ffffp", "ffffp"},
	// The same, if it does something else behind that: where nobody must come, a store is not made before its time.
	{"the lower work-group waits for what is not the end", "x, y", `
	if g == 1 {
		set(&x, 1)
		set(&y, 1)
	} else {
		for get(&x) != 1 {
		}
	}`, 2, "ffffp", "ffffp"},
	// Who has read 2 never reads 1 again, so that there is no way out, whoever is scheduled. Alone, work-group 1 waits anyway.
	{"what is waited for may be missed", "x", `
	if g == 0 {
		set(&x, 1)
		set(&x, 2)
	} else {
		for get(&x) != 1 {
		}
	}`, 2, "fffff", "fffff"},
	// Work-group 0 never ends, though what it does need not wait for others. Work-group 1 must not be forgotten meanwhile.
	{"one stores for ever", "x, y", `
	if g == 0 {
		set(&y, 1)
		for {
			set(&x, 1)
		}
	} else {
		for get(&y) != 1 {
		}
		cl.AtomicFetchAddExplicit(&y, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}`, 2, "fffff", "fffff"},
	// A weak compare-exchange that could succeed does not fail for ever. Whoever is alone finds 0; the second finds 1 and goes on.
	{"a weak compare-exchange is tried again", "x", `
	for !cl.AtomicCompareExchangeWeakExplicit(&x, new(int32), 1, cl.MemoryOrderRelaxed, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) {
		if get(&x) == 1 {
			break
		}
	}`, 2, "ppppp", "ppppp"},
	// Under weak memory each may read 0 of what the other has set. Then both wait for what neither does, whoever is scheduled.
	{"both look at the other, and wait, relaxed", "x, y, a, b", handshake, 2, "fffff", "fffff"},
	// Where all is seq_cst one of them sees the other, and lets it go on. Whoever is alone waits.
	{"both look at the other, and wait, seq_cst", "x, y, a, b", seqCst(handshake), 2, "ffffp", "ffffp"},
	// The reader may see 0 each time: x changes for ever, so that it never reads the same old message for ever. With probability 1 it sees 1 some time. Whoever is alone goes on for ever.
	{"a writer toggles until a reader has seen 1, seq_cst", "x, done", seqCst(toggles), 2, "fffff", "ffffp"},
	// Relaxed stores pile up that nobody reads, so that there are too many states to know all; one execution is enough to know that some go on for ever.
	{"a writer toggles until a reader has seen 1, relaxed", "x, done", toggles, 2, "fffff", ""},
	// In each round the newest value is e. The reader may read the one before, which in the next round is another one: that is fair.
	{"a reader is one behind for ever", "x, f, done", behind, 2, "fffff", "ffffp"},
	// By f it comes behind what the writer has done, and reads the newest value.
	{"a reader is not behind, since it is told", "x, f, done", strings.NewReplacer("get(&f)", "acquire(&f)", "set(&f,", "release(&f,").Replace(behind), 2, "ffffp", "ffffp"},
	// Whoever has drawn a ticket has started. Under hsa work-group 1 may draw the first ticket and stop.
	{"a ticket lock", "next, serving", `
	my := cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	for acquire(&serving) != my {
	}
	release(&serving, my+1)`, 3, "fpppp", "fpppp"},
	// All must come. Under lobe the lowest alone may have started.
	{"a barrier between work-groups", "n", `
	cl.AtomicFetchAddExplicit(&n, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	for get(&n) != 3 {
	}`, 3, "ffffp", "ffffp"},
	// Both may raise the flag, see the other's and lower it for ever. With probability 1 one of them sees none, if both are guaranteed. Under hsa work-group 1 may stop with its flag up.
	{"after you, seq_cst", "x, y", seqCst(afterYou), 2, "fffff", "fpppp"},
	// Each takes one of two locks, and finds the other one taken. With probability 1 one of them finds both free. Under hsa work-group 1 may stop with a lock.
	{"two locks are tried in opposite orders", "x, y", tries("x", "y", "try"), 2, "fffff", "fpppp"},
	{"two locks are tried in opposite orders by exchanges", "x, y", tries("x", "y", "swap"), 2, "fffff", "fpppp"},
	// Who finds the first lock taken, waits: whoever has it, and has started, gets the second one, too, and lets both go. Under hsa work-group 1 may stop with them.
	{"two locks are tried in the same order", "x, y", tries("x", "x", "try"), 2, "fpppp", "fpppp"},
	{"after you, relaxed", "x, y", afterYou, 2, "fffff", ""},
}

// tries has two work-groups take two locks by tries, a first one each.
func tries(first, second, by string) string {
	take := map[string]string{
		"try":  "cl.AtomicCompareExchangeStrongExplicit(&%s, new(int32), 1, cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)",
		"swap": "cl.AtomicExchangeExplicit(&%s, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0",
	}[by]
	both := func(a string) string {
		b := map[string]string{"x": "y", "y": "x"}[a]
		return strings.NewReplacer("TRY A", fmt.Sprintf(take, a), "TRY B", fmt.Sprintf(take, b), "A", a, "B", b).Replace(`
		for {
			if TRY A {
				if TRY B {
					break
				}
				release(&A, 0)
			}
		}
		release(&B, 0)
		release(&A, 0)`)
	}
	return fmt.Sprintf("\n\tif g == 0 {%s\n\t} else {%s\n\t}", both(first), both(second))
}

const toggles = `
	if g == 0 {
		for get(&done) == 0 {
			set(&x, 1)
			set(&x, 0)
		}
	} else {
		for get(&x) != 1 {
		}
		set(&done, 1)
	}`

const afterYou = `
	if g == 0 {
		set(&x, 1)
		for get(&y) == 1 {
			set(&x, 0)
			set(&x, 1)
		}
		set(&x, 0)
	} else {
		set(&y, 1)
		for get(&x) == 1 {
			set(&y, 0)
			set(&y, 1)
		}
		set(&y, 0)
	}`

const handshake = `
	if g == 0 {
		set(&x, 1)
		if get(&y) == 0 {
			for get(&a) == 0 {
			}
		}
		set(&b, 1)
	} else {
		set(&y, 1)
		if get(&x) == 0 {
			for get(&b) == 0 {
			}
		}
		set(&a, 1)
	}`

const behind = `
	if g == 0 {
		v := int32(0)
		for get(&done) == 0 {
			v = 1 - v
			set(&x, v)
			set(&f, 1)
			for get(&f) != 0 && get(&done) == 0 {
			}
		}
	} else {
		e, seen := int32(0), int32(1)
		for seen != e {
			for get(&f) == 0 {
			}
			e = 1 - e
			seen = get(&x)
			set(&f, 0)
		}
		set(&done, 1)
	}`

func seqCst(kernel string) string {
	return strings.NewReplacer("get(", "cl.AtomicLoad(", "set(", "cl.AtomicStore(").Replace(kernel)
}

// model is the program of a kernel's body.
func model(vars, kernel string, groups int) string {
	short := strings.NewReplacer("get(", "load(Relaxed, ", "acquire(", "load(Acquire, ", "set(", "store(Relaxed, ", "release(", "store(Release, ").Replace(kernel)
	for _, order := range []string{"Relaxed", "Acquire", "Release"} {
		for op, name := range map[string]string{"load": "Load", "store": "Store"} {
			for strings.Contains(short, op+"("+order+", ") {
				at := strings.Index(short, op+"("+order+", ")
				end := at + strings.Index(short[at:], ")")
				args := short[at+len(op)+len(order)+3 : end]
				short = short[:at] + fmt.Sprintf("cl.Atomic%sExplicit(%s, cl.MemoryOrder%s, cl.MemoryScopeDevice)", name, args, order) + short[end+1:]
			}
		}
	}
	id := ""
	if strings.Contains(kernel, "g ==") {
		id = "\tg := cl.GetGroupID(0)\n"
	}
	return fmt.Sprintf("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar %s cl.AtomicInt\n\nfunc k() {\n%s%s\n}\n\nfunc main() { cl.EnqueueNDRangeKernel(k, cl.NDRange1D(%d, 1)); cl.Finish() }\n", vars, id, short, groups)
}

// TestByHand asks of each, with nothing left out, and otherwise looking soon and late.
func TestByHand(t *testing.T) {
	for _, c := range byHand {
		t.Run(c.name, func(t *testing.T) {
			p := program(t, model(c.vars, c.kernel, c.groups))
			for _, opt := range []liveness.Options{{Direct: true, MaxStates: 2000}, {MaxStates: 2000}, {MaxStates: 2000, Look: 1}} {
				if weak := decided(t, p, liveness.Weak, opt); weak != c.weak {
					t.Errorf("%+v: weak %s, want %s", opt, weak, c.weak)
				}
				if c.strong == "" { // there are too many states
					continue
				}
				if strong := decided(t, p, liveness.Strong, opt); strong != c.strong {
					t.Errorf("%+v: strong %s, want %s", opt, strong, c.strong)
				}
			}
		})
	}
}

// TestSymmetricByHand asks of kernels whose work-groups are alike, looking for what goes on for ever without names from the beginning.
func TestSymmetricByHand(t *testing.T) {
	for _, c := range []struct{ name, kernel, want string }{
		// The first one ends, the second waits for the third, which need only start under fair: under lobe and hsa_obe the second is lower than it, and goes round.
		{"the second waits for the third", `
	if cl.AtomicFetchAddExplicit(&n, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1 {
		for get(&n) != 3 {
		}
	}`, "ffffp"},
		// All must come.
		{"a meeting of three", `
	cl.AtomicFetchAddExplicit(&n, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	for get(&n) < 3 {
	}`, "ffffp"},
		// Whoever waits has started, and whoever has the lock, too.
		{"a lock", `
	for cl.AtomicExchangeExplicit(&n, 1, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 1 {
	}
	release(&n, 0)`, "fpppp"},
		// Whoever has found 1 leaves 1 behind: once two are in the loop each may find what the other has left for ever.
		{"in each other's way", `
	for cl.AtomicExchangeExplicit(&n, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) == 1 {
		cl.AtomicExchangeExplicit(&n, 0, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
		cl.AtomicExchangeExplicit(&n, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice)
	}`, "fffff"},
	} {
		p := program(t, model("n", c.kernel, 3))
		for _, opt := range []liveness.Options{{Direct: true}, {}, {Look: 1}, {Look: 2}} {
			if weak := decided(t, p, liveness.Weak, opt); weak != c.want {
				t.Errorf("%s, %+v: %s, want %s", c.name, opt, weak, c.want)
			}
		}
	}
}
