//clmc:launch k global=2 local=1 flag=zero[1] aflag=atomic_int[1]{0} x=zero[1] out=zero[1]
// CUDA-minded: a volatile flag and mem_fence
kernel void k(volatile global int *flag, global atomic_int *aflag, global int *x, global int *out) {
    if (get_group_id(0) == 0) {
        x[0] = 3;
#ifdef FIX
        atomic_store_explicit(aflag, 1, memory_order_release, memory_scope_device);
#else
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        flag[0] = 1;
#endif
    } else {
#ifdef FIX
        while (atomic_load_explicit(aflag, memory_order_acquire, memory_scope_device) == 0) ;
#else
        while (flag[0] == 0) ;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
#endif
        out[0] = x[0];
    }
}

//first:cause neither access is atomic
//first:repair atomic_load_explicit (memory_order_acquire, memory_scope_device)
