package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/axiom"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// Programs on seq_cst operations whose verdict is derived by hand from the rules of
// docs/semantics.md. Each has the data d, in a race or not, or an outcome; x, y and z are
// atomic and zero, global but for those named in local. Threads are of one
// work-group; an operation without scope has device scope, or work_group if the
// program has local memory, and a fence orders both kinds of memory.
var byRule = []struct {
	name    string
	specs   string // names of readings
	local   string
	threads []string
	want    string // race, ok, or an outcome after "may " or "never "
	why     string
}{
	{"last write in S hides", "3.0 2.0 3.1 popl16 popl16-scoped", "", []string{
		"store x 1 relaxed; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2"},
		"ok", "8.3: x=2, load z, z=1, load x in S; x=1 happens before x=2"},
	{"the same observed", "3.0 2.0 3.1 popl16 popl16-scoped", "", []string{
		"store x 1 relaxed; store x 2 seq_cst; r = load z seq_cst; observe a r",
		"store z 1 seq_cst; r = load x seq_cst; observe b r"},
		"never a=0 b=1", "8.3"},
	{"one that does not happen before it", "3.0 2.0 3.1", "", []string{
		"store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2",
		"store x 1 relaxed"},
		"race", "8.3 lets the load return x=1, which does not happen before x=2, early or late in modification order"},
	{"one that is handed on", "3.0 2.0 3.1 popl16", "", []string{
		"r = load x acquire; unless 1 r; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2",
		"store x 1 release"},
		"ok", "x=1 happens before x=2 (6.1), so 8.3 forbids it"},
	{"one that is read without acquiring", "3.0", "", []string{
		"r = load x relaxed; unless 1 r; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2",
		"store x 1 release"},
		"race", "x=1 is older than x=2, but does not happen before it"},
	{"one that is read without acquiring, simplified", "popl16 popl16-scoped", "", []string{
		"r = load x relaxed; unless 1 r; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2",
		"store x 1 release"},
		"ok", "the simplified reading asks for modification order only"},
	{"a later write saves the load", "3.0 3.1", "", []string{
		"store x 1 relaxed; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2",
		"store x 3 seq_cst"},
		"race", "x=3 may be the last before the load in S, and x=1 does not happen before it"},
	{"a later write saves no load, simplified", "popl16", "", []string{
		"store x 1 relaxed; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2",
		"store x 3 seq_cst"},
		"ok", "the load precedes both"},
	{"a later write that knows", "3.0", "", []string{
		"store x 1 release; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2",
		"r = load x acquire; unless 1 r; store x 3 seq_cst"},
		"ok", "x=1 happens before x=3 too"},
	{"a later write outside S", "3.0", "", []string{
		"store x 1 relaxed; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2",
		"store x 3 release"},
		"ok", "x=3 is not in S"},
	{"an exchange saves nothing", "3.0", "", []string{
		"store x 1 relaxed; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2",
		"r = rmw xchg x 3 seq_cst"},
		"ok", "if it reads x=2 it knows of x=1; if not, it comes before x=2 in modification order, hence in S"},
	{"what goes wrong before the saving write", "3.0", "", []string{
		"store x 1 relaxed; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1; store y 1 relaxed",
		"store z 1 seq_cst; r = load x seq_cst; unless 1 r; store d 2",
		"r = load y relaxed; unless 1 r; store x 3 seq_cst"},
		"race", "x=3 comes after both writes of d, and saves the load that led to one of them"},
	{"a fence before the load", "3.0 2.0 popl16", "", []string{
		"store x 1 relaxed; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; fence seq_cst; r = load x relaxed; unless 1 r; store d 2"},
		"ok", "8.4: x=2 precedes the fence in S"},
	{"an acq_rel fence before the load", "3.0 popl16", "", []string{
		"store x 1 relaxed; store x 2 seq_cst; r = load z seq_cst; unless 0 r; store d 1",
		"store z 1 seq_cst; fence acq_rel; r = load x relaxed; unless 1 r; store d 2"},
		"race", "it is not in S"},
	{"two fences", "3.0 2.0 popl16", "", []string{
		"store x 1 relaxed; fence seq_cst; r = load y relaxed; unless 0 r; store d 1",
		"store y 1 relaxed; fence seq_cst; r = load x relaxed; unless 0 r; store d 2"},
		"ok", "8.6"},
	{"two fences of local memory", "3.0", "z", []string{
		"store x 1 relaxed; fence local seq_cst; r = load y relaxed; unless 0 r; store d 1",
		"store y 1 relaxed; fence local seq_cst; r = load x relaxed; unless 0 r; store d 2"},
		"ok", "8.6 does not ask which memory a fence names"},
	{"one fence", "3.0 popl16", "", []string{
		"store x 1 relaxed; fence seq_cst; r = load y relaxed; unless 0 r; store d 1",
		"store y 1 relaxed; fence acq_rel; r = load x relaxed; unless 0 r; store d 2"},
		"race", "8.6 asks for two"},
	{"store buffering over two regions", "3.0", "y", []string{
		"store x 1 seq_cst; r = load y seq_cst; unless 0 r; store d 1",
		"store y 1 seq_cst; r = load x seq_cst; unless 0 r; store d 2"},
		"ok", "each is an action of both (5.7), so that S agrees with program order"},
	{"store buffering over two regions, without S", "2.0 popl16", "y", []string{
		"store x 1 seq_cst; r = load y seq_cst; unless 0 r; store d 1",
		"store y 1 seq_cst; r = load x seq_cst; unless 0 r; store d 2"},
		"race", "8.1 as 2.0 has it: the scope is not that of the device"},
	{"independent reads, all in S", "3.0 popl16", "", []string{
		"store x 1 seq_cst", "store y 1 seq_cst",
		"r = load x seq_cst; s = load y seq_cst; observe a r; observe b s",
		"r = load y seq_cst; s = load x seq_cst; observe c r; observe e s"},
		"never a=1 b=0 c=1 e=0", "8.3"},
	{"independent reads of other stores", "3.0", "", []string{
		"store x 1 release", "store y 1 release",
		"r = load x seq_cst; s = load y seq_cst; observe a r; observe b s",
		"r = load y seq_cst; s = load x seq_cst; observe c r; observe e s"},
		"may a=1 b=0 c=1 e=0", "there is no seq_cst write, so that 8.3 lets a load return any"},
	{"a chain through a read-modify-write", "3.0 popl16 popl16-scoped", "y", []string{
		"store d 1; fence seq_cst; store y 1 relaxed",
		"r = rmw add y 1 seq_cst; unless 1 r; store y 5 relaxed",
		"r = load y relaxed; unless 5 r; fence seq_cst; s = load d"},
		"ok", "6.8: both edges are in ghb as well, and compose"},
	{"a chain through one that is not seq_cst", "3.0 popl16", "y", []string{
		"store d 1; fence seq_cst; store y 1 relaxed",
		"r = rmw add y 1 acq_rel; unless 1 r; store y 5 relaxed",
		"r = load y relaxed; unless 5 r; fence seq_cst; s = load d"},
		"race", "only lsw: neither 6.7 nor 6.8 applies"},
	{"a chain through a fence of local memory", "3.0 popl16", "y z", []string{
		"store d 1; fence seq_cst; store y 1 relaxed",
		"r = load y relaxed; unless 1 r; fence local seq_cst; store z 1 relaxed",
		"r = load z relaxed; unless 1 r; fence seq_cst; s = load d"},
		"ok", "6.8 twice, composed"},
	{"a chain through a second fence", "3.0 popl16", "y z", []string{
		"store d 1; fence seq_cst; store y 1 relaxed",
		"r = load y relaxed; unless 1 r; fence local seq_cst; fence local seq_cst; store z 1 relaxed",
		"r = load z relaxed; unless 1 r; fence seq_cst; s = load d"},
		"ok", "the first fence synchronises with both in the middle (6.3), and the second of these with the last"},
	{"a chain by program order", "popl16", "y z", []string{
		"store d 1; fence seq_cst; store y 1 relaxed",
		"r = rmw add y 1 seq_cst; unless 1 r; s = rmw add z 1 seq_cst",
		"r = load z relaxed; unless 1 r; fence seq_cst; s = load d"},
		"race", "the operations in the middle are no global actions, so that program order between them is not in ghb (5.5)"},
	{"a chain by program order, of actions of both", "3.0", "y z", []string{
		"store d 1; fence seq_cst; store y 1 relaxed",
		"r = rmw add y 1 seq_cst; unless 1 r; s = rmw add z 1 seq_cst",
		"r = load z relaxed; unless 1 r; fence seq_cst; s = load d"},
		"ok", "5.7"},
	{"the end of a chain", "popl16", "y", []string{
		"store d 1; fence seq_cst; store y 1 relaxed",
		"r = rmw add y 1 seq_cst; unless 1 r; s = load d"},
		"race", "the read-modify-write is no global action"},
	{"the end of a chain, of actions of both", "3.0", "y", []string{
		"store d 1; fence seq_cst; store y 1 relaxed",
		"r = rmw add y 1 seq_cst; unless 1 r; s = load d"},
		"ok", "5.7, 6.8"},
	{"a narrow link", "3.0 popl16", "y", []string{
		"store d 1; fence seq_cst; store y 1 relaxed",
		"r = rmw add y 1 relaxed; unless 1 r",
		"r = load y relaxed; unless 2 r; fence seq_cst; s = load d"},
		"ok", "the read-modify-write continues the hypothetical release sequence (5.4, 6.3)"},
	{"a lock of seq_cst exchange and release", "3.0 2.0 3.1 popl16 popl16-scoped", "", []string{
		"r = rmw xchg x 1 seq_cst; unless 0 r; store d 1; store x 0 release",
		"r = rmw xchg x 1 seq_cst; unless 0 r; store d 2; store x 0 release"},
		"ok", "6.1"},
	{"a lock of seq_cst exchange and relaxed store", "3.0 2.0 3.1 popl16 popl16-scoped", "", []string{
		"r = rmw xchg x 1 seq_cst; unless 0 r; store d 1; store x 0 relaxed",
		"r = rmw xchg x 1 seq_cst; unless 0 r; store d 2; store x 0 relaxed"},
		"race", "a relaxed store releases nothing"},
	{"a fence behind a read-modify-write that another has read", "3.0 2.0 3.1", "", []string{
		"r = rmw xchg x 1 relaxed; fence seq_cst; s = load y relaxed; observe a r; observe b s",
		"r = rmw xchg x 2 relaxed; observe c r",
		"store y 1 relaxed; fence seq_cst; r = rmw xchg x 3 relaxed; observe e r",
		"store x 4 relaxed"},
		"never a=4 b=0 c=1 e=0", "x=3 reads what is older than x=1: its fence precedes the other (8.6), and y=1 is seen (8.6)"},
	{"S voided by another scope", "2.0", "", []string{
		"store x 1 seq_cst; r = load y seq_cst; unless 0 r; store d 1",
		"store y 1 seq_cst; r = load x seq_cst; unless 0 r; store d 2",
		"store z 1 seq_cst all_svm_devices"},
		"race", "8.1 as 2.0 has it: not all operations have device scope"},
	{"S whatever the scopes", "3.0", "", []string{
		"store x 1 seq_cst; r = load y seq_cst; unless 0 r; store d 1",
		"store y 1 seq_cst; r = load x seq_cst; unless 0 r; store d 2",
		"store z 1 seq_cst all_svm_devices"},
		"ok", "8.1, 8.8"},
	{"S voided behind what goes wrong", "2.0", "", []string{
		"store x 1 seq_cst; r = load y seq_cst; unless 0 r; store d 1; store z 1 relaxed",
		"store y 1 seq_cst; r = load x seq_cst; unless 0 r; store d 2",
		"r = load z relaxed; unless 1 r; store z 2 seq_cst all_svm_devices"},
		"race", "8.1 as 2.0 has it: with the last store S need not exist"},
}

