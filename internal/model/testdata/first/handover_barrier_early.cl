// A tile goes from one work-group to the next by a flag. The consumers meet before their leader waits, not after it, so that only the leader comes behind
// what it has waited for (rules 5.5, 11.3): k(3) may read before the flag is set. The producers' barrier in line 11 is where it should be.
//first:cause The barrier in line 14 is passed before the acquire.
//first:repair Put a barrier(CLK_GLOBAL_MEM_FENCE) after the acquire in line 16 and before the access in line 20
//clmc:launch pass global=4 local=2 tile=zero[2] full=zero[1] out=zero[2]
kernel void pass(global int *tile, global atomic_int *full, global int *out)
{
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        tile[l] = l + 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0) atomic_store_explicit(full, 1, memory_order_release, memory_scope_device);
    } else {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0)
            while (atomic_load_explicit(full, memory_order_acquire, memory_scope_device) == 0) ;
#ifdef FIX
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
        out[l] = tile[l];
    }
}
