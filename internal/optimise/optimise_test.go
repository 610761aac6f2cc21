package optimise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/testkit/busy"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// options are those of clmc optimise where nothing is said.
func options(changes ...func(*Options)) Options {
	o := Options{Configs: []Config{{}}, Specs: Robust(), Cost: Default()}
	for _, change := range changes {
		change(&o)
	}
	return o
}

func strongest(o *Options) { o.Strongest = true }

// find runs the search of a model of testdata, and has what it prints explored again by a search of its own.
func find(t *testing.T, name string, changes ...func(*Options)) *Result {
	t.Helper()
	opt := options(changes...)
	r, err := Run(t.Context(), model.Target("testdata/"+name), opt)
	if err != nil {
		t.Fatal(err)
	}
	fresh(t, r, opt)
	return r
}

// fresh writes the result into files, and explores them in each configuration under each reading.
func fresh(t *testing.T, r *Result, opt Options) {
	t.Helper()
	if r.Texts == nil {
		return
	}
	dir := t.TempDir()
	changed := r.Changed()
	if len(changed) == 0 {
		t.Fatal("a result that changes nothing")
	}
	for name, text := range r.Texts {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range opt.Configs {
		m, err := model.Target(filepath.Join(dir, filepath.Base(r.Model))).Load(c.Options)
		if err != nil {
			t.Fatalf("%s: the result does not load: %v\n%s", r.Model, err, r.Texts[r.Model])
		}
		for _, spec := range opt.Specs {
			got := explore.Run(t.Context(), m.Program, explore.Options{Spec: spec})
			if got.Verdict != explore.Verified {
				t.Errorf("%s: the result is %v under %s\n%s", r.Model, got.Verdict, spec.Name, r.Texts[r.Model])
			}
			if m.Test == nil {
				continue
			}
			if c := m.Record(got); (c.Verdict == "Ok") == (m.Test.Quantifier == 0) {
				t.Errorf("%s: the condition of the result is %v under %s", r.Model, c.Verdict, spec.Name)
			}
		}
	}
}

// changed lists what a result makes of a model, a line a site that changes.
func changed(r *Result) (out []string) {
	for _, c := range r.Changes() {
		if c.Kept == "" && c.To != c.From {
			out = append(out, fmt.Sprintf("%d %s", c.Line, c.To))
		}
	}
	return out
}

// TestCosts compares results with what is known: the orders of libvsync for the locks and the sequence lock, and clmc's own model of a local flag. With the
// default table an acquire or release of the device costs 4*(1+8)+0.8 = 36.8, a relaxed one 0.8, and a fence of it 6*9+0.8+1.5 = 56.3.
func TestCosts(t *testing.T) {
	for _, c := range []struct {
		name string
		cost int64
		want []string
		slow bool
	}{
		{name: "mp_global.go", cost: 2 * 36800, want: []string{"16 release", "17 acquire"}},
		{name: "spin.go", cost: 2 * 36800, want: []string{"14 acquire", "17 release"}},
		{name: "ticket.go", cost: 2*36800 + 2*800, want: []string{"14 relaxed", "15 acquire", "18 relaxed", "19 release"}},
		{name: "mp_local.go", cost: 1000 + 2*(6000*2+100+2000) + 2*100, want: []string{"13 LOCAL", "16 release sub_group", "17 relaxed sub_group", "19 relaxed sub_group", "20 acquire sub_group"}},
		{name: "seqlock.go", cost: 2*36800 + 2*56300 + 7*800, want: []string{"10 relaxed", "11 relaxed", "12 release", "13 relaxed", "14 relaxed", "15 release", "18 acquire", "22 relaxed", "23 relaxed", "24 acquire", "25 relaxed"}},
		{name: "lastblock.go", cost: 6000*9 + 800 + 2*1000 + 4000, want: []string{"20 LOCAL", "23 removed", "24 acq_rel", "25 removed", "31 LOCAL"}},
		// push: a release; take: a seq_cst fence, which Le et al. have, too; steal: an acquire, a seq_cst load instead of a fence, and a seq_cst compare-exchange.
		{name: "deque.go", cost: 2*36800 + (12000*9 + 800 + 1500) + (8000*9 + 800) + (10000*9 + 800) + 8*800, slow: true},
		{name: "spin.cl", cost: 2 * 36800, want: []string{"5 acquire", "8 release"}},
		{name: "mp.cl", cost: 2 * 36800, want: []string{"6 removed", "7 release device", "9 removed", "10 acquire device", "11 removed"}},
		{name: "red.cl", cost: 2 * 1000, want: []string{"7 LOCAL", "10 LOCAL"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.slow && !thorough.Asked() {
				t.Skip("takes ten seconds: make check")
			}
			r := find(t, c.name, strongest)
			if r.Verdict != Optimised || r.Cost != c.cost || c.want != nil && !slices.Equal(changed(r), c.want) {
				t.Errorf("want cost %s, %q, got\n%s", Cost(c.cost), c.want, r.Text(false))
			}
		})
	}
}

// brute explores the text of each assignment but those to be skipped, and returns the least cost of those that verify; -1 if none does.
func brute(t *testing.T, name string, opt Options, skipped ...assignment) (least int64, tried int) {
	t.Helper()
	p, err := newProblem(t.Context(), model.Target(name), &opt)
	if err != nil {
		t.Fatal(err)
	}
	f := &finder{problem: p, checker: newChecker(p), ctx: t.Context(), r: &Result{p: p}}
	least = -1
	x := make(assignment, len(p.dims))
	var each func(d int)
	each = func(d int) {
		if d < len(x) {
			for v := range p.dims[d].values {
				x[d] = uint8(v)
				each(d + 1)
			}
			return
		}
		tried++
		if c := p.cost(x); least >= 0 && c >= least || slices.ContainsFunc(skipped, func(y assignment) bool { return slices.Equal(x, y) }) {
			return
		}
		v, _, err := f.verifies(p.rewritten(p.strengths(x)))
		if err != nil {
			t.Fatal(err)
		}
		if v == verified {
			least = p.cost(x)
		}
	}
	each(0)
	return least, tried
}

// TestBruteForce compares the search with the exploration of every assignment, whatever its scopes are.
func TestBruteForce(t *testing.T) {
	for name, want := range map[string]int{"mp_global.go": 27, "spin.go": 45, "ticket.go": 405} {
		if name == "ticket.go" && !thorough.Asked() {
			continue
		}
		opt := options(strongest, func(o *Options) { o.anyScope = true })
		least, tried := brute(t, "testdata/"+name, opt)
		r := find(t, name, strongest, func(o *Options) { o.anyScope = true })
		if r.Cost != least || tried != want {
			t.Errorf("%s: cost %s, of all %d assignments %s", name, Cost(r.Cost), tried, Cost(least))
		}
	}
}

// TestBruteForceLocal compares the search with the exploration of every assignment of a flag in local memory that hands data over in global memory: all
// 32,400, with scopes that are too wide and fences that leave memory out. Those are skipped that cost as much as one which verifies, or more.
func TestBruteForceLocal(t *testing.T) {
	if !thorough.Asked() {
		t.Skip("takes some ten seconds: make check")
	}
	text, err := os.ReadFile("testdata/mp_local.go")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "mp_local.go")
	if err := os.WriteFile(name, bytes.ReplaceAll(text, []byte("cl.MemoryScopeDevice"), []byte("cl.MemoryScopeAllSVMDevices")), 0o666); err != nil {
		t.Fatal(err)
	}
	opt := options(strongest, func(o *Options) { o.anyScope, o.anyFlags = true, true })
	least, tried := brute(t, name, opt)
	r := find(t, "mp_local.go", strongest)
	if r.Cost != least || tried != 32400 {
		t.Errorf("cost %s, of all %d assignments %s", Cost(r.Cost), tried, Cost(least))
	}
}

