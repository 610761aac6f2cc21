package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/load"
)

// atomics finds what a model declares that is atomic, or an array of such: the names, the lengths, and the type.
var atomics = regexp.MustCompile(`(?m)^\s*(?:var\s+)?([\w, ]+?)\s+((?:\[[^\]]+\])*)cl\.Atomic\w+$`)

// initialised returns the text of a model with a host that first sets all atomic variables to 0, as they are anyway. It reports whether
// there are any.
func initialised(text string) (string, bool) {
	var init strings.Builder
	for _, m := range atomics.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(m[1], ",") {
			each, element := strings.TrimSpace(name), ""
			for i := range strings.Count(m[2], "[") {
				fmt.Fprintf(&init, "for i%d := range len(%s%s) {\n", i, each, element)
				element += fmt.Sprintf("[i%d]", i)
			}
			fmt.Fprintf(&init, "cl.AtomicInit(&%s%s, 0)\n%s", each, element, strings.Repeat("}\n", strings.Count(m[2], "[")))
		}
	}
	return strings.Replace(text, "\nfunc main() {\n", "\nfunc main() {\n"+init.String(), 1), init.Len() > 0
}

// A host that initialises what kernels use makes no more states: what it does before it enqueues happens before all that they do. Those
// are left out that name what they declare in another way.
func TestHostsThatInitialise(t *testing.T) {
	tried := 0
	for _, f := range all() {
		text, err := os.ReadFile(filepath.Join(f.name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		with, some := initialised(string(text))
		if !some || f.race {
			continue
		}
		tried++
		var states [2]int
		for i, text := range []string{string(text), with} {
			p, err := load.Source(f.name+".go", []byte(text), load.Options{Defines: defines(f.small)})
			if err != nil {
				t.Fatal(err)
			}
			r := explore.Run(context.Background(), p, explore.Options{Promises: explore.NoPromises})
			if r.Verdict != explore.Verified {
				t.Errorf("%s %s: %v", f.name, f.small, r.Verdict)
			}
			states[i] = r.Stats.States
		}
		if states[0] != states[1] {
			t.Errorf("%s %s: %d states, and %d with a host that initialises", f.name, f.small, states[0], states[1])
		}
	}
	if tried < 20 {
		t.Errorf("only %d families have atomic variables", tried)
	}
}

// A bounded queue has as many states with a host that initialises it as without.
func TestBoundedQueues(t *testing.T) {
	for size, want := range map[string]int{"p=2 c=1 k=2": 318, "p=2 c=2 k=2": 3604} {
		for _, inits := range []string{" inits=0", " inits=1"} {
			p, err := family{name: "boundedq"}.program(size + inits)
			if err != nil {
				t.Fatal(err)
			}
			if r := explore.Run(context.Background(), p, explore.Options{Promises: explore.NoPromises}); r.Verdict != explore.Verified || r.Stats.States > want {
				t.Errorf("%s: %v, %d states; it was done with %d", size+inits, r.Verdict, r.Stats.States, want)
			}
		}
	}
}

// What host_test changes must be what it finds.
func TestInitialised(t *testing.T) {
	text, some := initialised("var a, b cl.AtomicInt\nvar c [2][n]cl.AtomicUint\n\nfunc main() {\n}\n")
	lines := strings.Fields(text)
	for _, want := range []string{"cl.AtomicInit(&a,", "cl.AtomicInit(&b,", "cl.AtomicInit(&c[i0][i1],", "len(c[i0])"} {
		if !some || !slices.Contains(lines, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}
