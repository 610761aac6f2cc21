package share

// Link is one worker's way to the log of its job. The log is one sequence of batches that
// all workers read in the same order, each from the first. What whoever keeps it must guarantee is
// what a search that skips what others have done rests on:
//
//   - A batch is in the log whole, once or several times, or not at all. Batches of one
//     worker may be there in another order than they were published in.
//   - Nothing that is in the log leaves it, and nothing is put before what is there.
//   - Next returns batches in the log's order without a gap, from the first one of the log
//     on, the worker's own ones among them. Where that cannot be kept, it
//     returns an error, and nothing is published through the link any more.
//   - Acknowledged says of a batch that it is in the log, never of one that may not be.
//
// All methods are called by one goroutine, the one that searches; none but Wait, WaitBack, and Next
// as said there, waits for anything.
type Link interface {
	// Self says who the worker is.
	Self() Member
	// Ready reports whether the worker should publish what it has: there is room for a
	// batch, and it is time for one. It is asked every few states.
	Ready() bool
	// Publish hands over a batch of at most MaxBatch bytes, which belong to the link then.
	// Batches have numbers from 1. One that does not get to the log is forgotten:
	// what must not be lost of it the worker says again, in every batch until one is
	// acknowledged.
	Publish(number uint64, batch []byte)
	// Acknowledged returns the number of a batch that is known to be in the log and has
	// not been returned before, 0 if there is none at present.
	Acknowledged() uint64
	// Next returns the next batch of the log, which the caller does not change; nil if there is
	// none at present. As long as batches are left that were in the log when the link was made, it
	// waits for them, unless the link's context is done.
	Next() ([]byte, error)
	// Wait waits until there is a batch to be read, or Next returns an error, for as long as it takes: others may have
	// nothing to say in hours. It reports false if nothing will come: when the link's context is done.
	Wait() bool
	// WaitBack waits until a batch has been acknowledged, there is one to be read, Next returns an error, or none that was handed over is
	// under way and Ready reports true. It reports false if there is no use in waiting: after a time that the link
	// chooses, or when its context is done.
	WaitBack() bool
}

// Signed is a Link that knows who has published a batch, whatever the batch says.
type Signed interface {
	// From returns the Member.ID of who has published the batch that Next has returned last.
	From() uint64
}

// Member is a worker of a job.
type Member struct {
	ID uint64 // of this worker in this run: random, and nobody else's
	// Order says in which order the worker takes the ways through the program: 0
	// is that of a search alone, 1 the opposite, and each other number its own.
	Order int
}