// TestNotMonotone goes through programs in which what is stronger can go wrong (docs/optimise.md): what is printed verifies by itself.
func TestNotMonotone(t *testing.T) {
	define := func(name, value string) func(*Options) {
		return func(o *Options) {
			o.Configs = []Config{{Options: model.Options{Defines: map[string]string{name: value}}}}
		}
	}
	// N1: of two scopes that are not the same, before 3.1 neither counts (rule 3.5), so that the class moves together.
	if r := find(t, "n1.go"); r.Verdict != Optimised || !slices.Equal(changed(r), []string{"18 sub_group", "20 sub_group"}) {
		t.Errorf("N1: %s", r.Text(false))
	}
	if r := find(t, "n1.go", define("wide", "true")); r.Verdict != NotVerified || !strings.Contains(r.Why, "CL1001") {
		t.Errorf("N1, wide: %s", r.Text(false))
	}
	// N2: a seq_cst operation of work-group scope voids S (2.0).
	if r := find(t, "n2.go"); r.Verdict != Optimised || !slices.Equal(changed(r), []string{"24 relaxed sub_group"}) {
		t.Errorf("N2: %s", r.Text(false))
	}
	if r := find(t, "n2.go", define("sc", "true")); r.Verdict != NotVerified || !strings.Contains(r.Why, "under 2.0") {
		t.Errorf("N2, seq_cst: %s", r.Text(false))
	}
	// N3: a seq_cst store of a bystander allows an older value (rule 8.3): without it all five others have to stay.
	for _, name := range []string{"n3.go", "n3.litmus"} {
		if r := find(t, name); r.Verdict != Nothing {
			t.Errorf("N3, %s: %s", name, r.Text(false))
		}
	}
	if r := find(t, "n3.go", define("sc", "true")); r.Verdict != NotVerified || !strings.Contains(r.Why, "CL1004") {
		t.Errorf("N3, seq_cst: %s", r.Text(false))
	}
	// With a first store that is seq_cst, too, the older value is of S, and all of it verifies: between the two lies what does not.
	if r := find(t, "n3.go", strongest); r.Verdict != Nothing {
		t.Errorf("N3, each at its strongest: %s", r.Text(false))
	}
	// N4: a barrier that not all come to. Where it is there, the start does not verify; without it there is nothing to search.
	if r := find(t, "n4.go", define("barrier", "true")); r.Verdict != NotVerified || !strings.Contains(r.Why, "CL1003") {
		t.Errorf("N4: %s", r.Text(false))
	}
	if _, err := Run(t.Context(), "testdata/n4.go", options()); err == nil || !strings.Contains(err.Error(), "no atomic operation") {
		t.Errorf("N4 without the barrier: %v", err)
	}
	// N5: what is to be reached is reached more easily when weaker; a weaker one may race instead, and that is no way to reach it.
	if r := find(t, "mp_global.go"); r.Verdict != Optimised || r.Cost != 2*36800 {
		t.Errorf("N5: %s", r.Text(false))
	}
}

