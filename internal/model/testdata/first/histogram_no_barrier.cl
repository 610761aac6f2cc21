// Each group counts in bins of its own in local memory and adds them up: between the two nobody waits for the others of the group (rule 11.2), so that a bin
// may be read before all have counted. All is atomic, and no race.
//first:cause Nothing orders the two.
//first:repair Put a barrier(CLK_LOCAL_MEM_FENCE) between the two accesses, after line 14 and before line 18
//clmc:launch hist global=4 local=2 data={0,1,1,0} bins=zero[2]
//clmc:assert bins[0] == 2
kernel void hist(global const int *data, global atomic_int *bins)
{
    local atomic_int mine[2];
    int l = get_local_id(0);
    atomic_init(&mine[l], 0);
    barrier(CLK_LOCAL_MEM_FENCE);

    atomic_fetch_add_explicit(&mine[data[get_global_id(0)]], 1, memory_order_relaxed, memory_scope_work_group);
#ifdef FIX
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    int n = atomic_load_explicit(&mine[l], memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_add_explicit(&bins[l], n, memory_order_relaxed, memory_scope_device);
}