func TestSeqCstByHand(t *testing.T) {
	for _, c := range byRule {
		p := handProgram(t, c.local, c.threads)
		for _, name := range strings.Fields(c.specs) {
			spec, err := memmodel.ParseSpec(name)
			if err != nil {
				t.Fatal(err)
			}
			oracle, err := axiom.Run(p, spec, axiom.Options{})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if got := judged(oracle.Race, oracle.Outcomes, c.want); got != c.want {
				t.Errorf("%s, spec %s: %s, axioms say %s: %s", c.name, name, c.want, got, c.why)
			}
			for _, mode := range por.Modes() {
				for _, promises := range []int{0, NoPromises} {
					r := Run(context.Background(), p, Options{Spec: spec, POR: mode, All: true, Promises: promises})
					outcomes := map[string]bool{}
					for _, o := range r.Outcomes {
						outcomes[OutcomeKey(o)] = true
					}
					if got := judged(r.Has(state.DataRace), outcomes, c.want); got != c.want || !r.Complete {
						t.Errorf("%s, spec %s, reduction %s, promises %d: %s, want %s: %s", c.name, name, mode, promises, got, c.want, c.why)
					}
				}
			}
		}
	}
}

// judged says what a search shows in the terms of what it should show.
func judged(race bool, outcomes map[string]bool, want string) string {
	_, o, asks := strings.Cut(want, " ")
	switch {
	case race:
		return "race"
	case !asks:
		return "ok"
	}
	for got := range outcomes { // they have the final values as well
		seen := strings.Fields(got)
		if !slices.ContainsFunc(strings.Fields(o), func(v string) bool { return !slices.Contains(seen, v) }) {
			return "may " + o
		}
	}
	return "never " + o
}

