package axiom

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// classic are tests whose answer is derived by hand from the rules. Threads are of one device, each of a
// work-group of its own, on atomic x, y and z and ordinary d in global memory; operations without scope have
// device scope. want is the account: the rules of the chain and the chain, or what else becomes of the
// candidates.
var classic = []struct {
	name, specs string
	threads     []string
	asked       string // x=1 y=2 ...
	want        string
}{
	// W x is sequenced before W y, which synchronises with the R y that reads it (6.1), which is sequenced
	// before R x. The initial value of x is older than what W x wrote: 7.6 excludes that.
	{"MP", "3.0 2.0 3.1 popl16 popl16-scoped", []string{"store x 1 relaxed; store y 1 release", "r = load y acquire; s = load x relaxed; observe r r; observe s s"},
		"r=1 s=0", "7.6: P0 W x -is sequenced before> P0 W y -synchronises with (6.1)> P1 R y -is sequenced before> P1 R x -reads an older value than that of> P0 W x"},
	// The same by fences: 6.3.
	{"MP+fences", "3.0 popl16", []string{"store x 1 relaxed; fence global release; store y 1 relaxed", "r = load y relaxed; fence global acquire; s = load x relaxed; observe r r; observe s s"},
		"r=1 s=0", "7.6: P0 W x -is sequenced before> P0 F -synchronises with (6.3)> P1 F -is sequenced before> P1 R x -reads an older value than that of> P0 W x"},
	{"MP+fence+acquire", "3.0", []string{"store x 1 relaxed; fence global release; store y 1 relaxed", "r = load y acquire; s = load x relaxed; observe r r; observe s s"},
		"r=1 s=0", "7.6: P0 W x -is sequenced before> P0 F -synchronises with (6.4)> P1 R y -is sequenced before> P1 R x -reads an older value than that of> P0 W x"},
	{"MP+release+fence", "3.0", []string{"store x 1 relaxed; store y 1 release", "r = load y relaxed; fence global acquire; s = load x relaxed; observe r r; observe s s"},
		"r=1 s=0", "7.6: P0 W x -is sequenced before> P0 W y -synchronises with (6.5)> P1 F -is sequenced before> P1 R x -reads an older value than that of> P0 W x"},
	// Nothing synchronises without release, with work-group scope across work-groups (6.2), or, before 3.1, with
	// scopes that differ (3.5); with those of 3.1 it does (3.6). Where scopes do not include each other the
	// accesses to y race as well, and an execution that races has no outcome (9.1, 9.2).
	{"MP+relaxed", "3.0 popl16", []string{"store x 1 relaxed; store y 1 relaxed", "r = load y acquire; s = load x relaxed; observe r r; observe s s"},
		"r=1 s=0", "allowed"},
	{"MP+scopes", "3.0 2.0 3.1 popl16", []string{"store x 1 relaxed; store y 1 release work_group", "r = load y acquire work_group; s = load x relaxed; observe r r; observe s s"},
		"r=1 s=0", "race P0 W y, P1 R y"},
	{"MP+mixed", "3.0 2.0", []string{"store x 1 relaxed; store y 1 release all_svm_devices", "r = load y acquire device; s = load x relaxed; observe r r; observe s s"},
		"r=1 s=0", "race P0 W y, P1 R y"},
	{"MP+mixed", "3.1", []string{"store x 1 relaxed; store y 1 release all_svm_devices", "r = load y acquire device; s = load x relaxed; observe r r; observe s s"},
		"r=1 s=0", "7.6: P0 W x -is sequenced before> P0 W y -synchronises with (6.1)> P1 R y -is sequenced before> P1 R x -reads an older value than that of> P0 W x"},
	// Ordinary data: the newest value is the only one that it may read (7.1), which is what 7.6 says, too.
	{"MP+data", "3.0", []string{"store d 1; store y 1 release", "r = load y acquire; unless r goto E; s = load d; observe s s; E:; observe r r"},
		"r=1 s=0", "7.6: P0 W d -is sequenced before> P0 W y -synchronises with (6.1)> P1 R y -is sequenced before> P1 R d -reads an older value than that of> P0 W d"},
	// Each load reads the initial value, so that it precedes the store to its location in S (8.3), which precedes
	// the other load (8.2).
	{"SB+sc", "3.0 2.0 3.1 popl16 popl16-scoped", []string{"store x 1 seq_cst; r = load y seq_cst; observe r r", "store y 1 seq_cst; s = load x seq_cst; observe s s"},
		"r=0 s=0", "8.2, 8.3: P0 W x -is sequenced before> P0 R y -reads an older value than that of> P1 W y -is sequenced before> P1 R x -reads an older value than that of> P0 W x"},
	{"SB+acq_rel", "3.0 popl16", []string{"store x 1 release; r = load y acquire; observe r r", "store y 1 release; s = load x acquire; observe s s"},
		"r=0 s=0", "allowed"},
	// 8.6, twice: a fence behind whose access something older is read precedes the fence before which that is written.
	{"SB+fences", "3.0 popl16", []string{"store x 1 relaxed; fence global seq_cst; r = load y relaxed; observe r r", "store y 1 relaxed; fence global seq_cst; s = load x relaxed; observe s s"},
		"r=0 s=0", "8.6: P0 F -is sequenced before> P0 R y -reads an older value than that of> P1 W y -is sequenced before> P1 F -is sequenced before> P1 R x -reads an older value than that of> P0 W x -is sequenced before> P0 F"},
	// P1 reads x=1, then the initial value, which is older: 7.4.
	{"CoRR", "3.0 2.0 3.1 popl16 popl16-scoped", []string{"store x 1 relaxed", "r = load x relaxed; s = load x relaxed; observe r r; observe s s"},
		"r=1 s=0", "7.4: P1 R x -is sequenced before> P1 R x -reads an older value than that of> P0 W x -is read by> P1 R x"},
	// The final value is the last in modification order, against 7.3.
	{"CoWW", "3.0", []string{"store x 1 relaxed; store x 2 relaxed"},
		"x=1", "7.3: P0 W x -is sequenced before> P0 W x -is earlier in modification order than> P0 W x"},
	{"CoWR", "3.0", []string{"store x 1 relaxed; r = load x relaxed; observe r r"},
		"r=0", "7.6: P0 W x -is sequenced before> P0 R x -reads an older value than that of> P0 W x"},
	// It reads what is written after it: 7.2.
	{"CoRW1", "3.0", []string{"r = load x relaxed; store x 1 relaxed; observe r r"},
		"r=1", "7.2: P0 R x -is sequenced before> P0 W x -is read by> P0 R x"},
	// It reads x=2 before it writes x=1, but x=2 is last: 7.5.
	{"CoRW2", "3.0", []string{"r = load x relaxed; store x 1 relaxed; observe r r", "store x 2 relaxed"},
		"r=2 x=2", "7.5: P0 R x -is sequenced before> P0 W x -is earlier in modification order than> P1 W x -is read by> P0 R x"},
	// Of two read-modify-writes that read the same, the later one does not come right behind it: 7.7.
	{"RMW", "3.0", []string{"r = rmw add x 1 relaxed; observe r r", "s = rmw add x 1 relaxed; observe s s"},
		"r=0 s=0", "7.7: P1 U x -reads an older value than that of> P0 U x -is earlier in modification order than> P1 U x"},
	// Both final values are those of the stores that are sequenced first. 8.2 and the modification orders make a circle in S.
	{"2+2W+sc", "3.0 popl16", []string{"store x 1 seq_cst; store y 2 seq_cst", "store y 1 seq_cst; store x 2 seq_cst"},
		"x=1 y=1", "8.2: P0 W x -is sequenced before> P0 W y -is earlier in modification order than> P1 W y -is sequenced before> P1 W x -is earlier in modification order than> P0 W x"},
	{"2+2W+release", "3.0 popl16", []string{"store x 1 release; store y 2 release", "store y 1 release; store x 2 release"}, "x=1 y=1", "allowed"},
	// 8.7 twice.
	{"2+2W+fences", "3.0", []string{"store x 1 relaxed; fence global seq_cst; store y 2 relaxed", "store y 1 relaxed; fence global seq_cst; store x 2 relaxed"},
		"x=1 y=1", "8.7: P0 F -is sequenced before> P0 W y -is earlier in modification order than> P1 W y -is sequenced before> P1 F -is sequenced before> P1 W x -is earlier in modification order than> P0 W x -is sequenced before> P0 F"},
	// Each reader reads one store, then an initial value. The store precedes the load of it in S, that precedes the other load
	// (8.2), and that the other store (8.3).
	{"IRIW+sc", "3.0 2.0 3.1 popl16 popl16-scoped", []string{"store x 1 seq_cst", "store y 1 seq_cst", "r = load x seq_cst; s = load y seq_cst; observe r r; observe s s", "t = load y seq_cst; u = load x seq_cst; observe t t; observe u u"},
		"r=1 s=0 t=1 u=0", "8.2, 8.3: P0 W x -synchronises with (6.1)> P2 R x -is sequenced before> P2 R y -reads an older value than that of> P1 W y -synchronises with (6.1)> P3 R y -is sequenced before> P3 R x -reads an older value than that of> P0 W x"},
	{"IRIW+acquire", "3.0", []string{"store x 1 release", "store y 1 release", "r = load x acquire; s = load y acquire; observe r r; observe s s", "t = load y acquire; u = load x acquire; observe t t; observe u u"},
		"r=1 s=0 t=1 u=0", "allowed"},
	// Fences between the loads only: OpenCL has not adopted what would exclude it (8.9).
	{"IRIW+fences", "3.0", []string{"store x 1 relaxed", "store y 1 relaxed", "r = load x relaxed; fence global seq_cst; s = load y relaxed; observe r r; observe s s", "t = load y relaxed; fence global seq_cst; u = load x relaxed; observe t t; observe u u"},
		"r=1 s=0 t=1 u=0", "allowed"},
	// What is written depends on what is read, and that on it: rule 7.8 alone excludes values out of thin air.
	{"LB+data", "3.0 popl16", []string{"r = load x relaxed; store y r relaxed; observe r r", "s = load y relaxed; store x s relaxed; observe s s"},
		"r=42 s=42", "7.8: P0 R x -decides about> P0 W y -is read by> P1 R y -decides about> P1 W x -is read by> P0 R x"},
	// Without dependencies it is allowed; with release and acquire, each read happens before the write that the
	// other reads, which synchronises with that: ghb has a circle (5.6).
	{"LB", "3.0", []string{"r = load x relaxed; store y 1 relaxed; observe r r", "s = load y relaxed; store x 1 relaxed; observe s s"}, "r=1 s=1", "allowed"},
	{"LB+acq_rel", "3.0", []string{"r = load x acquire; store y 1 release; observe r r", "s = load y acquire; store x 1 release; observe s s"}, "r=1 s=1",
		"5.6: P0 R x -is sequenced before> P0 W y -synchronises with (6.1)> P1 R y -is sequenced before> P1 W x -synchronises with (6.1)> P0 R x"},
	// A barrier without the memory's flag orders nothing of it, but who stores behind it has come there after who has loaded before it: 11.4.
	{"LB+barriers", "3.0 popl16", []string{"r = load x relaxed; barrier B local work_group; store y 1 relaxed; observe r r", "s = load y relaxed; barrier B local work_group; store x 1 relaxed; observe s s"},
		"r=1 s=1", "11.4: P0 R x -cannot be overtaken by> P0 B -is waited for by> P1 B -cannot be overtaken by> P1 W x -is read by> P0 R x"},
	// Rule 8.3 leaves the load of x=1, which is not seq_cst, two places in S: behind x=2 it must not read what happens before
	// that, so that it stands before x=2, which goes round.
	{"hidden store", "3.0", []string{"store x 1 relaxed; store x 2 seq_cst; r = load z seq_cst; observe r r", "store z 1 seq_cst; s = load x seq_cst; observe s s"},
		"r=0 s=1", "8.2, 8.3: P0 W x -is sequenced before> P0 R z -reads an older value than that of> P1 W z -is sequenced before> P1 R x -reads an older value than that of> P0 W x"},
	// That one could be put before what it reads, in modification order, would break 7.7 as well, but is not why.
	{"RMW of one store", "3.0", []string{"r = rmw add x 1 relaxed; observe r r", "s = rmw add x 1 relaxed; observe s s", "store x 5 relaxed"},
		"r=5 s=5", "7.7: P1 U x -reads an older value than that of> P0 U x -is earlier in modification order than> P1 U x"},
	// 2 is written and read, and nothing forbids that, but who reads it does not come to its end.
	{"assertion", "3.0", []string{"store x 2 relaxed", "r = load x relaxed; t = ne r 2; assert t; observe r r"}, "r=2", "none at its end"},
	{"assumption", "3.0", []string{"store x 2 relaxed", "r = load x relaxed; t = ne r 2; assume t; observe r r"}, "r=2", "none at its end"},
	// Nobody ever writes 7.
	{"values", "3.0", []string{"store x 1 relaxed", "r = load x relaxed; observe r r"}, "r=7", "none"},
}

