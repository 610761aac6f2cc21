package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/clmc/clmc/memmodel"
)

// kept lists the reductions of the canonical form, and none and all of them.
var kept = []struct {
	name string
	keep memmodel.Keep
}{
	{"canonical", 0},
	{"messages kept", memmodel.KeepMessages},
	{"locations kept", memmodel.KeepLocations},
	{"views kept", memmodel.KeepViews},
	{"records kept", memmodel.KeepRecords},
	{"registers kept", memmodel.KeepRegisters},
	{"releases kept", memmodel.KeepReleases},
	{"owners kept", memmodel.KeepOwners},
	{"orders kept", memmodel.KeepOrders},
	{"all kept", memmodel.KeepMessages | memmodel.KeepLocations | memmodel.KeepViews | memmodel.KeepRecords | memmodel.KeepRegisters | memmodel.KeepReleases | memmodel.KeepOrders | memmodel.KeepOwners},
}

// TestKeepTable keeps the table of how many states each reduction of the canonical form saves.
func TestKeepTable(t *testing.T) {
	var table strings.Builder
	sizes := map[string]string{
		"ainc": "n=6", "binc": "n=4", "casrot": "n=8", "indexer": "n=6", "lastzero": "n=8", "readers": "n=8",
		"nwriters": "n=6", "fib": "n=3 bound=21", "big0": "n=3", "msgpass": "n=3 m=3", "wrrd": "n=3", "tickets": "n=5",
		"sbring": "n=6", "chain": "n=8", "ticketlock": "n=4", "ttaslock": "n=4", "caslock": "n=5", "sensebarrier": "n=3",
		"xfbarrier": "g=3 w=2", "szymanski": "n=1", "peterson": "n=2", "dekker": "n=2",
	}
	row := []string{"| family | size"}
	for _, k := range kept {
		row = append(row, k.name)
	}
	fmt.Fprintln(&table, strings.Join(row, " | "), "|")
	fmt.Fprintln(&table, "|---|---"+strings.Repeat("|--:", len(kept))+"|")
	done := map[string]bool{}
	for _, f := range all() {
		size, ok := sizes[f.name]
		if !ok || done[f.name] {
			continue
		}
		done[f.name] = true
		p, err := f.program(size)
		if err != nil {
			t.Fatal(err)
		}
		row := []string{"| " + f.name + " | " + size}
		for _, k := range kept {
			cell := "more than 100000"
			r := explore.Run(context.Background(), p, explore.Options{Keep: k.keep, MaxStates: 100_000, KeepSchedule: true})
			if r.Complete {
				cell = fmt.Sprint(r.Stats.States)
			}
			row = append(row, cell)
		}
		fmt.Fprintln(&table, strings.Join(row, " | "), "|")
	}
	golden.Part(t, performance, "<!-- keep: go test ./models/bench -run TestKeepTable -update -->\n\n", "\n<!-- end of keep -->\n", table.String())
}
