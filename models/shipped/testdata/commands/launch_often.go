// Command launch_often runs a kernel forty times in a loop.
//
// Derivation: rule 12.5, forty times.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

var x int32

func add() { x++ }

func main() {
	for range 40 {
		cl.EnqueueNDRangeKernel(add, cl.NDRange1D(1, 1))
	}
	cl.Finish()
	cl.Assert(x == 40, "all have run")
}
