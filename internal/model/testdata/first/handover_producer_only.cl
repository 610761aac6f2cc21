// The rows of a matrix go from one work-group to the next by a flag. The producers have a barrier before the flag is set, but it orders local memory only,
// and the consumers have none (rules 11.3, 11.4): k(3) reads without having waited.
//first:cause release in line 17, acquire in line 20
//first:repair Add CLK_GLOBAL_MEM_FENCE to the flags of the barrier in line 16, and put a barrier(CLK_GLOBAL_MEM_FENCE) after the acquire in line 20 and before
//clmc:launch rows global=4 local=2 row=zero[2] full=zero[1] out=zero[2]
#ifdef FIX
#define FLAG CLK_GLOBAL_MEM_FENCE
#else
#define FLAG CLK_LOCAL_MEM_FENCE
#endif
kernel void rows(global int *row, global atomic_int *full, global int *out)
{
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        row[l] = l + 1;
        barrier(FLAG);
        if (l == 0) atomic_store_explicit(full, 1, memory_order_release, memory_scope_device);
    } else {
        if (l == 0)
            while (atomic_load_explicit(full, memory_order_acquire, memory_scope_device) == 0) ;
#ifdef FIX
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
        out[l] = row[l];
    }
}
