package litmus_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
)

// pitfalls say of the tests in testdata/pitfalls whether there is a race and, if there is
// none, how many outcomes there are and whether the condition holds in some. Each loses an
// outcome or a race, or shows a false race, where too much is forgotten of what is over.
var pitfalls = map[string]struct {
	race     bool
	outcomes int
	seen     bool
}{
	// P1's store of 9 continues P1's release sequence and ends P0's (rule 5.4): whoever
	// reads 9 has not acquired d = 1.
	"contin": {race: true},
	// P1's addition may come first: whoever reads it reads no release.
	"echorel": {race: true},
	// P0's fence has work_group scope, and P2 is of another group (rule 3.5).
	"scopes": {race: true},
	// Of x: 1, 1 and 2 in any order that coherence allows, and reads in between.
	"echoplain": {outcomes: 76, seen: true},
	// r0 and r1 of the readers: (0, no), (1, no) or (1, 1); z = 1 only after y = 1 was read.
	"isa2": {outcomes: 3},
	// 2:r0 is 0; 1; or 2 and then 2:r1 is 1.
	"ownseq": {outcomes: 3, seen: true},
	// (0, 0), (0, 1), (1, 1), but not (1, 0).
	"mp": {outcomes: 3},
	// P2 reads 0, 1 or 2; P1 ends with 2.
	"loiter": {outcomes: 3, seen: true},
}

func TestPitfalls(t *testing.T) {
	files, err := filepath.Glob("testdata/pitfalls/*.litmus")
	if err != nil || len(files) != len(pitfalls) {
		t.Fatalf("%d files, %d expectations (%v)", len(files), len(pitfalls), err)
	}
	spec, err := memmodel.ParseSpec("3.0")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".litmus")
		want, ok := pitfalls[name]
		if !ok {
			t.Errorf("%s: nothing is expected", name)
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range por.Modes() {
			test := parse(t, name, string(text))
			r := explore.Run(context.Background(), test.Program, explore.Options{Spec: spec, POR: mode, All: true, KeepSchedule: true})
			switch race := r.Has(state.DataRace); {
			case !r.Complete:
				t.Errorf("%s, %s: incomplete: %v", name, mode, r.Incomplete)
			case race != want.race:
				t.Errorf("%s, %s: race %v", name, mode, race)
			case race:
			case len(r.Outcomes) != want.outcomes:
				t.Errorf("%s, %s: %d outcomes, not %d", name, mode, len(r.Outcomes), want.outcomes)
			case (test.Judge(r.Outcomes).Positive > 0) != want.seen:
				t.Errorf("%s, %s: %+v", name, mode, test.Judge(r.Outcomes))
			}
		}
	}
}
