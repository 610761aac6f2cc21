// Kernel subgroup_scan computes prefix sums of a work-group from those of its sub-groups.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch scan global=4 local=4
//clmc:expect verified
//clmc:expect -D barriers=0 violated CL1001

#define N 4
#ifndef barriers
#define barriers 1
#endif

__attribute__((intel_reqd_sub_group_size(2)))
kernel void scan(void) {
  local int totals[N];
  int x = get_local_id(0) + 1;
  int sum = sub_group_scan_inclusive_add(x);
  if (get_sub_group_local_id() == get_sub_group_size() - 1)
    totals[get_sub_group_id()] = sum;
  if (barriers)
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 0; s < get_sub_group_id(); s++)
    sum += totals[s];
  __assert(sum == work_group_scan_inclusive_add(x));
  __assert(sum == x * (x + 1) / 2);
  __assert(sum - x == work_group_scan_exclusive_add(x));
}
