// Neighbours exchange values if the third work-item has come by. One may see that and the other not: a barrier in the branch would not be met by both.
//clmc:launch meet global=3 local=3 here=atomic_int[3]{0,0,0} x=zero[4] out=zero[3]
kernel void meet(global atomic_int *here, global int *x, global int *out) {
    int l = get_local_id(0);
    atomic_store_explicit(&here[l], 1, memory_order_relaxed, memory_scope_work_group);
#ifdef FIX
    x[l] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[l] = x[l ^ 1];
#else
    if (atomic_load_explicit(&here[2], memory_order_relaxed, memory_scope_work_group) == 1) {
        x[l] = 1;
        out[l] = x[l ^ 1];
    }
#endif
}

//first:cause need not run in step
//first:repair barrier(CLK_GLOBAL_MEM_FENCE) between the two accesses: as the kernel is written there is no place for it
