package lower_test

import (
	"context"
	"fmt"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// This builds, by hand, what a front end would make of
//
//	kernel void sum(global int *out) {
//		local int part[2];
//		size_t i = get_local_id(0);
//		part[i] = i + 1;
//		barrier(CLK_LOCAL_MEM_FENCE);
//		if (i == 0) {
//			int s = 0;
//			for (int k = 0; k < 2; k++)
//				s += part[k];
//			out[0] = s;
//		}
//	}
//
// and of a host program that runs it once, with one work-group of two work-items.
func Example() {
	p := lower.NewProgram("sum")
	out := p.Global(ir.Object{Name: "out", Layout: &ir.Layout{Elem: ir.Scalar(ir.I32, false), Len: 1}, Init: []int64{0}})

	// A front end sets At to p.Position(...) of each statement; here there is no source.
	host := p.NewFunc("host", 0)
	p.Threads = []ir.Thread{{Name: "host", Func: host.Number(), Place: memmodel.Place{Host: true}}}

	k := p.NewFunc("sum", 0)
	dst := k.Param("out")
	part := k.Constant(k.Local(ir.Object{Name: "part", Layout: &ir.Layout{Elem: ir.Scalar(ir.I32, false), Len: 2}}))
	i := k.Query(ir.QueryLocalID, k.Constant(0))
	k.Name(i, "i")
	k.CheckIndex(i, k.Constant(2))
	k.Store(ir.I32, k.Element(part, i, 1), k.Conv(ir.I32, ir.I64, k.Bin(ir.Add, ir.I64, i, k.Constant(1))))
	k.Emit(ir.Instr{Op: ir.OpBarrier, Flags: memmodel.LocalFence, Scope: memmodel.ScopeWorkGroup, Str: p.Str("sum.cl:5:2")})
	k.If(k.Bin(ir.Eq, ir.I64, i, k.Constant(0)), func() {
		s := k.NewReg("s")
		k.Move(s, k.Constant(0))
		k.Repeat(k.Constant(2), func(n int32) {
			k.Move(s, k.Bin(ir.Add, ir.I32, s, k.Load(ir.I32, k.Element(part, n, 1))))
		})
		k.Store(ir.I32, dst, s)
	}, nil)
	k.End()

	one := host.Constant(1)
	zero := host.Constant(0)
	host.Emit(ir.Instr{Op: ir.OpEnqueueNDRange, Target: int32(k.Number()), Dst: host.NewReg(""), Args: []int32{
		zero,             // the default queue
		one,              // of one dimension:
		zero, zero, zero, // offset
		host.Constant(2), one, one, // global size
		host.Constant(2), one, one, // local size
		host.Constant(out)}}) // what the kernel has as parameters
	host.Emit(ir.Instr{Op: ir.OpFinish, A: zero})
	sum := host.Load(ir.I32, host.Constant(out))
	host.Emit(ir.Instr{Op: ir.OpAssert, A: host.Bin(ir.Eq, ir.I32, sum, host.Constant(3)), Str: p.Str("1 + 2 is 3")})
	host.End()

	p.Finish()
	p.Link()
	if err := p.Verify(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)

	r := explore.Run(context.Background(), p.Program, explore.Options{})
	fmt.Println("complete:", r.Complete, "violations:", len(r.Violations))
	// Output:
	// program sum
	// object 0 out: [1]i32, svm_coarse, zero
	// object 0 part: [2]i32, local of sum, uninitialised
	// thread host: host
	//
	// func host: 1 registers, 0 private, 0 parameters
	//     0  _ = enqueue sum(0, 1, 0, 0, 0, 2, 1, 1, 2, 1, 1, shared+0), 0 events
	//     1  finish 0
	//     2  r0 = load.i32 shared+0
	//     3  r0 = eq.i32 r0, 3
	//     4  assert r0, "1 + 2 is 3"
	//     5  end
	//
	// func sum: 5 registers, 0 private, 1 parameters, r0=out, r1=i, r3=s
	//     0  r1 = local_id 0
	//     1  r3 = lt.u64 r1, 2
	//     2  check.index r3
	//     3  r2 = add.ptr group+0, r1
	//     4  r3 = add.i64 r1, 1
	//     5  r3 = conv.i64.i32 r3
	//     6  store.i32 r2, r3
	//     7  barrier.group CLK_LOCAL_MEM_FENCE, memory_scope_work_group, "sum.cl:5:2"
	//     8  r1 = eq.i64 r1, 0
	//     9  branch r1, 10, 20
	// >  10  r3 = 0
	//    11  r1 = 0
	// >  12  r4 = lt.i64 r1, 2
	//    13  branch r4, 14, 19
	// >  14  r2 = add.ptr group+0, r1
	//    15  r4 = load.i32 r2
	//    16  r3 = add.i32 r3, r4
	//    17  r1 = add.i64 r1, 1
	//    18  jump 12
	// >  19  store.i32 r0, r3
	// >  20  end
	//
	// complete: true violations: 0
}
