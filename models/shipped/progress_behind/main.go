// Command progress_behind has a reader that may read one behind its writer for ever.
//
// Idiom: messages by relaxed stores. Source: rule 7.9 of docs/semantics.md;
// docs/liveness.md.
//
// Derivation: in each round the writer stores the other of two values, and the reader,
// which is told so, reads. By relaxed accesses it may read the value before: that is
// another message in each round, so that no message is missed for ever, and memory is
// fair. So it may go on for ever even under fair; with probability 1 the reader reads the
// newest value some time. If it is told by release and acquire (told = 1) it reads the
// newest value at once. Load buffering is left out where they are relaxed (promises = 0):
// what may become visible early has no bound there. Alone the writer waits for the reader,
// which need not start unless all are guaranteed.
//
//clmc:expect -D told=1 verified
//clmc:expect -D told=1 liveness=unfair violated CL1020
//clmc:expect -D told=1 liveness=hsa violated CL1020
//clmc:expect -D told=1 liveness=obe violated CL1020
//clmc:expect -D told=1 liveness=hsa_obe violated CL1020
//clmc:expect -D told=1 liveness=lobe violated CL1020
//clmc:expect -D told=1 liveness=fair verified
//clmc:expect -D told=1 liveness=hsa fairness=strong violated CL1020
//clmc:expect -D told=1 liveness=obe fairness=strong violated CL1020
//clmc:expect -D told=1 liveness=hsa_obe fairness=strong violated CL1020
//clmc:expect -D told=1 liveness=lobe fairness=strong violated CL1020
//clmc:expect -D told=1 liveness=fair fairness=strong verified
//clmc:expect promises=0 verified
//clmc:expect promises=0 liveness=unfair violated CL1020
//clmc:expect promises=0 liveness=hsa violated CL1020
//clmc:expect promises=0 liveness=obe violated CL1020
//clmc:expect promises=0 liveness=hsa_obe violated CL1020
//clmc:expect promises=0 liveness=lobe violated CL1020
//clmc:expect promises=0 liveness=fair violated CL1020
//clmc:expect promises=0 liveness=hsa fairness=strong violated CL1020
//clmc:expect promises=0 liveness=obe fairness=strong violated CL1020
//clmc:expect promises=0 liveness=hsa_obe fairness=strong violated CL1020
//clmc:expect promises=0 liveness=lobe fairness=strong violated CL1020
//clmc:expect promises=0 liveness=fair fairness=strong verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	told = 0

	relaxed = cl.MemoryOrderRelaxed
	device  = cl.MemoryScopeDevice
)

var x, flag, done cl.AtomicInt

func write() {
	v := int32(0)
	for cl.AtomicLoadExplicit(&done, relaxed, device) == 0 {
		v = 1 - v
		cl.AtomicStoreExplicit(&x, v, relaxed, device)
		if told == 1 {
			cl.AtomicStoreExplicit(&flag, 1, cl.MemoryOrderRelease, device)
		} else {
			cl.AtomicStoreExplicit(&flag, 1, relaxed, device)
		}
		for flagged() != 0 && cl.AtomicLoadExplicit(&done, relaxed, device) == 0 {
		}
	}
}

func flagged() int32 {
	if told == 1 {
		return cl.AtomicLoadExplicit(&flag, cl.MemoryOrderAcquire, device)
	}
	return cl.AtomicLoadExplicit(&flag, relaxed, device)
}

func read() {
	for want, seen := int32(0), int32(1); seen != want; {
		for flagged() == 0 {
		}
		want = 1 - want
		seen = cl.AtomicLoadExplicit(&x, relaxed, device)
		if told == 1 {
			cl.AtomicStoreExplicit(&flag, 0, cl.MemoryOrderRelease, device)
		} else {
			cl.AtomicStoreExplicit(&flag, 0, relaxed, device)
		}
	}
	cl.AtomicStoreExplicit(&done, 1, relaxed, device)
}

func k() {
	if cl.GetGroupID(0) == 0 {
		write()
	} else {
		read()
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
