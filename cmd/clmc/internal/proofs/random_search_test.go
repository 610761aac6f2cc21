package proofs

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

var (
	kernels = flag.Int("kernels", 10, "how many random kernels are tried")
	count   = flag.Bool("count", false, "kernels that are not proved are explored, too, and at least half of those must be proved that go wrong nowhere")
	from    = flag.Uint64("from", 1, "the first of them")
)

// TestProvedIsVerified draws kernels, and has the ordinary search explore whatever is proved, at small sizes and
// scalars: none of them goes wrong.
func TestProvedIsVerified(t *testing.T) {
	proved, clean, all, launches := 0, 0, 0, 0
	for seed := *from; seed < *from+uint64(*kernels); seed++ {
		text, _ := drawKernel(seed)
		list, err := Source(t.Context(), "k.cl", []byte(text), Options{AnySize: true, Query: 300 * time.Millisecond, Dry: true})
		if err != nil {
			t.Logf("%d: %v", seed, err)
			continue
		}
		all++
		isProved := list[0].Verdict == Proved
		if !isProved && !*count {
			continue
		}
		wrong, n := enumerated(t, text, isProved)
		launches += n
		switch {
		case isProved && wrong != "":
			t.Errorf("seed %d: proved, but %s:\n%s", seed, wrong, text)
		case isProved:
			proved++
		}
		if wrong == "" {
			clean++
		}
	}
	t.Logf("%d of %d kernels proved; %d go wrong nowhere; %d launches", proved, all, clean, launches)
	if proved == 0 || *count && 2*proved < clean {
		t.Errorf("only %d of %d kernels proved that go wrong nowhere", proved, clean)
	}
}

// enumerated explores launches of a kernel, until one goes wrong.
func enumerated(t *testing.T, text string, thorough bool) (wrong string, n int) {
	for _, size := range [...][2]int{{2, 1}, {2, 2}, {4, 1}, {3, 1}, {1, 2}, {4, 2}, {5, 1}, {8, 1}} {
		for _, scalars := range [...][2]int{{2, 1}, {1, 2}, {4, 0}, {0, 3}, {3, 4}} {
			for _, content := range []string{"zero[128]", "int[128]{1,0,2,1,3,0,1,5,2,1,1,0,4,...}"} {
				if content != "zero[128]" && scalars[0]%2 == 0 {
					continue
				}
				n++
				if v := searched(t, text, size, scalars, content, thorough && size[0]*size[1] <= 3); v != "" {
					return v, n
				}
			}
		}
	}
	return "", n
}

func searched(t *testing.T, text string, size, scalars [2]int, content string, none bool) string {
	opt := clc.Options{Local: fmt.Sprint(size[0]), Global: fmt.Sprint(size[0] * size[1]), Args: []string{
		"a=" + content, "out=zero[128]", "c=zero[16]", "t=local[128]", fmt.Sprint("n=", scalars[0]), fmt.Sprint("m=", scalars[1])}}
	p, err := clc.Source("k.cl", []byte(text), opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	search := explore.Options{All: true, Beyond: true, MaxStates: 3000}
	if none {
		search.POR = por.None
	}
	for _, v := range explore.Run(ctx, p, search).Violations {
		if (v.Kind == state.DataRace || v.Kind == state.BarrierDivergence) && !v.After {
			return fmt.Sprintf("%s with %v", v.Kind.ID(), opt.Flags())
		}
	}
	return ""
}
