//clmc:launch scan global=4 local=4 d=int[4]{1,1,1,1}
//clmc:assert d[3] == 4
//first:cause Line 16 writes in some of them what it reads in others
//first:repair Read in line 16 into a private variable
kernel void scan(global int *d) {
    local int t[4];
    int l = get_local_id(0);
    t[l] = d[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 1; o < 4; o *= 2) {
#ifdef FIX
        int v = l >= o ? t[l - o] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += v;
#else
        if (l >= o) t[l] += t[l - o];
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    d[l] = t[l];
}
