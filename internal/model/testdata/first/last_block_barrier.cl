//clmc:launch reduce global=4 local=2 in=int[4]{1,2,3,4} part=zero[2] count=zero[1] out=zero[1]
#ifdef FIX
#define ORDER memory_order_acq_rel
#else
#define ORDER memory_order_relaxed
#endif
kernel void reduce(global const int *in, global int *part, global atomic_uint *count, global int *out) {
  local int tmp[2];
  local int last;
  int l = get_local_id(0);
  tmp[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    part[get_group_id(0)] = tmp[0] + tmp[1];
    uint n = atomic_fetch_add_explicit(count, 1, ORDER, memory_scope_device);
    last = n == get_num_groups(0) - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (last && l == 0)
    out[0] = part[0] + part[1];
}
//first:cause neither is more than relaxed
//first:repair Use memory_order_acq_rel for the read-modify-write in line 15
