package explore

import (
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// What a checkpoint holds.

// checkpointFormat is the version of what follows. Fields may be added to
// maps without a new version, if their zero means what was before.
const checkpointFormat = 9

// The kinds of blobs in a checkpoint. Lower-case letters are left to others.
const (
	pathBlob    = 'P' // by depth: savedFrame
	outcomeBlob = 'O' // by number: a list of savedOutcome
	factsBlob   = 'F' // by number: a batch of facts that workers of this process have told each other
	effectsBlob = 'E' // by number: a list of por.Summary, in the order of their numbers
)

// head is what a checkpoint says of the search as a whole.
type head struct {
	Format     int                       // checkpointFormat
	Finished   bool                      // nothing is left to do
	Unpromised bool                      // Result.Unpromised
	Depth      int                       // number of frames
	Path       uint64                    // hash of the hashes of the frames
	Outcomes   int                       // number of outcome blobs
	Effects    int                       // number of effects blobs
	Members    []savedMember             // states that wait for one further up on the path
	Violations []Violation               // found so far
	Incomplete []string                  // why not all has been tried
	Stats      Stats                     // so far, of all runs
	Estimator  estimator                 // what it has learnt
	Reached    []int32                   // messages of cl.Reachable calls
	Observers  map[uint64]state.Observer // by the hash that outcomes name them by
	Legacy     bool                      // Result.LegacyShared
	Covered    []byte                    // none in checkpoints of before it was kept
	Tree       int                       // states visited, of which the store may know
	Ended      bool                      // an execution has come to its end
	Facts      int                       // number of facts blobs
}

type savedFrame struct {
	//lint:ignore U1000 msgpack reads its tag
	_msgpack struct{}          `msgpack:",as_array"`
	Kids     []savedKid        // frame.successors, and so on: each holds what the field of the frame does
	Buf      []byte            // encodings
	Moves    []Move            // of the successors
	Names    []int32           // of the successors
	Next     int               // the successor to be visited next
	Began    int               // Stats.Steps when the state was entered
	FP       store.Fingerprint // of the state
	Fate     savedFate         // whether something below it ends
	Turns    savedTurns        // with por.DPOR
}

type savedKid struct {
	//lint:ignore U1000 msgpack reads its tag
	_msgpack                  struct{}          `msgpack:",as_array"`
	From, To                  int               // its encoding in Buf
	MoveFrom, MoveTo          int               // its moves in Moves
	NameFrom, NameMid, NameTo int               // its names in Names
	FP                        store.Fingerprint // of its canonical form
	Sleep                     por.Set           // units that need not be tried there
	Step                      successorStep     // with por.DPOR
}

type savedTurns struct {
	//lint:ignore U1000 msgpack reads its tag
	_msgpack                    struct{}    `msgpack:",as_array"`
	Stage                       stage       // turns.stage, and so on
	Order                       por.Order   // who is next
	Turn                        por.Turn    // the present one
	Entry, Sleep                por.Set     // sleep sets
	Helped, Waits, Moved, Leads bool        // what has come of the turns
	Effects                     por.Summary // below turns past
	Low, Members                int         // what the state waits for, and who waits for it
	Labels                      []int8      // of the successors
	Writes                      []por.Write // of the successors' steps
	Cover, Covers               []por.Set   // with Options.NoCache
}

type savedFate struct {
	//lint:ignore U1000 msgpack reads its tag
	_msgpack         struct{} `msgpack:",as_array"`
	Out, Round, Back bool     // fate.out, and so on
	Circling         por.Set  // who has led back
}

type savedMember struct {
	FP    store.Fingerprint // of the state
	Sleep por.Set           // that it was entered with
}

type savedOutcome struct {
	Key    string        // by which it is told from others
	Values []state.Value // what it shows
}