// handProgram makes a program of threads as byRule has them.
func handProgram(t *testing.T, local string, threads []string) *ir.Program {
	t.Helper()
	scope := "device"
	if local != "" {
		scope = "work_group"
	}
	var b strings.Builder
	fmt.Fprintln(&b, "object d global svm_coarse plain = 0")
	for _, v := range []string{"x", "y", "z"} {
		region := "global"
		if strings.Contains(local, v) {
			region = "local"
		}
		fmt.Fprintf(&b, "object %s %s svm_coarse atomic = 0\n", v, region)
	}
	for i, code := range threads {
		fmt.Fprintf(&b, "thread P%d device 0 kernel 0 group 0 sub 0\n", i)
		for n, op := range strings.Split(code, "; ") {
			words := strings.Fields(op)
			last := words[len(words)-1]
			switch {
			case words[0] == "unless": // the thread goes on only if that was read
				fmt.Fprintf(&b, "e%d = eq %s %s\nunless e%d goto E%d\n", n, words[2], words[1], n, i)
				continue
			case words[0] == "fence" && len(words) == 2:
				op = "fence local|global " + last
			case words[0] == "observe" || strings.HasSuffix(op, "load d") || strings.HasPrefix(op, "store d"):
				fmt.Fprintln(&b, op)
				continue
			}
			if !strings.HasSuffix(op, "_devices") {
				op += " " + scope
			}
			fmt.Fprintln(&b, op)
		}
		fmt.Fprintf(&b, "E%d:\n", i)
	}
	p, err := randprog.Parse(b.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return p
}

// A lock is a lock whatever the orders by which it is taken and given back, as long as
// taking acquires and giving back releases (6.1): the searches end, all of them, and
// find nothing, though those who wait go round and round by seq_cst operations.
func TestLocksOfEveryOrder(t *testing.T) {
	for kind := range 4 {
		for _, take := range []memmodel.Order{acq, ar, memmodel.SeqCst} {
			for _, clear := range []memmodel.Order{rel, memmodel.SeqCst} {
				for n := 2; n <= 3; n++ {
					p := lock(kind, take, clear, n)
					for i, spec := range memmodel.Specs {
						mode := por.Modes()[(i+kind)%3]
						if n == 3 && mode == por.None {
							mode = por.DPOR
						}
						r := Run(context.Background(), p, Options{Spec: spec, POR: mode, All: true, MaxStates: 30_000})
						if r.Verdict != Verified {
							t.Errorf("%s, spec %s, reduction %s: %v %v", p.Name, spec.Name, mode, r.Verdict, r.Incomplete)
						}
					}
				}
			}
		}
	}
}

// lock has n threads take a lock: by an exchange, by one after a look, by a strong or by a
// weak compare-exchange.
func lock(kind int, take, clear memmodel.Order, n int) *ir.Program {
	b := randprog.NewBuilder(fmt.Sprintf("lock %d, %v, %v, %d threads", kind, take, clear, n))
	l, d := b.Atomic("l"), b.Plain("d")
	fail := take
	if take == ar {
		fail = acq
	}
	for i := range n {
		t := b.Thread(place(i))
		t.While(func() randprog.Val {
			r := t.Reg()
			switch kind {
			case 0:
				t.RMWInto(r, ir.Xchg, l, t.Int(1), take, dev)
			case 1:
				t.LoadInto(r, t.Addr(l, 0), fail, dev)
				t.If(r, nil, func() { t.RMWInto(r, ir.Xchg, l, t.Int(1), take, dev) })
			default:
				t.CASInto(r, t.Reg(), l, randprog.CmpXchg{Expected: t.Int(0), Desired: t.Int(1), Order: take, FailOrder: fail, Scope: dev, Weak: kind == 3})
				return t.Bin(ir.Eq, r, t.Int(0))
			}
			return r
		}, nil)
		v := t.Reg()
		t.LoadInto(v, t.Addr(d, 0), memmodel.NonAtomic, memmodel.ScopeWorkItem)
		t.Write(d, t.Bin(ir.Add, v, t.Int(1)))
		t.Store(l, t.Int(0), clear, dev)
	}
	return b.Program()
}

// However many seq_cst operations come before a violation, its schedule leads there
// again: they leave the graph of S where nothing is brought into canonical form, too.
func TestManySeqCstOperations(t *testing.T) {
	found := 0
	for seed := range seeds.All() {
		p := randprog.Long.Program(uint64(seed))
		for _, mode := range por.Modes() {
			r := Run(context.Background(), p, Options{POR: mode, All: true, MaxStates: 2000})
			for i := range r.Violations {
				found++
				if v := r.Violations[i]; !replays(p, r, v) {
					t.Errorf("%s, reduction %s: %v does not replay\n%s", p.Name, mode, v.Kind, randprog.Format(p))
				}
			}
		}
	}
	if found < seeds.N()/2 {
		t.Errorf("only %d violations", found)
	}
}

// replays reports whether a schedule leads to its violation by the rules of the memory
// model or, where the search was one of interleavings, by those.
func replays(p *ir.Program, r *Result, v Violation) bool {
	for _, interleaved := range []bool{false, true} {
		m := state.NewMachine(p, r.Spec)
		if interleaved && !por.Interleave(m) {
			break
		}
		if r.Promises > 0 {
			allow(m, r.Promises)
		}
		s := m.Initial()
		for _, mv := range v.Schedule {
			m.Do(s, mv.Unit, mv.Choice)
			if s.Abandoned {
				break
			}
		}
		if !s.Abandoned && s.Violation.Kind == v.Kind {
			return true
		}
	}
	return false
}

// Loads of what no seq_cst operation wrote are undecided (rule 8.3) only as long as it
// makes a difference: 80 of them in a row, beside a seq_cst store that may come before or
// after any of their sources, are more than the graph of S could hold.
func TestLoadsLeaveTheGraph(t *testing.T) {
	b := randprog.NewBuilder("loads")
	x := b.Atomic("x")
	p := b.Thread(place(0))
	p.Repeat(80, func(randprog.Val) {
		p.Store(x, p.Int(1), rel, dev)
		p.LoadInto(p.Reg(), p.Addr(x, 0), memmodel.SeqCst, dev)
	})
	q := b.Thread(place(1))
	q.Store(x, q.Int(2), memmodel.SeqCst, dev)
	r := Run(context.Background(), b.Program(), Options{MaxStates: 20_000})
	if r.Verdict != Verified {
		t.Errorf("%v %v", r.Verdict, r.Incomplete)
	}
}
