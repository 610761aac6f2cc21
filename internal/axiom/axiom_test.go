package axiom

import (
	"reflect"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// candidates bounds what is tried of a random program. What meets the bound tells nothing, so that most of the time would go there.
var candidates = thorough.Of(2_000, 20_000)

func TestDeterminism(t *testing.T) {
	t.Parallel()
	for i, style := range randprog.Styles() {
		for seed := range uint64(thorough.Of(1, 10)) {
			for j, spec := range memmodel.Specs {
				if !thorough.Asked() && (i+j)%len(memmodel.Specs) != 0 { // each style under one reading
					continue
				}
				a, errA := Run(style.Program(seed), spec, Options{MaxCandidates: candidates})
				b, errB := Run(style.Program(seed), spec, Options{MaxCandidates: candidates})
				if !reflect.DeepEqual(a, b) || (errA == nil) != (errB == nil) {
					t.Fatalf("style %s seed %d: %v, then %v", style, seed, a, b)
				}
			}
		}
	}
}

// TestEveryProgramHasAnExecution: the axioms never exclude all executions.
func TestEveryProgramHasAnExecution(t *testing.T) {
	t.Parallel()
	for _, style := range randprog.Styles() {
		for seed := range uint64(thorough.Of(6, 100)) {
			r, err := Run(style.Program(seed), memmodel.Specs[0], Options{MaxCandidates: candidates})
			if err == nil && r.Executions == 0 {
				t.Errorf("style %s seed %d: no execution", style, seed)
			}
		}
	}
}

// TestBehindFailedAssumptions: two threads draw roles from a counter. One awaits what the other one
// writes, by an assumption. Whatever the roles, there is an execution in which the one has
// seen the write, though no thread comes to its end by the counter's first value alone.
func TestBehindFailedAssumptions(t *testing.T) {
	b := randprog.NewBuilder("roles")
	role, y := b.Atomic("role"), b.Atomic("y")
	for range 2 {
		k := b.Thread(memmodel.Place{})
		r := k.Reg()
		k.RMWInto(r, ir.Add, role, k.Int(1), memmodel.Relaxed, memmodel.ScopeDevice)
		k.If(r, func() { k.Store(y, k.Int(1), memmodel.Relaxed, memmodel.ScopeDevice) }, func() {
			k.Assume(k.Load(y, memmodel.Relaxed, memmodel.ScopeDevice))
		})
	}
	r, err := Run(b.Program(), memmodel.Specs[0], Options{})
	if err != nil || r.Executions != 2 || r.Undefined() {
		t.Errorf("%v, %+v, want two executions", err, r)
	}
}

// TestWeakerReadings: what one reading allows, a weaker one allows as well.
func TestWeakerReadings(t *testing.T) {
	t.Parallel()
	stronger := memmodel.Spec{SCBoth: true, SC: memmodel.SCSimplified}
	weaker := []memmodel.Spec{
		{SCBoth: true, SC: memmodel.SCPartial},
		{SCBoth: true},
		{SCBoth: true, SC: memmodel.SCSimplified, SCConditional: true},
	}
	for _, style := range randprog.Styles() {
		for seed := range uint64(thorough.Of(4, 30)) {
			p := style.Program(seed)
			strong, err := Run(p, stronger, Options{MaxCandidates: candidates})
			if err != nil {
				continue
			}
			for i, spec := range weaker {
				weak, _ := Run(p, spec, Options{MaxCandidates: candidates})
				for o := range strong.Outcomes {
					if !weak.Outcomes[o] {
						t.Errorf("style %s seed %d: weaker reading %d excludes %s", style, seed, i, o)
					}
				}
			}
		}
	}
}

// TestPrefixes: what goes wrong in a beginning that is consistent by itself goes
// wrong in an execution, since what is performed next may always read what is
// newest, and come last in every modification order and in S; and the other way
// round. docs/semantics.md, section 4, says so of the machine's.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	compared, wrong, seeds := 0, 0, thorough.Of(10, 40)
	for _, style := range []randprog.Style{randprog.Gaps, randprog.SC, randprog.CAS, randprog.RS, randprog.Relays, randprog.Chains} {
		for seed := range uint64(seeds) {
			p := style.Program(seed)
			for _, spec := range memmodel.Specs {
				whole, err := Run(p, spec, Options{MaxCandidates: candidates})
				if err != nil {
					continue
				}
				begun, err := Run(p, spec, Options{MaxCandidates: 3 * candidates, Prefixes: true})
				if err != nil {
					continue
				}
				compared++
				if whole.Undefined() {
					wrong++
				}
				if whole.Race != begun.Race || whole.Uninit != begun.Uninit || whole.Failed != begun.Failed {
					t.Errorf("style %s seed %d spec %s: %+v, of beginnings %+v\n%s", style, seed, spec.Name, whole, begun, randprog.Format(p))
				}
			}
		}
	}
	if compared < 7*seeds || wrong < seeds || compared-wrong < seeds {
		t.Errorf("only %d programs compared, %d of which go wrong", compared, wrong)
	}
}

