// Kernel last_block sums an array in one kernel: each work-group sums its part, and the last to
// arrive sums the partial sums.
//
// It is the model in main.go, written in OpenCL C: the derivation is there.
//
//clmc:launch reduce global=4 local=2 input={1,2,3,4} result=zero[1]
//clmc:assert result[0] == 10
//clmc:expect verified
//clmc:expect -D release=false violated CL1001
//clmc:expect -D acquire=false violated CL1001

#define GROUPS 2
#ifndef release
#define release 1
#endif
#ifndef acquire
#define acquire 1
#endif

global int partial[GROUPS];
global atomic_int arrived;

int sum(local int *tile) {
  int s = 0;
  for (int i = 0; i < GROUPS; i++)
    s += tile[i];
  return s;
}

kernel void reduce(global const int *input, global int *result) {
  local int tile[GROUPS];
  local bool last;
  int l = get_local_id(0);
  tile[l] = input[get_global_id(0)];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    partial[get_group_id(0)] = sum(tile);
    if (release)
      atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    int before = atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed, memory_scope_device);
    if (acquire)
      atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    last = before == GROUPS - 1;
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (last) {
    tile[l] = partial[l];
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
      *result = sum(tile);
  }
}
