package clc_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

var (
	sliceSeeds = flag.Int("slice-seeds", thorough.Of(40, 150), "random kernels to try with and without the values that nothing needs")
	sliceSeed  = flag.Uint64("slice-seed", 1, "the first seed of the random kernels")
)

// finding is what a search says that must not depend on values that nothing needs.
type finding struct {
	verdict    explore.Verdict
	violations []string
	outcomes   string
	states     int
}

func (f *finding) equal(g *finding) bool {
	return f.verdict == g.verdict && slices.Equal(f.violations, g.violations) && f.outcomes == g.outcomes
}

func (f *finding) String() string {
	return fmt.Sprintf("%v %v, outcomes %s", f.verdict, f.violations, f.outcomes)
}

// find explores a program: all kinds of violations, and where they are. It reports whether it came to an end.
func find(t *testing.T, p *ir.Program, states int) (*finding, bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r := explore.Run(ctx, p, explore.Options{All: true, KeepSchedule: true, MaxStates: states})
	f := &finding{verdict: r.Verdict, outcomes: fmt.Sprint(r.Outcomes), states: r.Stats.States}
	for _, v := range r.Violations {
		f.violations = append(f.violations, v.Kind.ID()+" "+v.Line)
	}
	slices.Sort(f.violations)
	f.violations = slices.Compact(f.violations)
	return f, r.Complete
}

// TestSliced explores the kernels of testdata with and without the values that nothing needs.
func TestSliced(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/kernels*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	tried, sliced := 0, 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(text).Files {
			if strings.HasPrefix(expectation(t, string(f.Data)), "refused ") {
				continue
			}
			tried++
			if compare(t, f.Name, f.Data, 20000) {
				sliced++
			}
		}
	}
	if t.Logf("%d kernels, of which %d hold values that nothing needs", tried, sliced); sliced < tried/10 {
		t.Error("that is too few to tell anything")
	}
}

// compare explores a kernel with and without the values that nothing needs, and reports whether there are any.
func compare(t *testing.T, name string, text []byte, states int) (sliced bool) {
	opt := clc.Options{GPUVerify: strings.HasPrefix(name, "gpuverify/")}
	p, err := clc.Source(name, text, opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.KeepValues = true
	q, err := clc.Source(name, text, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Objects {
		sliced = sliced || p.Objects[i].Sliced
		if q.Objects[i].Sliced {
			t.Errorf("%s: %s is sliced though its values are to be kept", name, q.Objects[i].Name)
		}
	}
	if reflect.DeepEqual(p, q) { // nothing is searched twice
		return sliced
	}
	kept, whole := find(t, q, states)
	if !whole {
		return sliced
	}
	short, whole := find(t, p, states)
	switch {
	case !whole:
		t.Errorf("%s: %d states with all values, and more without\n%s", name, kept.states, text)
	case !short.equal(kept):
		t.Errorf("%s: without the values that nothing needs %v, with them %v\n%s", name, short, kept, text)
	case short.states > kept.states:
		t.Errorf("%s: %d states without the values that nothing needs, with them %d\n%s", name, short.states, kept.states, text)
	}
	return sliced
}

var (
	freeContents = regexp.MustCompile(`every content of ([^.]*?)(\.|, and for )`)
	freeValues   = regexp.MustCompile(`every value of ([^.]*)\.`)
)

// TestSlicedRandom does so with random kernels, and changes the values on which the result does not depend, as the
// note says.
func TestSlicedRandom(t *testing.T) {
	t.Parallel()
	var sliced, contents, values, verified int
	for n := range uint64(*sliceSeeds) {
		k := randomKernel(*sliceSeed + n)
		text := k.text()
		name := fmt.Sprintf("-slice-seed %d", *sliceSeed+n)
		if compare(t, name, []byte(text), 3000) {
			sliced++
		}
		p, err := clc.Source("k.cl", []byte(text), clc.Options{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		was, whole := find(t, p, 3000)
		if !whole {
			continue
		}
		if was.verdict == explore.Verified {
			verified++
		}
		notes := strings.Join(p.Notes, "\n")
		var names []string
		if m := freeContents.FindStringSubmatch(notes); m != nil {
			names = strings.Split(m[1], ", ")
			contents++
		}
		if m := freeValues.FindStringSubmatch(notes); m != nil {
			names = append(names, strings.Split(m[1], ", ")...)
			values++
		}
		if names == nil {
			continue
		}
		for range 3 {
			k.change(names)
			p, err := clc.Source("k.cl", []byte(k.text()), clc.Options{KeepValues: true})
			if err != nil {
				t.Fatal(err)
			}
			if now, whole := find(t, p, 20000); whole && !now.equal(was) {
				t.Errorf("%s: %s\nbut with other values %v, and not %v\n%s\n%s", name, notes, now, was, text, k.launch())
				break
			}
		}
	}
	t.Logf("%d kernels with sliced memory, %d that hold for every content, %d for every value of something, %d verified", sliced, contents, values, verified)
	if least := *sliceSeeds / 8; min(sliced, contents, values, verified) < least {
		t.Errorf("fewer than %d of a sort: too few to tell anything", least)
	}
}
