// Command observe_instances runs one kernel twice, side by side, and lists which
// ticket each instance gets.
//
// Idiom: outcomes of several kernel-instances. Source: OpenCL 5.11, out-of-order
// queues.
//
// Derivation: commands of an out-of-order queue that nothing orders may run in
// either order (rule 12.21), and of two read-modify-writes the one reads what the
// other has written (rule 7.7): so one ticket is 0 and the other 1, and there are
// two outcomes. Both instances observe under one name, which tells them apart by
// the number of the command.
//
//clmc:expect verified
//clmc:outcomes take(0)@1:ticket=0 take(0)@2:ticket=1 | take(0)@1:ticket=1 take(0)@2:ticket=0
package main

import "github.com/clmc/clmc/models/cl"

var next cl.AtomicInt

func take() {
	cl.Observe("ticket", cl.AtomicFetchAddExplicit(&next, 1, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice))
}

func main() {
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	cl.EnqueueNDRangeKernel(take, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.EnqueueNDRangeKernel(take, cl.NDRange1D(1, 1), cl.OnQueue(q))
	cl.Finish(q)
}