// TestLoopholes: by the text of all readings a seq_cst fence of local memory orders global memory, and by 3.0 one of a work-group orders others. No
// result rests on either, also where the fence is in a function of its own.
func TestLoopholes(t *testing.T) {
	global := func(o *Options) {
		o.Configs = []Config{{Options: model.Options{Defines: map[string]string{"local": "false"}}}}
	}
	for _, change := range []func(*Options){global, func(o *Options) { global(o); o.Strongest = true }} {
		loophole(t, "sbf.go", change)
		loophole(t, "sbfree.go", change) // where only orders of the others may change
	}
}

func loophole(t *testing.T, name string, change func(*Options)) {
	t.Helper()
	r := find(t, name, change, func(o *Options) { o.Specs = memmodel.Specs[:1] })
	for _, s := range r.p.sites {
		now := s.Strength
		if r.best != nil {
			now = r.p.strength(s, r.best)
		}
		if s.ID.Kind == ir.FenceSite && (now.Flags&memmodel.GlobalFence == 0 || now.Scope < memmodel.ScopeDevice) {
			t.Errorf("%s: the fence is %v %v", name, now.Flags, now.Scope)
		}
	}
	if r.Cost != 12000*9+800+1500+4*800 {
		t.Errorf("%s", r.Text(false))
	}
}

