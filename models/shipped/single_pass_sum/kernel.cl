// Kernel single_pass_sum adds up an array in one launch: the work-group that is the last to count
// itself adds what all have left.
//
// Idiom: last-block reduction with an acquire-release counter. Source: OpenCL C 6.15.12.
//
// Derivation: the read-modify-writes of count continue each other's release sequences (rule 5.4), and
// each acquires, so that the last synchronises with all before it (rule 6.1); it is one work-item that has
// counted and that reads the partial sums. With BUG the counter is relaxed and orders nothing: the partial
// sum of the other group is raced for (rule 9.1).
//
//clmc:launch sum global=4 local=2 in={1,2,3,4} part=zero[2] count=zero[1] out=zero[1]
//clmc:assert out[0] == 10
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001

#ifdef BUG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acq_rel
#endif

__kernel void sum(__global const int *in, __global int *part, __global atomic_uint *count, __global int *out) {
  __local int tile[2];
  uint l = get_local_id(0), g = get_group_id(0), groups = get_num_groups(0);
  tile[l] = in[get_global_id(0)];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (l > 0)
    return;
  part[g] = tile[0] + tile[1];
  if (atomic_fetch_add_explicit(count, 1, ORDER, memory_scope_device) == groups - 1) {
    int total = 0;
    for (uint i = 0; i < groups; i++)
      total += part[i];
    *out = total;
  }
}
