package proofs

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

var (
	kernels = flag.Int("kernels", 10, "how many random kernels are tried")
	count   = flag.Bool("count", false, "kernels that are not proved are explored, too, and at least half of those must be proved that go wrong nowhere")
	sized   = flag.Int("sized", 10, "how many random kernels are tried at all small sizes")
	from    = flag.Uint64("from", 1, "the first of them")
)

// few is the share of launches that may be refused: one in so many.
const few = 50

// query is how long one question may take.
func query() time.Duration { return time.Duration(thorough.Of(100, 300)) * time.Millisecond }

// TestProvedIsVerified draws kernels, and has the ordinary search explore whatever is proved, at small sizes and
// scalars: none of them goes wrong. Memory that nothing has written has any content, as it has in a proof: so a race behind such a read counts.
func TestProvedIsVerified(t *testing.T) {
	proved, clean, all, launches, refused := 0, 0, 0, 0, 0
	for seed := *from; seed < *from+uint64(*kernels); seed++ {
		text, _ := drawKernel(seed)
		list, err := Source(t.Context(), "k.cl", []byte(text), Options{AnySize: true, Query: query(), Dry: true})
		if err != nil {
			t.Logf("%d: %v", seed, err)
			continue
		}
		all++
		isProved := list[0].Verdict == Proved
		if !isProved && !*count {
			continue
		}
		wrong, n, not := enumerated(t, text, isProved, int(seed))
		launches, refused = launches+n, refused+not
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
	t.Logf("%d of %d kernels proved; %d go wrong nowhere; %d launches, of which %d were refused", proved, all, clean, launches, refused)
	if 4*proved < all || *count && 2*proved < clean || few*refused > launches {
		t.Errorf("only %d of %d kernels proved, of which %d go wrong nowhere; %d of %d launches refused", proved, all, clean, refused, launches)
	}
}

// enumerated explores n launches of a kernel, but for those that are refused, until one goes wrong: all of them, or every eighth where it is proved and nothing else is to be known.
func enumerated(t *testing.T, text string, proved bool, turn int) (wrong string, n, refused int) {
	step := thorough.Of(8, 1)
	if !proved || *count {
		step = 1
	}
	for _, size := range [...][2]int{{2, 1}, {2, 2}, {4, 1}, {3, 1}, {1, 2}, {4, 2}, {5, 1}, {8, 1}} {
		for _, scalars := range [...][2]int{{2, 1}, {1, 2}, {4, 0}, {0, 3}, {3, 4}} {
			for _, content := range []string{"zero[128]", "int[128]{1,0,2,1,3,0,1,5,2,1,1,0,4,...}"} {
				if content != "zero[128]" && scalars[0]%2 == 0 {
					continue
				}
				if turn++; turn%step != 0 {
					continue
				}
				o := searched(t, text, size, scalars, content, proved && size[0]*size[1] <= 3)
				if n++; o.refused {
					refused++
				}
				if o.wrong != "" {
					return o.wrong, n, refused
				}
			}
		}
	}
	return "", n, refused
}

// TestProvedAtAllSizes explores what is proved for all sizes at all that have eight work-items at most, each at some if not all are asked for: in every order
// of steps, or, of more than three work-items, in orders of which none is left out that matters. Where that are too many, as many states are tried
// as there is time for: a race shows in most orders.
func TestProvedAtAllSizes(t *testing.T) {
	proved, all, launches, complete, refused := 0, 0, 0, 0, 0
	for seed := *from; seed < *from+uint64(*sized); seed++ {
		text, _ := drawKernel(seed ^ 1<<32)
		list, err := Source(t.Context(), "k.cl", []byte(text), Options{AnySize: true, Query: query(), Dry: true})
		if err != nil {
			continue
		}
		if all++; list[0].Verdict != Proved {
			continue
		}
		proved++
		r := rand.New(rand.NewPCG(seed, 8))
		content := []string{"zero[128]", "int[128]{1,0,2,1,3,0,1,5,2,1,1,0,4,...}"}[r.IntN(2)]
		for local := 1; local <= 8; local++ {
			for groups := 1; local*groups <= 8; groups++ {
				scalars := [2]int{r.IntN(5), r.IntN(5)}
				if !thorough.Asked() && r.IntN(8) > 0 {
					continue
				}
				o := searched(t, text, [2]int{local, groups}, scalars, content, thorough.Asked() || local*groups <= 3)
				if launches++; o.all {
					complete++
				}
				if o.refused {
					refused++
				}
				if o.wrong != "" {
					t.Errorf("seed %d: proved, but %s:\n%s", seed, o.wrong, text)
				}
			}
		}
	}
	t.Logf("%d of %d kernels proved; of %d launches all of %d was explored, and %d were refused", proved, all, launches, complete, refused)
	// A launch has a share of a second, in which a slow machine ends fewer: an eighth is half of what one with words of 32 bits has ended.
	if 3*proved < all || 8*complete < launches || few*refused > launches {
		t.Errorf("%d of %d kernels proved, of %d launches all of %d explored and %d refused: there is too little to see", proved, all, launches, complete, refused)
	}
}

// outcome is what a launch comes to.
type outcome struct {
	wrong   string // what goes wrong, if anything does
	all     bool   // everything was explored
	refused bool   // the launch cannot be explored: nothing is known of it
}

// searched explores a launch.
func searched(t *testing.T, text string, size, scalars [2]int, content string, none bool) outcome {
	opt := clc.Options{Unwritten: ir.IndeterminateAny, Local: fmt.Sprint(size[0]), Global: fmt.Sprint(size[0] * size[1]), Args: []string{
		"a=" + content, "out=zero[128]", "c=zero[16]", "t=local[128]", fmt.Sprint("n=", scalars[0]), fmt.Sprint("m=", scalars[1])}}
	p, err := clc.Source("k.cl", []byte(text), opt)
	if err != nil { // of this launch nothing is known; others go on
		t.Logf("refused with %v: %v\n%s", opt.Flags(), err, text)
		return outcome{refused: true}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	search := explore.Options{All: true, Beyond: true, MaxStates: 3000}
	if none {
		search.POR = por.None
	}
	r := explore.Run(ctx, p, search)
	for _, v := range r.Violations {
		if (v.Kind == state.DataRace || v.Kind == state.BarrierDivergence) && !v.After {
			return outcome{wrong: fmt.Sprintf("%s with %v", v.Kind.ID(), opt.Flags()), all: r.Complete}
		}
	}
	return outcome{all: r.Complete}
}
