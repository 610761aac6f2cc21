// Kernel work_stealing gives each work-group tasks of its own; whoever has none left takes those
// of others.
//
// Idiom: work stealing by a counter for each queue. Source: OpenCL 3.3.7.1.
//
// Derivation: the read-modify-writes of one counter are atomic, so that no two work-items get the same
// number (rule 7.7), and a task is done once; the tasks themselves are only read. With BUG a number is
// taken by a load and a store: two may take the same one, and both write done, a race (rule 9.1) after
// which a sum is wrong.
//
//clmc:launch steal global=2 local=1 n=1 next=zero[2] task={5,7} done=zero[2]
//clmc:assert done[0] == 5 && done[1] == 7
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001 CL1004

int take(__global atomic_int *next) {
#ifdef BUG
  int i = atomic_load_explicit(next, memory_order_acquire, memory_scope_device);
  atomic_store_explicit(next, i + 1, memory_order_release, memory_scope_device);
  return i;
#else
  return atomic_fetch_add_explicit(next, 1, memory_order_acq_rel, memory_scope_device);
#endif
}

__kernel void steal(int n, __global atomic_int *next, __global const int *task, __global int *done) {
  int me = get_group_id(0), groups = get_num_groups(0);
  for (int k = 0; k < groups; k++) {
    int queue = (me + k) % groups;
    for (int i; (i = take(&next[queue])) < n;)
      done[queue * n + i] += task[queue * n + i];
  }
}