// TestPatch has patch -p1 make the result of the source, for texts of either language, with and without an end of the last line.
func TestPatch(t *testing.T) {
	if _, err := exec.LookPath("patch"); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"mp_global.go", "lastblock.go", "mp.cl", "spin.cl", "red.cl", "n1.go", "bare.cl"} {
		text, err := os.ReadFile("testdata/" + strings.Replace(name, "bare", "mp", 1))
		if err != nil {
			t.Fatal(err)
		}
		if name == "bare.cl" {
			text = bytes.TrimRight(bytes.Replace(text, []byte("\n  }\n}"), []byte("\n  } }"), 1), "\n")
		}
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		t.Chdir(dir)
		r, err := Run(t.Context(), model.Target(name), options())
		if err != nil || r.Verdict != Optimised {
			t.Fatal(r, err)
		}
		patch, err := r.Patch()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("patch", "-p1")
		cmd.Stdin = strings.NewReader(patch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s\n%s", name, err, out, patch)
		}
		got, _ := os.ReadFile(path)
		if string(got) != r.Texts[name] {
			t.Errorf("%s: patched it is\n%s\nand not\n%s", name, got, r.Texts[name])
		}
		if len(strings.Split(patch, "\n")) > 60 {
			t.Errorf("%s: the patch changes more than it must\n%s", name, patch)
		}
		t.Chdir(filepath.Join(wd, "."))
	}
}

var wd, _ = os.Getwd()

// TestWith: a program with other strengths is the one that the rewritten text loads as.
func TestWith(t *testing.T) {
	n := 0
	for _, name := range []string{"ticket.go", "seqlock.go", "mp_local.go", "lastblock.go", "deque.go", "spin.cl", "mp.cl", "red.cl", "n3.litmus"} {
		opt := options(strongest)
		p, err := newProblem(t.Context(), model.Target("testdata/"+name), &opt)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range 12 {
			x := make(assignment, len(p.dims))
			for d := range x {
				x[d] = uint8((seed*7 + d*5 + seed*d) % len(p.dims[d].values))
				if p.dims[d].kind == orderDim && p.sites[p.dims[d].sites[0]].ID.Kind == ir.FenceSite {
					x[d] = max(x[d], 1) // a fence that is gone leaves a hole in the code
				}
			}
			now := p.strengths(x)
			l := p.launches[0]
			m, err := p.reload(t.Context(), l, p.rewritten(now))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want, got := sitesOf(l.m.Program.With(now)), sitesOf(m.Program)
			if want != got {
				t.Errorf("%s: with other strengths\n%s\nthe rewritten text\n%s", name, want, got)
			}
			n++
		}
	}
	if n < 100 {
		t.Errorf("only %d programs", n)
	}
}

// TestAgain: what is found again of the facts of a program is what is found of it, also where fences and barriers are gone.
func TestAgain(t *testing.T) {
	for _, name := range []string{"ticket.go", "mp_local.go", "lastblock.go", "mp.cl", "red.cl", "sbf.go", "../../../models/shipped/subgroup_barrier/main.go"} {
		opt := options(strongest, func(o *Options) { o.RemoveBarriers = true })
		p, err := newProblem(t.Context(), model.Target("testdata/"+name), &opt)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range 20 {
			x := make(assignment, len(p.dims))
			for d := range x {
				x[d] = uint8((seed*7 + d*5 + seed*d) % len(p.dims[d].values))
			}
			base := p.launches[0].m.Program
			with := base.With(p.strengths(x))
			for _, spec := range memmodel.Specs {
				if a, b := facts.Of(base, spec).Again(with), facts.Of(with, spec); !reflect.DeepEqual(a, b) {
					t.Errorf("%s under %s: the facts that are found again are not those that are found, with %v", name, spec.Name, p.strengths(x))
				}
			}
		}
	}
}

