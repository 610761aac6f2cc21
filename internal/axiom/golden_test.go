package axiom

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
)

// reading is a name of testdata/README.md with its meaning.
type reading struct {
	name string
	spec memmodel.Spec
	opt  Options
}

func readings() []reading {
	rules := map[string]memmodel.SCRule{"spec": memmodel.SCText, "partial": memmodel.SCPartial, "simp": memmodel.SCSimplified}
	var all []reading
	for name, rule := range rules {
		for _, wider := range []memmodel.Inclusion{memmodel.SameScope, memmodel.WiderScope} {
			for _, both := range []bool{true, false} {
				s := memmodel.Spec{SC: rule, Inclusion: wider, SCBoth: both, Kindless: true}
				all = append(all, reading{name: readingName(name, s), spec: s})
			}
		}
	}
	scoped := memmodel.Spec{SC: memmodel.SCScoped, Kindless: true}
	lb := Options{LoadBuffering: true}
	return append(all,
		reading{"scoped.same.strict", scoped, Options{}},
		reading{"spec.same.both.lb", memmodel.Spec{SCBoth: true, Kindless: true}, lb},
		reading{"simp.same.strict.lb", memmodel.Spec{SC: memmodel.SCSimplified, Kindless: true}, lb})
}

func readingName(rule string, s memmodel.Spec) string {
	scope, both := "same", "strict"
	if s.Inclusion == memmodel.WiderScope {
		scope = "wider"
	}
	if s.SCBoth {
		both = "both"
	}
	return rule + "." + scope + "." + both
}

// verdict is what a program shows under one reading.
type verdict struct {
	flags      string
	executions int
	outcomes   []string
}

func (v verdict) String() string {
	return fmt.Sprintf("%s executions %d\n%s", v.flags, v.executions, strings.Join(v.outcomes, "\n"))
}

func verdictOf(r Result) verdict {
	var flags []string
	for _, f := range []struct {
		set  bool
		name string
	}{{r.Race, "race"}, {r.Uninit, "uninit"}, {r.Divergence, "divergence"}} {
		if f.set {
			flags = append(flags, f.name)
		}
	}
	if flags == nil {
		flags = []string{"ok"}
	}
	return verdict{strings.Join(flags, " "), r.Executions, r.List()}
}

// golden is the verdicts of one program by reading, "all" for every one.
type golden map[string]verdict

func readGolden(t *testing.T) map[string]golden {
	text, err := os.ReadFile("testdata/named.golden")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]golden{}
	for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(block, "\n")
		g := golden{}
		for _, part := range strings.Split(strings.Join(lines[1:], "\n"), "verdict ")[1:] {
			lines := strings.Split(strings.TrimSpace(part), "\n")
			head, where, _ := strings.Cut(lines[0], " in ")
			var v verdict
			v.flags, head, _ = strings.Cut(head, " executions ")
			fmt.Sscan(head, &v.executions)
			for _, o := range lines[1:] {
				v.outcomes = append(v.outcomes, strings.TrimSpace(o))
			}
			for _, w := range strings.Fields(where) {
				g[w] = v
			}
		}
		all[strings.TrimPrefix(lines[0], "name ")] = g
	}
	return all
}

// unknown are the named programs, or families of them, of commands and images, which the reference does not
// know, and those that came after it. Their verdicts are by hand: here in TestNamedCommands, in
// explore's TestByHand, and in the comments of those that came after it.
var unknown = []string{"enq", "map", "finish", "status", "callback", "thread", "image", "merged", "passed", "work-item-scope", "sub-group-scope"}

func TestAgainstReferenceEnumerator(t *testing.T) {
	want := readGolden(t)
	compared := 0
	for _, p := range randprog.Named() {
		if family, _, _ := strings.Cut(p.Name, "-"); slices.Contains(unknown, family) || slices.Contains(unknown, p.Name) {
			continue
		}
		compared++
		g := want[p.Name]
		if g == nil {
			t.Errorf("no verdict for %s", p.Name)
		}
		if p.Name == "uninit-local" {
			g = golden{"all": {flags: "uninit", executions: 1}}
		}
		for _, r := range readings() {
			v, ok := g[r.name]
			if !ok {
				v = g["all"]
			}
			res, err := Run(p, r.spec, r.opt)
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			if got := verdictOf(res); got.flags != v.flags || got.executions != v.executions || !slices.Equal(got.outcomes, v.outcomes) {
				t.Errorf("%s under %s: got %v\nwant %v\n%s", p.Name, r.name, got, v, randprog.Format(p))
			}
		}
	}
	if len(want) != compared {
		t.Errorf("%d verdicts, but %d programs compared", len(want), compared)
	}
}
