// Command progress_after_you has two work-groups raise a flag, and lower it again as long
// as the other's is up.
//
// Idiom: mutual exclusion by politeness. Source: OpenCL 3.2.2 (rule 11.8);
// docs/liveness.md.
//
// Derivation: both may raise their flags, see the other's, lower their own, and raise it
// again, for ever: each makes steps, so that weak fairness asks for no more, under no
// model. With probability 1 one of them looks at last while the other's flag is down, if
// both are guaranteed: both have started, so obe is enough. Under hsa work-group 1 may
// stop with its flag up, and is promised nothing.
//
//clmc:expect verified
//clmc:expect liveness=unfair violated CL1020
//clmc:expect liveness=hsa violated CL1020
//clmc:expect liveness=obe violated CL1020
//clmc:expect liveness=hsa_obe violated CL1020
//clmc:expect liveness=lobe violated CL1020
//clmc:expect liveness=fair violated CL1020
//clmc:expect liveness=hsa fairness=strong violated CL1020
//clmc:expect liveness=obe fairness=strong verified
//clmc:expect liveness=hsa_obe fairness=strong verified
//clmc:expect liveness=lobe fairness=strong verified
//clmc:expect liveness=fair fairness=strong verified
package main

import "github.com/clmc/clmc/models/cl"

var up [2]cl.AtomicInt

func k() {
	me := cl.GetGroupID(0)
	for {
		cl.AtomicStore(&up[me], 1)
		if cl.AtomicLoad(&up[1-me]) == 0 {
			break
		}
		cl.AtomicStore(&up[me], 0)
	}
	cl.AtomicStore(&up[me], 0)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
