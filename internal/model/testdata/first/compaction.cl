//clmc:launch compact n=4 global=4 local=2 in=int[4]{1,1,2,2} out=zero[4] flags=atomic_int[3]{1,0,0} tmp=local[2]
//clmc:assert out[2] == 2
kernel void compact(int n, global const int *in, global int *out, global atomic_int *flags, local int *tmp) {
    local int count;
    int l = get_local_id(0), g = get_group_id(0), v = in[get_global_id(0)];
    if (l == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int pos = v ? atomic_inc(&count) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int p;
        while ((p = atomic_load(&flags[g])) == 0)
            ;
        atomic_store(&flags[g + 1], p + count);
        count = p - 1;
    }
#ifdef FIX
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (v) out[count + pos] = v;
}

//first:cause meets it at a barrier
//first:repair work_group_barrier(CLK_LOCAL_MEM_FENCE)
