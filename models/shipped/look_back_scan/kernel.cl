// Kernel look_back_scan computes prefix sums in one launch: a work-group looks back at what those
// before it have published, sums of their parts or whole prefixes.
//
// Idiom: decoupled look-back. Source: OpenCL 3.3.7.1; Merrill and Garland's single-pass scan.
//
// Derivation: who reads a status that is not zero by an acquire synchronises with the release that wrote
// it (rule 6.1), and with what was written before: the sum for 1, sum and prefix for 2. The
// barrier hands the prefix on to the group (rule 11.3). Work-groups wait for those before them, and need not
// make progress together (rule 11.8): only safety is claimed. With BUG the status is read
// relaxed, and what it announces is raced for (rule 9.1).
//
//clmc:launch scan global=4 local=2 in={1,2,3,4} sums=zero[2] prefixes=zero[2] status=zero[2] out=zero[4]
//clmc:assert out[0] == 1 && out[1] == 3 && out[2] == 6 && out[3] == 10
//clmc:expect verified
//clmc:expect -D BUG=1 violated CL1001

#ifdef BUG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acquire
#endif

__kernel void scan(__global const int *in, __global int *sums, __global int *prefixes, __global atomic_int *status, __global int *out) {
  __local int before;
  int i = get_global_id(0), l = get_local_id(0), g = get_group_id(0);
  int mine = work_group_scan_inclusive_add(in[i]);
  if (l == get_local_size(0) - 1) {
    sums[g] = mine;
    atomic_store_explicit(&status[g], 1, memory_order_release, memory_scope_device);
    int sum = 0;
    for (int p = g - 1; p >= 0; p--) {
      int seen;
      while ((seen = atomic_load_explicit(&status[p], ORDER, memory_scope_device)) == 0)
        ;
      if (seen == 2) {
        sum += prefixes[p];
        break;
      }
      sum += sums[p];
    }
    prefixes[g] = sum + mine;
    atomic_store_explicit(&status[g], 2, memory_order_release, memory_scope_device);
    before = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = before + mine;
}
