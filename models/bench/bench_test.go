package bench

import (
	"context"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

var (
	table    = flag.Bool("table", false, "print the table of all families over growing sizes")
	capTime  = flag.Duration("cap", time.Second, "time for each size in the table; larger sizes are left out once one exceeds it")
	families = flag.String("families", "", "regular expression of the families in the table; empty: all")
	symmetry = flag.Bool("symmetry", true, "with symmetry, in the table")
	mode     = flag.String("por", "dpor", "the reduction of the table")
)

// family is a model and the sizes to explore it at.
type family struct {
	name  string
	small string   // quick, for the test and the benchmark
	sizes []string // growing
	// race says that these sizes are wrong, by a data race.
	race bool
}

// grow returns name=size for each of the sizes, with the rest appended.
func grow(name string, rest string, sizes ...int) []string {
	var list []string
	for _, n := range sizes {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s=%d %s", name, n, rest)))
	}
	return list
}

// locks returns the families of a lock: all work-items in work-groups of their
// own, several rounds, what peers measure (who=1), and the scoped variants in the shapes 1.1.2 and 2.2.2: that
// many work-items in a sub-group, sub-groups in a work-group, and work-groups.
func locks(name string) []family {
	const two, eight = "n=2 local=1 sub=1", "n=8 local=4 sub=2"
	return []family{
		{name: name, small: "n=2", sizes: grow("n", "", 2, 3, 4, 5, 6, 7)},
		{name: name, small: "n=2 k=2", sizes: []string{"n=2 k=2", "n=3 k=2", "n=4 k=2", "n=5 k=2"}},
		{name: name, small: "n=2 who=1", sizes: grow("n", "who=1", 2, 3, 4, 5, 6, 7, 8)},
		{name: name, small: two, sizes: []string{two, eight}},
		{name: name, small: two + " narrow=1", sizes: []string{two + " narrow=1", eight + " narrow=1"}, race: true},
	}
}

func all() []family {
	simple := func(name string, small int, sizes ...int) family {
		return family{name: name, small: fmt.Sprintf("n=%d", small), sizes: grow("n", "", sizes...)}
	}
	list := []family{
		simple("ainc", 4, 2, 4, 6, 7, 8, 9, 10, 12, 16, 20, 32),
		simple("binc", 3, 2, 3, 4, 5, 6, 7, 8, 10),
		simple("casrot", 4, 4, 6, 8, 10, 12, 14),
		simple("indexer", 3, 2, 4, 6, 8, 11, 14, 16),
		simple("lastzero", 4, 4, 6, 8, 10, 12, 14, 15),
		simple("readers", 4, 4, 8, 13, 18, 32, 64),
		// n=10 has been seen to take half a minute, beyond any cap: all of it is
		// one expansion, which is not interrupted.
		simple("nwriters", 4, 4, 5, 6, 7, 8),
		{name: "fib", small: "n=2 bound=8", sizes: []string{"n=1 bound=3", "n=2 bound=8", "n=3 bound=21", "n=4 bound=144", "n=5 bound=144"}},
		{name: "big0", small: "n=1", sizes: grow("n", "", 1, 2, 3)},
		simple("szymanski", 1, 1, 2, 3),
		simple("peterson", 1, 1, 2, 3),
		simple("dekker", 1, 1, 2, 3, 4),
		simple("bakery", 2, 2, 3, 4),
		simple("filesystem", 3, 4, 8, 13, 14, 16),
		{name: "histogram", small: "g=2 w=2 b=2", sizes: []string{"g=2 w=2 b=2", "g=3 w=4 b=4", "g=4 w=8 b=4", "g=8 w=16 b=8"}},
		simple("reorder", 2, 2, 4, 6),
		{name: "sensebarrier", small: "n=2", sizes: []string{"n=2", "n=3", "n=4", "n=5", "n=6", "n=7"}},
		{name: "sensebarrier", small: "n=2 k=2", sizes: []string{"n=2 k=2", "n=3 k=2", "n=4 k=2"}},
		{name: "xfbarrier", small: "g=2 w=1", sizes: []string{"g=2 w=1", "g=2 w=2", "g=3 w=2", "g=3 w=3", "g=4 w=3", "g=4 w=4", "g=5 w=4", "g=6 w=5"}},
		simple("reduce", 8, 8, 16, 32, 64, 128, 256),
		simple("scan", 8, 8, 16, 32, 64, 128, 256),
		simple("dot", 8, 8, 16, 32, 64, 128, 256),
		{name: "msgpass", small: "n=2 m=1", sizes: []string{"n=1 m=1", "n=2 m=2", "n=3 m=3", "n=4 m=4", "n=5 m=5", "n=6 m=6"}},
		{name: "grid", small: "n=2", sizes: []string{"n=2 rounds=9", "n=3 rounds=9", "n=4 rounds=9", "n=5 rounds=9"}},
		simple("wrrd", 2, 1, 2, 3, 4, 5, 6),
		simple("tickets", 3, 2, 3, 4, 5, 6, 7, 8, 9),
		simple("sbring", 3, 4, 6, 8, 10, 12),
		{name: "enqtree", small: "d=1 b=2", sizes: []string{"d=1 b=2", "d=2 b=2", "d=1 b=4", "d=1 b=6", "d=2 b=3", "d=3 b=2"}},
		{name: "enqtree", small: "d=1 b=2 share=false", sizes: []string{"d=2 b=2 share=false", "d=2 b=3 share=false"}},
		simple("chain", 4, 4, 8, 16, 32, 64),
		simple("neighbour", 4, 4, 8, 16, 32, 64, 128, 256),
		{name: "boundedq", small: "p=1 c=1 k=2", sizes: []string{"p=1 c=1 k=8", "p=2 c=1 k=2", "p=2 c=2 k=1", "p=2 c=2 k=2"}},
		simple("ticket2", 2, 2, 3, 4, 6),
		simple("ringbfs", 2, 2, 3, 4),
		simple("groupsum", 3, 64, 512, 1024, 4096, 16384),
		simple("slots", 4, 8, 64, 256, 1024),
		simple("status", 4, 4, 8, 16),
		simple("watch", 2, 2, 3, 4),
		{name: "carry", small: "n=8 b=2", sizes: []string{"n=8 b=2", "n=32 b=2", "n=256 b=8", "n=1024 b=8"}},
		{name: "meet", small: "g=2 w=2", sizes: []string{"g=2 w=2", "g=4 w=16", "g=8 w=32"}},
	}
	for _, lock := range []string{"ticketlock", "ttaslock", "caslock"} {
		list = append(list, locks(lock)...)
	}
	return list
}

// program loads a family at a size.
func (f family) program(size string) (*ir.Program, error) {
	return load.File(f.name, load.Options{Defines: defines(size)})
}

// defines returns what a size gives to constants.
func defines(size string) map[string]string {
	given := map[string]string{}
	for _, word := range strings.Fields(size) {
		name, value, _ := strings.Cut(word, "=")
		given[name] = value
	}
	return given
}

// check compares a complete result with the verdict that the model's comment
// derives.
func (f family) check(r *explore.Result) error {
	if f.race {
		if !r.Has(state.DataRace) {
			return fmt.Errorf("%v, want a data race", r.Verdict)
		}
		return nil
	}
	if len(r.Violations) > 0 {
		return fmt.Errorf("found %v", r.Violations[0].Kind)
	}
	if r.Verdict != explore.Verified {
		return fmt.Errorf("%v: %s", r.Verdict, strings.Join(r.Incomplete, "; "))
	}
	return nil
}

// TestVerdicts checks every family at a small size, with and without reduction.
func TestVerdicts(t *testing.T) {
	for _, f := range all() {
		t.Run(f.name+"/"+f.small, func(t *testing.T) {
			p, err := f.program(f.small)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			for _, m := range por.Modes() {
				if m == por.None && slices.Contains(unreducible, f.name) {
					continue
				}
				opt := explore.Options{POR: m}
				if m == por.None { // would make each promise by itself
					opt.Promises = explore.NoPromises
				}
				if err := f.check(explore.Run(ctx, p, opt)); err != nil {
					t.Errorf("reduction %s: %v", m, err)
				}
			}
		})
	}
}

// unreducible families have too many interleavings for a quick test without
// reduction, even at their small size.
var unreducible = []string{"reduce", "scan", "dot"}

// TestExpectations checks the verdicts that the models state.
func TestExpectations(t *testing.T) {
	lines := regexp.MustCompile(`(?m)^//clmc:expect (.*?)(verified|violated (CL\d+))$`)
	paths, err := filepath.Glob("*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range lines.FindAllStringSubmatch(string(source), -1) {
			f := family{name: filepath.Dir(path)}
			size := strings.ReplaceAll(e[1], "-D ", "")
			p, err := f.program(size)
			if err != nil {
				t.Fatal(err)
			}
			// A bound instead of a verdict is a matter for the table.
			r := explore.Run(context.Background(), p, explore.Options{MaxStates: 20_000, KeepSchedule: true})
			switch {
			case e[3] == "" && len(r.Violations) > 0:
				t.Errorf("%s %s: found %v", path, size, r.Violations[0].Kind)
			case e[3] == "" && r.Verdict != explore.Verified && f.name != "big0":
				t.Errorf("%s %s: %s", path, size, strings.Join(r.Incomplete, "; "))
			case e[3] != "" && (len(r.Violations) == 0 || r.Violations[0].Kind.ID() != e[3]):
				t.Errorf("%s %s: %v, want %s", path, size, r.Verdict, e[3])
			}
		}
	}
}

