package cli

import (
	"testing"

	"github.com/clmc/clmc/state"
)

// The reasons why a kind of violation does not keep a kernel from being run on a device.
const (
	wrongResult = "a device computes some result, and goes on"
	notThere    = "a kernel that runs on a device has none: images, pipes, queues, events and mapped memory are not run"
	notFailing  = "it is about what clmc was asked to check, which a device does not"
)

// harmless are the kinds of violation without a row in dangers, and why.
var harmless = map[state.Kind]string{
	state.DataRace: wrongResult, state.UninitialisedRead: wrongResult, state.InvalidArgument: wrongResult, state.UnwaitedCopy: wrongResult,
	state.AssertionFailed: notFailing, state.Unreachable: notFailing,
	state.InvalidEvent: notThere, state.FailedCommand: notThere, state.UnfencedImage: notThere, state.MappingViolation: notThere,
}

// TestKindsAreDangers demands of each kind of violation what may come of it on a device, or a reason why nothing does: a kernel with a
// kind that is forgotten would run on the device without --yes.
func TestKindsAreDangers(t *testing.T) {
	t.Parallel()
	for _, k := range state.Kinds() {
		if has, without := dangers[k] != "", harmless[k] != ""; has == without {
			t.Errorf("%s %v: in dangers %v, in harmless %v: want one of the two", k.ID(), k, has, without)
		}
	}
}
