//clmc:launch reverse global=4 local=4 in=int[4]{1,2,3,4} out=zero[4]
#ifdef FIX
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif
kernel void reverse(global const int *in, global int *out) {
    local int tile[4];
    int l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(FENCE);
    out[get_global_id(0)] = tile[3 - l];
}

//first:cause order global memory only
//first:repair CLK_LOCAL_MEM_FENCE
