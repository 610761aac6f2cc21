package store

// Set is a set of visited states, each with an Entry. It is not safe for
// concurrent use.
type Set interface {
	// Lookup returns the entry of a state, and whether it is in the set.
	Lookup(Fingerprint) (Entry, bool)
	// Has reports whether a state is in the set.
	Has(Fingerprint) bool
	// Put adds a state to the set, or replaces its entry.
	Put(Fingerprint, Entry)
	// Undo takes back the last Put. Nothing but Lookup, Has and Same may have been
	// called since.
	Undo()
	// Audit makes the set keep whole states. It must have done so from the first.
	Audit()
	// Same reports whether the state that is known by a fingerprint has this
	// encoding, if any is known; if not, this one is from now on. Without Audit, it
	// takes that for granted.
	Same(fp Fingerprint, text []byte) bool
	// Len returns the number of states.
	Len() int
	// Bytes returns the memory that the set occupies.
	Bytes() int
	// Full reports that the memory is used up, or will be within the next few hundred
	// states, where so many bytes of it are used for something else. Where the rest is
	// on disk these make no difference.
	Full(beside int) bool
	// Err returns the first error of what the set is kept in. After one, answers
	// mean nothing.
	Err() error
}

// Store is a set of visited states that outlives the process, with checkpoints of
// the search that visits them: blobs that mean something to the search alone. It is
// always at a checkpoint: states, their entries, and whatever the search added
// belong to one moment. Each error is one of the kinds in this package, by errors.Is.
type Store interface {
	// Set returns the set of visited states.
	Set() Set
	// Dir returns the directory's name.
	Dir() string

	// Head returns the head of the last checkpoint, Blob one of its blobs.
	Head() ([]byte, error)
	Blob(kind byte, index int) ([]byte, error)
	// Checkpoint begins to write everything that has changed since the last one
	// began: states, blobs, and the head, which stands for the search as a whole.
	// The search may go on meanwhile; what it changes belongs to the next
	// checkpoint. What is still being written is waited for.
	Checkpoint(head []byte, blobs []Blob) error
	// Encode writes a value for a head or a blob, and Decode reads it: what a
	// checkpoint says is the search's business, and how it is written is not.
	Encode(v any) ([]byte, error)
	Decode(data []byte, v any) error

	// Writing reports whether something is being written, as far as Poll knows.
	Writing() bool
	// Poll notes the end of what was being written, if it has ended.
	Poll() error
	// Wait waits until everything handed over is safe on the disk.
	Wait() error
	// Drain notes the end of what was being written, and begins to write entries
	// that the disk does not know if many have gathered and there is room for them.
	// They belong to the next checkpoint: until then, opening the store would take
	// them back.
	Drain() error
	// Relieve waits until the set is not Full any more. It returns an ErrFull if the
	// disk has no room.
	Relieve() error

	// Need estimates the bytes that a checkpoint now would need on the disk for
	// states, beside its blobs, at the worst.
	Need() int64
	// Room reports, by an ErrFull, that the disk has less left than so many
	// checkpoints now would need, with blobs of so many bytes.
	Room(checkpoints, blobs int64) error
	// Bytes returns the space that the store takes on the disk.
	Bytes() int64
}

// Blob is something of the search's own in a checkpoint. A blob stays until a
// later checkpoint has one of the same kind and index.
type Blob struct {
	Kind  byte   // a letter of the search's
	Index int    // which of that kind
	Data  []byte // the bytes
}
