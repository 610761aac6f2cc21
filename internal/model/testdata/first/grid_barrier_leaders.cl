// All work-groups wait for each other by a count, which the first work-item of each raises. The others of its group have written before, but nobody waits for them: a barrier
// is missing before the count (rules 5.5, 11.3). The one behind it, in line 17, is there.
//first:cause step(2) releases for its group, and the access of step(3) comes before that only by a barrier.
//first:repair Put a barrier(CLK_GLOBAL_MEM_FENCE) after the access in line 9 and before the release in line 14
//clmc:launch step global=4 local=2 here=zero[1] a=zero[4] out=zero[4]
kernel void step(global atomic_int *here, global int *a, global int *out)
{
    int i = get_global_id(0);
    a[i] = i;
#ifdef FIX
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    if (get_local_id(0) == 0) {
        atomic_fetch_add_explicit(here, 1, memory_order_acq_rel, memory_scope_device);
        while (atomic_load_explicit(here, memory_order_acquire, memory_scope_device) < 2) ;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = a[3 - i];
}
