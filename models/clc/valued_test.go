package clc_test

import (
	"fmt"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/models/clc"
)

// TestShownWithValues checks that what goes wrong in a kernel is shown with all values, though the search does not
// compute those that nothing depends on: the program that does makes the same steps.
func TestShownWithValues(t *testing.T) {
	t.Parallel()
	blank := 0
	for n := range uint64(*sliceSeeds) {
		text, name := []byte(randomKernel(*sliceSeed+n).text()), fmt.Sprintf("-slice-seed %d", *sliceSeed+n)
		p, err := clc.Source("k.cl", text, clc.Options{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		valued, err := clc.Source("k.cl", text, clc.Options{KeepValues: true})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		r := explore.Run(t.Context(), p, explore.Options{All: true, MaxStates: 3000})
		rep, err := report.New("k.cl", p, r)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if !rep.Blank() {
			continue
		}
		blank++
		if rep.ShowValues(valued); rep.Blank() {
			t.Errorf("%s: some values are not shown: %v\n%s", name, r.Violations, text)
		}
	}
	if blank == 0 {
		t.Error("no kernel has values that are not computed and goes wrong")
	}
}
