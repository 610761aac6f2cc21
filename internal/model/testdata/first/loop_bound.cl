//clmc:launch step global=2 local=2 n=int[2]{1,2} out=zero[2]
kernel void step(global const int *n, global int *out) {
    int l = get_local_id(0);
#ifdef FIX
    for (int i = 0; i < 2; i++) {
        if (i < n[l])
            out[l]++;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
#else
    for (int i = 0; i < n[l]; i++) {
        out[l]++;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
#endif
}

//first:cause part at the condition in line 11
//first:repair go round the loop around line 13 equally often