func TestOutcomeKey(t *testing.T) {
	if got, want := OutcomeKey(map[string]int64{"x": -1, "1:r0": 2, "0:r0": 3}), "0:r0=3 1:r0=2 x=-1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTraps checks programs of the kinds that the reference enumerator does
// not cover.
func TestTraps(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		spec             memmodel.Spec
	}{
		{"all_svm_devices means device on coarse memory (rule 2.4)", mpAcross("svm_coarse", 1), "race", memmodel.Specs[0]},
		{"fine-grained memory with atomics is shared by devices", mpAcross("svm_fine_atomics", 1), "ok", memmodel.Specs[0]},
		{"within a device the kind does not matter", mpAcross("svm_coarse", 0), "ok", memmodel.Specs[0]},
		{"sub-groups of one work-group", subGroups("sub_group", 0), "ok", memmodel.Specs[0]},
		{"sub-group scope across sub-groups", subGroups("sub_group", 1), "race", memmodel.Specs[0]},
		{"sub-group barriers do not join sub-groups", subBarrier(1), "race", memmodel.Specs[0]},
		{"sub-group barrier", subBarrier(0), "ok", memmodel.Specs[0]},
		{"different trip counts", trips(1, 2), "divergence", memmodel.Specs[0]},
		{"same trip counts", trips(1, 1), "ok", memmodel.Specs[0]},
		{"uninitialised cell read atomically", uninit, "uninit", memmodel.Specs[0]},
		{"address out of range", "object a[2] global svm_coarse plain = 0\nthread P0 device 0 kernel 0 group 0 sub 0\nr = add &a[0] 2\nstore *r 1\n", "failed", memmodel.Specs[0]},
	} {
		p, err := randprog.Parse(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r, err := Run(p, c.spec, Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := verdictOf(r).flags
		if r.Failed {
			got = "failed"
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s\n%s", c.name, got, c.want, c.text)
		}
	}
}

func mpAcross(kind string, device byte) string {
	return "object d global " + kind + " plain = 0\nobject x global " + kind + " atomic = 0\n" +
		"thread P0 device 0 kernel 0 group 0 sub 0\nstore d 1\nstore x 1 release all_svm_devices\n" +
		"thread P1 device " + string('0'+device) + " kernel 0 group 1 sub 0\nr = load x acquire all_svm_devices\nunless r goto E\ns = load d\nE:\n"
}

func subGroups(scope string, sub byte) string {
	return "object d global svm_coarse plain = 0\nobject x global svm_coarse atomic = 0\n" +
		"thread P0 device 0 kernel 0 group 0 sub 0\nstore d 1\nstore x 1 release " + scope + "\n" +
		"thread P1 device 0 kernel 0 group 0 sub " + string('0'+sub) + "\nr = load x acquire " + scope + "\nunless r goto E\ns = load d\nE:\n"
}

func subBarrier(sub byte) string {
	return "object d local svm_coarse plain = 0\n" +
		"thread P0 device 0 kernel 0 group 0 sub 0\nstore d 1\nsub_barrier B local sub_group\n" +
		"thread P1 device 0 kernel 0 group 0 sub " + string('0'+sub) + "\nsub_barrier B local sub_group\nr = load d\nobserve 1:r r\n"
}

func trips(a, b int) string {
	return "thread P0 device 0 kernel 0 group 0 sub 0\n" + strings.Repeat("round 0\n", a) + "barrier B local work_group in 0\n" +
		"thread P1 device 0 kernel 0 group 0 sub 0\n" + strings.Repeat("round 0\n", b) + "barrier B local work_group in 0\n"
}

const uninit = `
object x local svm_coarse atomic uninit
thread P0 device 0 kernel 0 group 0 sub 0
	store x 1 relaxed work_group
thread P1 device 0 kernel 0 group 0 sub 0
	r = load x relaxed work_group
`

func TestIllegalUses(t *testing.T) {
	head := "object x global svm_coarse atomic = 0\nobject d global svm_coarse plain = 0\nthread P0 device 0 kernel 0 group 0 sub 0\n"
	for _, code := range []string{
		"r = load x release device", "store x 1 acquire device", "store d 1 relaxed device",
		"r s = cas x 0 1 acq_rel release device", "fence 0 release device",
		"A:\nr = load x relaxed device\nunless r goto A",
	} {
		p, err := randprog.Parse(head + code)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(p, memmodel.Specs[0], Options{}); err == nil {
			t.Errorf("accepted %q", code)
		}
	}
}