// sitesOf tells how all operations of a program synchronise, in the order of the code.
func sitesOf(p *ir.Program) string {
	var b strings.Builder
	for fn, f := range p.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			fmt.Fprintln(&b, fn, pc, in.Op, in.Order, in.Scope, in.Flags, in.Op == ir.OpCmpXchg && in.FailOrder == memmodel.Acquire)
		}
	}
	return b.String()
}

// TestHurry tests that there is no step that goes on when the time is over: not the analysis of a model that piles up messages, and nothing of a
// repair.
func TestHurry(t *testing.T) {
	spin := filepath.Join(t.TempDir(), "spin.go")
	if err := os.WriteFile(spin, []byte(endless), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{0, 10 * time.Millisecond, 100 * time.Millisecond} {
		for _, name := range []string{spin, "testdata/seqlock.go"} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), after, errors.New("the time limit was met"))
			if after == 0 {
				<-ctx.Done()
			}
			took := busy.Start()
			r, err := Run(ctx, model.Target(name), options(strongest))
			if err != nil || r.Text(true) == "" || r.Document() == nil || after == 0 && (r.Verdict != Inconclusive || !strings.Contains(r.Why, "the time limit was met")) {
				t.Errorf("optimise %s within %v: %+v %v", name, after, r, err)
			}
			q, err := Repair(ctx, model.Target(name), options())
			if err != nil || q.Text(true) == "" || q.Document() == nil || after == 0 && (q.Verdict != Inconclusive || !strings.Contains(q.Why, "the time limit was met")) {
				t.Errorf("repair %s within %v: %+v %v", name, after, q, err)
			}
			if limit := after + time.Second; took.Over(limit) {
				t.Errorf("%s within %v: it takes %v", name, after, took)
			}
			cancel()
		}
	}
}

// TestNotAllUnits tests that where not all units are known, no scope is too narrow for those that are not.
func TestNotAllUnits(t *testing.T) {
	opt := options()
	p, err := newProblem(t.Context(), "testdata/seqlock.go", &opt)
	if err != nil {
		t.Fatal(err)
	}
	l := p.launches[0]
	if !l.whole || len(l.cast) == 0 {
		t.Fatal("its execution has an end")
	}
	l.cast, l.whole = l.cast[:1], false
	if s := p.floor([]int{0}); s != memmodel.ScopeDevice {
		t.Errorf("the narrowest scope is %v", s)
	}
	l.cast = nil
	if l.findUnits(facts.Of(l.m.Program, memmodel.Specs[0]), func() bool { return true }); l.whole || l.cast != nil {
		t.Errorf("without any time, %d units were found", len(l.cast))
	}
}

// endless has work-items that write until somebody else does, which nobody does: each round leaves a message.
const endless = `package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt
var done cl.AtomicInt

func k() {
	for cl.AtomicLoadExplicit(&done, cl.MemoryOrderAcquire, cl.MemoryScopeDevice) == 0 {
		cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderAcqRel, cl.MemoryScopeDevice)
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 2))
	cl.Finish()
}
`

// TestTime: when there is no time, nothing is printed that was not verified.
func TestTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	r, err := Run(ctx, "testdata/seqlock.go", options(strongest))
	if err != nil || r.Verdict != Inconclusive || r.Texts != nil {
		t.Errorf("%v %v", r, err)
	}
	for _, after := range []int{1, 2, 3} {
		opt := options(strongest)
		p, err := newProblem(t.Context(), "testdata/seqlock.go", &opt)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		f := &finder{problem: p, checker: newChecker(p), ctx: ctx, r: &Result{p: p, Was: p.written()}}
		f.begun = func(n int) {
			if n > after {
				cancel()
			}
		}
		if err := f.run(); err != nil {
			t.Fatal(err)
		}
		fresh(t, f.r, opt)
		if f.r.Verdict == Optimised && !f.r.Late {
			t.Errorf("stopped after %d checks: %s", after, f.r.Line())
		}
	}
}