// TestFolders checks that each folder is a family, and is formatted.
func TestFolders(t *testing.T) {
	paths, err := filepath.Glob("*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := filepath.Dir(path)
		if !slices.ContainsFunc(all(), func(f family) bool { return f.name == name }) {
			t.Errorf("%s is not measured", name)
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := format.Source(source); err != nil || string(text) != string(source) {
			t.Errorf("%s is not formatted: %v", path, err)
		}
		for _, part := range []string{"// Command " + name + " ", "Derivation:", "//clmc:expect "} {
			if !strings.Contains(string(source), part) {
				t.Errorf("%s: the comment lacks %q", path, part)
			}
		}
	}
}

// BenchmarkFamilies explores every family at its small size.
func BenchmarkFamilies(b *testing.B) {
	for _, f := range all() {
		b.Run(f.name+"/"+strings.ReplaceAll(f.small, " ", ","), func(b *testing.B) {
			p, err := f.program(f.small)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			steps := 0
			for b.Loop() {
				steps += explore.Run(context.Background(), p, explore.Options{KeepSchedule: true}).Stats.Steps
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// TestTable prints the table of docs/performance.md, if asked to.
func TestTable(t *testing.T) {
	if !*table {
		t.Skip("use -table")
	}
	reduction, err := por.ParseMode(*mode)
	if err != nil {
		t.Fatal(err)
	}
	wanted := regexp.MustCompile(*families)
	fmt.Println("| family | size | verdict | states | steps | ends | cuts | depth | load ms | search ms | visited KiB | us/state | steps/s | allocs/step |")
	fmt.Println("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, f := range all() {
		if !wanted.MatchString(f.name) {
			continue
		}
		for _, size := range f.sizes {
			complete, err := f.row(size, reduction)
			if err != nil {
				t.Errorf("%s %s: %v", f.name, size, err)
			}
			if !complete {
				break
			}
		}
	}
}

// row measures one size and prints it. It reports whether the search ended by
// itself.
func (f family) row(size string, reduction por.Mode) (complete bool, err error) {
	began := time.Now()
	p, err := f.program(size)
	if err != nil {
		return false, err
	}
	loaded := time.Since(began)
	ctx, cancel := context.WithTimeout(context.Background(), *capTime)
	defer cancel()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began = time.Now()
	r := explore.Run(ctx, p, explore.Options{POR: reduction, NoSymmetry: !*symmetry, KeepSchedule: true})
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	verdict := r.Verdict.String()
	if len(r.Violations) > 0 {
		verdict = r.Violations[0].Kind.ID()
	}
	conclusive := r.Verdict != explore.Inconclusive
	if !conclusive {
		verdict = strings.Join(r.Incomplete, "; ")
		if ctx.Err() != nil {
			verdict = "none in " + capTime.String()
		}
	} else {
		err = f.check(r)
	}
	s := r.Stats
	steps := max(s.Steps, 1)
	fmt.Printf("| %s | %s | %s | %d | %d | %d | %d | %d | %.1f | %.1f | %d | %.1f | %.0f | %.1f |\n",
		f.name, size, verdict, s.States, s.Steps, s.Ends, s.Cuts, s.Depth,
		loaded.Seconds()*1e3, took.Seconds()*1e3, s.PeakBytes>>10,
		took.Seconds()*1e6/float64(max(s.States, 1)), float64(s.Steps)/took.Seconds(),
		float64(after.Mallocs-before.Mallocs)/float64(steps))
	return conclusive, err
}
