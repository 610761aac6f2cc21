package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/internal/testkit/golden"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/ir"
)

// told returns what a worker that takes its ways in an order tells of a program, as lines: facts, with
// their summaries by content, and what was found.
func told(p *ir.Program, opt Options, order int) (lines []string) {
	at := usual()
	at.least = 0
	log := share.NewLocal()
	opt.pace = &at
	opt.Links = []share.Link{log.Link(order)}
	Run(context.Background(), p, opt)
	l := log.Link(9)
	for data, err := l.Next(); data != nil && err == nil; data, err = l.Next() {
		b := must(share.Decode(data, Semantics))
		for i := range b.Facts {
			f := &b.Facts[i]
			lines = append(lines, fmt.Sprintf("fact %x.%x %x %x %v %v", f.State.Hi, f.State.Lo, f.Sleep, b.Summaries[f.Summary].Digest, f.Ends, f.Round))
		}
		for _, data := range b.Found {
			var f found
			if err := f.read(data[1:]); err != nil {
				panic(err)
			}
			for i := range f.Violations {
				lines = append(lines, f.Violations[i].key())
			}
			f.Violations = nil
			lines = append(lines, fmt.Sprintf("%v %v %v %v", f.Outcomes, f.Incomplete, f.Learnt, f.Ended))
		}
	}
	slices.Sort(lines)
	return lines
}

// semantic returns programs with a bit of everything that is in states.
func semantic() []*ir.Program {
	var programs []*ir.Program
	for _, name := range []string{"ttaslock", "sensebarrier", "enqtree"} {
		programs = append(programs, must(load.File(filepath.Join("../models/bench", name), load.Options{})))
	}
	for _, style := range randprog.Styles() {
		programs = append(programs, style.Program(1))
	}
	return append(programs, reaching(1))
}

// TestSemantics fails if workers of this version tell of the same programs something else than
// those of another one that has the same number: then raise Semantics, and run it with -update.
func TestSemantics(t *testing.T) {
	text := fmt.Sprintf("semantics %d\n", Semantics)
	for _, p := range semantic() {
		lines := told(p, Options{POR: por.DPOR, MaxStates: 2000, All: true, KeepSchedule: true}, 0)
		text += fmt.Sprintf("%s %d %x\n", p.Name, len(lines), share.DigestOf([]byte(strings.Join(lines, "\n"))))
	}
	golden.File(t, "testdata/semantics.txt", text)
}

// Fingerprints do not depend on the order in which a search meets states, units and commands: two
// that try everything, in opposite orders, tell of the same states.
func TestOrdersTellTheSame(t *testing.T) {
	compared, states := 0, 0
	for _, p := range semantic() {
		var sets [2][]string
		opt := Options{POR: por.None, MaxStates: 3000, All: true, KeepSchedule: true, Promises: NoPromises}
		if one := Run(context.Background(), p, opt); !one.Complete {
			continue
		}
		for order := range sets {
			for _, line := range told(p, opt, order) {
				if words := strings.Fields(line); words[0] == "fact" {
					sets[order] = append(sets[order], words[1])
				}
			}
			sets[order] = slices.Compact(sets[order])
		}
		compared++
		states += len(sets[0])
		if !slices.Equal(sets[0], sets[1]) {
			t.Errorf("%s: %d states in one order, %d in the other, and not the same", p.Name, len(sets[0]), len(sets[1]))
		}
	}
	t.Logf("%d programs, %d states", compared, states)
	if compared < 10 || states < 1000 {
		t.Errorf("only %d programs and %d states compared", compared, states)
	}
}