// searched runs a search in which some assignments cannot be decided.
func searched(t *testing.T, name string, opt Options, undecidable ...assignment) *Result {
	t.Helper()
	p, err := newProblem(t.Context(), model.Target("testdata/"+name), &opt)
	if err != nil {
		t.Fatal(err)
	}
	f := &finder{problem: p, checker: newChecker(p), ctx: t.Context(), r: &Result{Model: "testdata/" + name, p: p, Was: p.written()}}
	f.store = &log{lines: map[string]*line{}} // which knows of these, and keeps nothing
	for _, x := range undecidable {
		key, _ := keyOf(p.strengths(x))
		f.store.lines[key] = &line{Key: key, Verdict: verdictWords[undecided]}
	}
	if err := f.run(); err != nil {
		t.Fatal(err)
	}
	fresh(t, f.r, opt)
	return f.r
}

// TestInconclusive: where a candidate cannot be decided, in the middle of others that can, it is no result, the cheapest of the others is, and it is told.
func TestInconclusive(t *testing.T) {
	for _, name := range []string{"spin.go", "mp_global.go", "ticket.go"} {
		opt := options(strongest)
		var cannot []assignment
		for n := range 3 { // the cheapest, then that and the next
			r := searched(t, name, opt, cannot...)
			want, _ := brute(t, "testdata/"+name, opt, cannot...)
			told := strings.Contains(r.Text(false), "could not be decided, and counts as not verified")
			if r.Verdict != Optimised || r.Cost != want || told != (n > 0) || r.Undecided < n {
				t.Errorf("%s, %d undecided: cost %s, of the others the cheapest costs %s\n%s", name, n, Cost(r.Cost), Cost(want), r.Text(false))
			}
			cannot = append(cannot, slices.Clone(r.best))
			if name == "ticket.go" && !thorough.Asked() {
				break
			}
		}
		// What --fast comes by on the way down, one after the other: what it ends with verifies, and costs no less.
		opt.Fast = true
		ways := searched(t, name, opt)
		for d := range ways.best {
			for v := range ways.p.dims[d].values {
				x := slices.Clone(ways.best)
				if x[d] = uint8(v); slices.Equal(x, ways.best) {
					continue
				}
				if r := searched(t, name, opt, x); r.Verdict != Optimised || r.Cost < ways.Cost {
					t.Errorf("%s --fast, %v undecided: cost %s, was %s", name, x, Cost(r.Cost), Cost(ways.Cost))
				}
			}
		}
	}
}

// TestExact: a candidate that could not be decided says nothing of weaker ones, and is none of the results.
func TestExact(t *testing.T) {
	opt := options(strongest)
	p, err := newProblem(t.Context(), "testdata/ticket.go", &opt)
	if err != nil {
		t.Fatal(err)
	}
	never := func() bool { return false }
	top := p.ends(true)
	x, cost := p.cheapest([]*core{{x: top, exact: true}}, unlimited, never)
	if !slices.Equal(x, p.ends(false)) || cost != p.cost(x) {
		t.Errorf("with the strongest undecided: %v", x)
	}
	if x, _ := p.cheapest([]*core{{x: top}}, unlimited, never); x != nil {
		t.Errorf("with the strongest refuted: %v", x)
	}
	y, more := p.cheapest([]*core{{x: p.ends(false), exact: true}}, unlimited, never)
	if slices.Equal(y, p.ends(false)) || more <= cost {
		t.Errorf("with the weakest undecided: %v", y)
	}
}
