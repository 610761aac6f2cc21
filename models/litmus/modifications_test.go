package litmus

import (
	"maps"
	"slices"
	"testing"

	"github.com/clmc/clmc/state/ir"
)

// TestModifications demands a function of herd's for all that a read-modify-write can do, but for pipes.
func TestModifications(t *testing.T) {
	t.Parallel()
	got := slices.Sorted(maps.Values(rmws))
	want := slices.DeleteFunc(ir.Modifications(), func(a ir.Alu) bool { return a == ir.Pipe })
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the functions do %v, and a read-modify-write can do %v", got, want)
	}
}
