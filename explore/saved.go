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
	effectsBlob = 'E' // by number: a list of por.Effects, in the order of their numbers
)

// head is what a checkpoint says of the search as a whole.
type head struct {
	Format     int
	Finished   bool // nothing is left to do
	Unpromised bool // Result.Unpromised
	Depth      int
	Path       uint64 // hash of the hashes of the frames
	Outcomes   int    // number of outcome blobs
	Effects    int    // number of effects blobs
	Members    []savedMember
	Violations []Violation
	Incomplete []string
	Stats      Stats
	Estimator  estimator
	Reached    []int32
	Observers  map[uint64]state.Observer
	Legacy     bool
	Covered    []byte // none in checkpoints of before it was kept
	Tree       int    // states visited, of which the store may know
	Ended      bool   // an execution has come to its end
	Facts      int    // number of facts blobs
}

type savedFrame struct {
	_msgpack struct{} `msgpack:",as_array"`
	Kids     []savedKid
	Buf      []byte
	Moves    []Move
	Names    []int32
	Next     int
	Began    int
	FP       store.Fingerprint
	Fate     savedFate
	Turns    savedTurns
}

type savedKid struct {
	_msgpack                  struct{} `msgpack:",as_array"`
	From, To                  int
	MoveFrom, MoveTo          int
	NameFrom, NameMid, NameTo int
	FP                        store.Fingerprint
	Sleep                     por.Set
	Step                      kidStep
}

type savedTurns struct {
	_msgpack                    struct{} `msgpack:",as_array"`
	Stage                       stage
	Order                       por.Order
	Turn                        por.Turn
	Entry, Sleep                por.Set
	Helped, Waits, Moved, Leads bool
	Effects                     por.Effects
	Low, Members                int
	Labels                      []int8
	Writes                      []por.Write
	Cover, Covers               []por.Set
}

type savedFate struct {
	_msgpack         struct{} `msgpack:",as_array"`
	Out, Round, Back bool
	Circling         por.Set
}

type savedMember struct {
	FP    store.Fingerprint
	Sleep por.Set
}

type savedOutcome struct {
	Key    string
	Values []state.Value
}
