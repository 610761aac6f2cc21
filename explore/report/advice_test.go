package report

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// Every reason that package explore gives for not being complete has a remedy, but for those
// that no user gets to see as the reason of an inconclusive result.
func TestEveryReasonHasARemedy(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	given := regexp.MustCompile(`\.(?:incomplete|pause)\((?:fmt\.Sprintf\()?("[^"]*")|const (?:perhapsNoWayOut|NotAll) = ("[^"]*")|errUndecided = errors.New\(("[^"]*")\)`)
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range given.FindAllStringSubmatch(string(text), -1) {
			reason := m[1] + m[2] + m[3]
			if strings.Contains(reason, "enough steps were spent") { // a search behind a violation
				continue
			}
			found++
			if !remedied(reason) {
				t.Errorf("%s: no remedy for %s", name, reason)
			}
		}
	}
	for l := state.NoLimit + 1; l.String() != ""; l++ {
		found++
		if !remedied(l.String()) {
			t.Errorf("no remedy for %s", l)
		}
	}
	if found < 15 {
		t.Errorf("only %d reasons were found", found)
	}
}

func remedied(reason string) bool {
	for _, rem := range remedies {
		if strings.Contains(reason, rem.reason) {
			return true
		}
	}
	return false
}

// The advice names the constants of the model that make it smaller, and no others.
func TestAdviceNamesSizes(t *testing.T) {
	p, err := load.Source("sized.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

const (
	n     = 8
	two   = 2
	relax = false
	rel   = cl.MemoryOrderRelease
)

var x cl.AtomicInt

func k() { cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed); cl.Observe("x", cl.AtomicLoad(&x)) }

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(n/two, two))
	cl.Finish()
	cl.Assert(!relax, "never")
}
`), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New("sized.go", p, explore.Run(context.Background(), p, explore.Options{MaxStates: 2}))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(r.Advice(), "\n")
	if !strings.Contains(got, "-D n=4 (it is 8)") || strings.Contains(got, "two=") || strings.Contains(got, "rel") || !strings.Contains(got, "--max-states") {
		t.Errorf("the advice is:\n%s", got)
	}
}

// Who works on a job with others is not told to keep the search: it is kept already.
func TestAdviceOnAJob(t *testing.T) {
	p, err := load.Source("one.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt

func main() { cl.AtomicFetchAddExplicit(&x, 1, cl.MemoryOrderRelaxed) }
`), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for want, links := range map[string][]share.Link{"--store DIR": nil, "The same command continues": {share.NewLocal().Link(0)}} {
		res := explore.Run(context.Background(), p, explore.Options{Links: links})
		res.Verdict, res.Incomplete = explore.Inconclusive, []string{"interrupted"} // when, is a matter of chance
		r, err := New("one.go", p, res)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Advice(), "\n"); !strings.Contains(got, want) || links != nil && strings.Contains(got, "--store") {
			t.Errorf("with %d links the advice is:\n%s", len(links), got)
		}
	}
}
