// Command progress_half hangs only if one of two stores comes last.
//
// Idiom: a wait that is over in some executions. Source: OpenCL 3.2.2 (rule 11.8);
// docs/liveness.md.
//
// Derivation: work-group 0 goes round as long as it reads 2 in x and not 5 in y. If the
// store of 2 comes after that of 1 in the order of stores, it stays, and nobody writes y:
// from there no execution ends. If it comes before, or work-group 0 reads its own 1, it
// ends. A round has two reads, which is why it is CL1018 and no CL1011.
//
//clmc:expect violated CL1018
//clmc:expect liveness=fair violated CL1018
package main

import "github.com/clmc/clmc/models/cl"

var x, y cl.AtomicInt

func k() {
	if cl.GetGroupID(0) == 1 {
		cl.AtomicStore(&x, 2)
		return
	}
	cl.AtomicStore(&x, 1)
	for cl.AtomicLoad(&x) == 2 {
		if cl.AtomicLoad(&y) == 5 {
			break
		}
	}
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
