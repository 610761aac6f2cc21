// Command read_write_buffer moves data by commands instead of mappings.
//
// Idiom: write, fill, copy, read; blocking and not. Source: API 5.2.2, 5.2.3.
//
// Derivation: the commands of an in-order queue follow each other (rule 12.5).
// A blocking read has completed when the call returns (rule 12.4). One that does
// not block has not: the host's read of the result races with the command's
// write of it (rule 9.1), unless it waits for the event. The same holds for the
// memory that a write command reads: with early=1 the host changes it too soon.
//
//clmc:expect verified
//clmc:outcomes first=1 second=5
//clmc:expect -D blocking=0 violated CL1001
//clmc:expect -D early=1 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const (
	blocking = 1
	early    = 0
)

var (
	a = cl.NewBuffer[int32](4)
	b = cl.NewBuffer[int32](4)

	source, target [2]int32
)

func main() {
	source[0], source[1] = 5, 6
	written := cl.EnqueueWriteBuffer(a, cl.CLNonBlocking, 1, source[:])
	if early == 0 {
		cl.WaitForEvents(written)
	}
	source[0] = 0
	cl.EnqueueFillBuffer(b, 1, 0, 4)
	cl.EnqueueCopyBuffer(a, b, 1, 2, 2)
	cl.EnqueueReadBuffer(b, blocking == 1, 1, target[:])
	cl.Observe("first", target[0])
	cl.Observe("second", target[1])
	cl.Finish()
}