func classicProgram(t *testing.T, threads []string) *ir.Program {
	text := ""
	for _, v := range []string{"x", "y", "z"} {
		text += "object " + v + " global svm_coarse atomic = 0\n"
	}
	text += "object d global svm_coarse plain = 0\n"
	for i, code := range threads {
		group := i
		if strings.Contains(code, "barrier") {
			group = 0
		}
		text += fmt.Sprintf("thread P%d device 0 kernel 0 group %d sub 0\n", i, group)
		for _, op := range strings.Split(code, "; ") {
			for _, order := range []string{"relaxed", "acquire", "release", "acq_rel", "seq_cst"} {
				if strings.HasSuffix(op, " "+order) {
					op += " device"
				}
			}
			text += op + "\n"
		}
	}
	p, err := randprog.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

// asking asks for the values of a text such as x=1 r=0.
func asking(text string) Question {
	want := map[string]int64{}
	var values []int64
	for _, part := range strings.Fields(text) {
		name, v, _ := strings.Cut(part, "=")
		n := int64(0)
		fmt.Sscan(v, &n)
		want[name] = n
		values = append(values, n)
	}
	return Question{Values: values, Holds: func(value func(string) (int64, bool)) (holds, known bool) {
		known = true
		for name, n := range want {
			v, ok := value(name)
			if ok && v != n {
				return false, true
			}
			known = known && ok
		}
		return known, known
	}}
}

func shownEvent(p *ir.Program, e *Event) string {
	if e.Initial {
		return "init " + e.Location
	}
	kind := map[ir.Op]string{ir.OpLoad: "R", ir.OpStore: "W", ir.OpRMW: "U", ir.OpFence: "F", ir.OpBarrier: "B"}[p.Funcs[e.Site.Func].Code[e.Site.PC].Op]
	return strings.TrimSpace(e.Thread + " " + kind + " " + e.Location)
}

func shownAccount(p *ir.Program, a *Account) string {
	switch {
	case a.Allowed:
		return "allowed"
	case a.Wrong > 0:
		return "race " + shownEvent(p, &a.Race[0]) + ", " + shownEvent(p, &a.Race[1])
	case a.Candidates == 0 && a.Ended:
		return "none at its end"
	case a.Candidates == 0:
		return "none"
	}
	s := a.Rule + ":"
	for i := range a.Chain {
		e := &a.Chain[i]
		rule := ""
		if e.Relation == Synchronises {
			rule = " (" + e.Rule + ")"
		}
		s += fmt.Sprintf(" %s -%s%s>", shownEvent(p, &e.From), e.Relation, rule)
		if next := &a.Chain[(i+1)%len(a.Chain)]; e.To != next.From {
			s += " BROKEN"
		}
	}
	return s + " " + shownEvent(p, &a.Chain[0].From)
}

// TestWhyNot compares accounts with those derived by hand. Where a chain goes round in a circle it does not matter
// where it begins.
func TestWhyNot(t *testing.T) {
	for _, c := range classic {
		for _, name := range strings.Fields(c.specs) {
			spec, err := memmodel.ParseSpec(name)
			if err != nil {
				t.Fatal(err)
			}
			p := classicProgram(t, c.threads)
			a, err := WhyNot(p, spec, asking(c.asked))
			if err != nil {
				t.Errorf("%s under %s: %v", c.name, name, err)
				continue
			}
			if got := shownAccount(p, a); !sameCircle(got, c.want) {
				t.Errorf("%s under %s:\n%s, want\n%s", c.name, name, got, c.want)
			}
		}
	}
}

// sameCircle compares chains wherever they begin.
func sameCircle(a, b string) bool {
	ruleA, edgesA := edgesOf(a)
	ruleB, edgesB := edgesOf(b)
	if ruleA != ruleB || len(edgesA) != len(edgesB) {
		return false
	}
	for shift := range edgesA {
		if strings.Join(append(edgesA[shift:len(edgesA):len(edgesA)], edgesA[:shift]...), "> ") == strings.Join(edgesB, "> ") {
			return true
		}
	}
	return len(edgesA) == 0
}

func edgesOf(chain string) (rule string, edges []string) {
	rule, rest, found := strings.Cut(chain, ": ")
	if !found {
		return chain, nil
	}
	edges = strings.Split(rest, "> ")
	return rule, edges[:len(edges)-1]
}
