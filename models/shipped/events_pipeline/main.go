// Command events_pipeline passes data through kernels of an out-of-order queue
// by events.
//
// Idiom: producer, two workers, consumer as a graph of commands. Source: OpenCL
// 3.2.1, 3.3.7.5.
//
// Derivation: nothing but events orders the commands of an out-of-order queue.
// Each event is complete after its command (rule 12.3), all work-items of the
// producer happen before its event (rule 12.9), the event before the commands
// that wait for it (rule 12.2), their start before their work-items (rule 12.9),
// and the last event before the return of clWaitForEvents (rule 12.4). With
// events=0 the workers and the producer race (rules 9.1, 12.21).
//
//clmc:expect verified
//clmc:expect -D events=0 violated CL1001
package main

import "github.com/clmc/clmc/models/cl"

const events = 1

var (
	input        [2]int32
	left, right  int32
	sum, product int32
)

func produce() { input[cl.GetGlobalID(0)] = 3 + int32(cl.GetGlobalID(0)) }
func add()     { left = input[0] + input[1] }
func multiply() {
	right = input[0] * input[1]
}
func consume() { sum, product = left, right }

func main() {
	queue := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	one := cl.NDRange1D(1, 1)
	produced := cl.EnqueueNDRangeKernel(produce, cl.NDRange1D(2, 1), cl.OnQueue(queue))
	if events == 0 {
		cl.EnqueueNDRangeKernel(add, one, cl.OnQueue(queue))
		cl.Finish(queue)
		return
	}
	added := cl.EnqueueNDRangeKernel(add, one, cl.OnQueue(queue), cl.EventWaitList(produced))
	multiplied := cl.EnqueueNDRangeKernel(multiply, one, cl.OnQueue(queue), cl.EventWaitList(produced))
	done := cl.EnqueueNDRangeKernel(consume, one, cl.OnQueue(queue), cl.EventWaitList(added, multiplied))
	cl.WaitForEvents(done)
	cl.Assert(sum == 7 && product == 12, "the results are complete")
}
