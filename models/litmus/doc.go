// Package litmus is the front end for litmus tests in herd's OpenCL format:
// it parses the text, checks it, and lowers it to the intermediate
// representation of package ir, the same that Go models lower to. It also
// evaluates a test's final condition and prints results as herd does.
//
// It knows nothing of how a program is executed or searched: callers run
// Test.Program and give the outcomes back to Test.Judge and Test.WriteHerd.
//
// # The format
//
//	OpenCL MP
//	{ [x]=0; [y]=0; }
//
//	P0 (global int* x, global atomic_int* y) {
//	  *x = 1;
//	  atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);
//	}
//
//	P1 (global int* x, global atomic_int* y) {
//	  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);
//	  int r1 = -1;
//	  if (r0 == 1) { r1 = *x; }
//	}
//
//	scopeTree (device (work_group P0) (work_group P1))
//	locations [x; 1:r0;]
//	exists (1:r0=1 /\ 1:r1=0)
//
// Comments are (* *), // and /* */. Quoted strings and Key=value lines may
// follow the first line and are ignored.
//
// A parameter's region is global, local or global_fga (fine-grained SVM with
// atomics), with or without underscores; global is the default. A location
// has one region in all threads and starts at 0 unless the initial block says
// otherwise. A local location exists once, even where the scope tree has
// several work-groups: threads share it by name.
//
// Registers are ints and start at 0 unless the initial block says otherwise
// (1:r0=5). Expressions are those of C over ints; loads through * and atomic
// operations may occur inside them and are evaluated from left to right.
//
// The operations are atomic_{load,store,exchange,init},
// atomic_fetch_{add,sub,or,xor,and,min,max} and
// atomic_compare_exchange_{strong,weak}, all but init also with _explicit, a
// memory order (two for compare_exchange) and an optional scope. The default
// order is seq_cst, the default scope device. As in herd, the expected value
// of a compare_exchange is a location that is read non-atomically beforehand
// and never written back; an expression is accepted as well.
//
// The fence is atomic_work_item_fence(flags, order[, scope]); OpenCL 1.x's
// mem_fence, read_mem_fence and write_mem_fence are known too.
// work_group_barrier(flags[, scope]), alias barrier, and
// sub_group_barrier(flags[, scope]) are statements. A label before one, as in
// "B0: barrier(...)", is its identity: the items of a group must meet at the
// same label. Barriers without a label are matched by their rank among the
// unlabelled barriers of their thread.
//
// Scope tree nodes are device, kernel, work_group and sub_group, and may be
// left out: a thread directly inside a device has a work-group to itself, and
// one directly inside a work-group a sub-group. Without a scope tree, threads
// may be placed as in Dartagnan's files, P0@wg 0, dev 0 (...); otherwise there
// is one device, and every thread is a work-group of its own.
//
// The final condition is exists, forall or ~exists of a proposition over
// locations (x or [x]) and registers (1:r0), built with /\, \/, ~ and
// parentheses. An outcome consists of the variables listed under locations
// and those in the condition.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package litmus
