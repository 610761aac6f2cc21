package trace

import (
	"testing"

	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

// atStep and elsewhere are why a kind of violation has no step of its own.
const (
	atStep    = "it goes wrong at a visible operation, which is a step of the schedule"
	elsewhere = "no single execution shows it, or none that ends"
)

// noMishap are the kinds of violation without a row in mishaps, and why.
var noMishap = map[state.Kind]string{
	state.DataRace: atStep, state.InvalidEvent: atStep, state.FailedCommand: atStep, state.UnfencedImage: atStep, state.MappingViolation: atStep, state.FreedMemory: atStep,
	state.Unreachable: elsewhere, state.NoWayOut: elsewhere, state.MayRun: elsewhere,
	state.BarrierDivergence: "teller.mishap tells it: the other work-item ends",
	state.Deadlock:          "it is a state in which no unit has a step",
	state.UnwaitedCopy:      "the work-item ends, which is no operation",
}

// unexplained are the kinds of violation without a row in causesOf, and why.
var unexplained = map[state.Kind]string{
	state.DataRace:        "teller.conclude has its diagnosis",
	state.AssertionFailed: "it has as many causes as programs: shapeFinder tells those that it knows by their shape",
	state.InvalidArgument: "the message names the argument and what it must be",
	state.InvalidEvent:    "the message says what is wrong with the event (eventMisuse)",
	state.FailedCommand:   "the message names the command and what made it fail",
	state.UnfencedImage:   "the message names the write and the fence that is missing",
	state.NonTermination:  "the message names the loop",
	state.Unreachable:     elsewhere, state.MayRun: elsewhere,
}

// TestKindsAreDecided demands of each kind of violation words for its last step, and causes, or a reason why it has none. A kind that
// is forgotten would be shown without them, silently.
func TestKindsAreDecided(t *testing.T) {
	t.Parallel()
	for _, k := range state.Kinds() {
		if has, without := mishaps[k] != "", noMishap[k] != ""; has == without {
			t.Errorf("%s %v: in mishaps %v, in noMishap %v: want one of the two", k.ID(), k, has, without)
		}
		if has, without := causesOf[k] != nil, unexplained[k] != ""; has == without {
			t.Errorf("%s %v: in causesOf %v, in unexplained %v: want one of the two", k.ID(), k, has, without)
		}
	}
}

// TestModificationsHaveNames demands a name of its own for all that a read-modify-write can do. (The words for pipes are in pipe.go.)
func TestModificationsHaveNames(t *testing.T) {
	t.Parallel()
	seen := map[string]ir.Alu{}
	for _, a := range ir.Modifications() {
		if a == ir.Pipe {
			continue
		}
		name := rmwNames[a]
		if was, twice := seen[name]; name == "" || twice {
			t.Errorf("rmwNames has %q for %v (and for %v: %v)", name, a, was, twice)
		}
		seen[name] = a
	}
}
