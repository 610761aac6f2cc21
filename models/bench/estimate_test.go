package bench

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
)

var estimates = flag.Bool("estimates", false, "print how far the estimates of ten searches were off")

// TestEstimates prints the table of docs/exploration/figures.md, if asked to: how far what progress says of how much is left was off.
func TestEstimates(t *testing.T) {
	if !*estimates {
		t.Skip("use -estimates")
	}
	fmt.Println("| search | states | first estimate after | mean factor | worst factor | within the range |\n|---|--:|--:|--:|--:|--:|")
	for _, c := range []struct{ family, size string }{
		{"sbring", "n=13"}, {"lastzero", "n=11"}, {"peterson", "n=12"}, {"ttaslock", "n=4 k=2"}, {"ttaslock", "n=3 k=4"}, {"caslock", "n=4 k=3"},
		{"bakery", "n=3"}, {"tickets", "n=8"}, {"ticketlock", "n=4 k=2"}, {"dekker", "n=5"},
	} {
		p, err := load.File(c.family, load.Options{Defines: defines(c.size)})
		if err != nil {
			t.Errorf("%s %s: %v", c.family, c.size, err)
			continue
		}
		var made []explore.Stats
		r := explore.Run(t.Context(), p, explore.Options{POR: por.Sleep, NoSymmetry: true, MaxStates: 300_000, Progress: func(s explore.Stats) { made = append(made, s) }})
		if !r.Complete || r.Stats.States < 1000 {
			fmt.Printf("left out: %s %s: %d states, %v\n", c.family, c.size, r.Stats.States, r.Verdict)
			continue
		}
		row(c.family+" "+c.size, r.Stats.States, made)
	}
}

// row prints what the estimates of a search were.
func row(name string, states int, made []explore.Stats) {
	sum, worst, n, inside, first := 0.0, 1.0, 0, 0, 0
	for _, s := range made {
		e := s.Estimate
		if e.States == 0 || s.States >= states {
			continue
		}
		if n++; n == 1 {
			first = s.States
		}
		off := math.Abs(math.Log(float64(e.States) / float64(states)))
		sum, worst = sum+off, max(worst, math.Exp(off))
		if e.Low <= states && states <= e.High {
			inside++
		}
	}
	if n == 0 {
		fmt.Printf("| %s | %d | none | | | |\n", name, states)
		return
	}
	fmt.Printf("| %s | %d | %.0f %% | %.1f | %.1f | %.0f %% |\n", name, states, 100*float64(first)/float64(states), math.Exp(sum/float64(n)), worst, 100*float64(inside)/float64(n))
}
