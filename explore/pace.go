package explore

import (
	"context"
	"time"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/state"
)

// pace is when a search does what it does now and then, and by which clock. Tests have it otherwise.
type pace struct {
	// now tells the time. Only the difference of two times matters, which the
	// monotonic clock gives: one that is set meanwhile makes no difference.
	now func() time.Time
	// look is the largest interval between looks at the context, in visits; where visits
	// take long, the alarm rings before.
	look int
	// ring is the interval of the alarm. Bounds on time are met about as exactly.
	ring time.Duration
	// halting has a machine halted when a context ends, until it is told to stop.
	halting func(context.Context, *state.Machine) (stop func() bool)
	// pile is how many messages of a location are too many for steps that read nothing to go on as they do, and
	// pileEvery after how many of those the search looks how many there are: each makes the next one dearer.
	pile, pileEvery int

	// work is what a search with promises may do in any case: see leastWork.
	work int64
	// aided bounds the work of trying, without storing them, the states to which promises lead that no unit reads yet. Beyond it, they are
	// stored.
	aided int

	// least is the number of steps below a state from which on other workers are told that the state is done.
	// A state with fewer steps is cheaper to explore again than to read about.
	least int
	local int // least among workers of one process, to whom telling costs less
	part  int // bytes of what was found, of which all must fit into one part
	found int // bytes for what was found, in one batch

	aheadInLoops bool // turns are taken ahead also in a program of which some unit may go on for ever
	// Only what was needed so often, in tenths, is taken ahead, once so much is known.
	oftenEnough, knownEnough int32
}

// usual is the pace of a search that was given no other.
func usual() pace {
	return pace{
		now: time.Now, look: 1 << 8, ring: 50 * time.Millisecond,
		halting: func(ctx context.Context, m *state.Machine) func() bool { return context.AfterFunc(ctx, m.Halt) },
		pile:    maxMessages, pileEvery: 1 << 6, aided: maxAided, work: leastWork,
		least: 64, local: 4, part: 128 << 10, found: share.MaxBatch - 2*share.Cut,
		oftenEnough: 7, knownEnough: 8,
	}
}
