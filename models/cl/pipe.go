package cl

// Pipe is pipe, a cl_mem: a queue of packets, for kernels of a //cl:program (OpenCL C 6.15.16). Each kernel has one end of it,
// read_only or write_only. The host cannot access it.
type Pipe[T any] struct {
	state   *T
	packets int
}

// NewPipe is clCreatePipe: an empty pipe with room for a constant number of packets, at most 40. The host calls it once
// for each pipe: not in a loop.
func NewPipe[T any](packets int) Pipe[T] {
	unreachable()
	return Pipe[T]{}
}
