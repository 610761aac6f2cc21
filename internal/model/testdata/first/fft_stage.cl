//clmc:launch fft global=4 local=4 x=zero[4]
kernel void fft(global int *x) {
    local int a[4];
    int l = get_local_id(0);
    a[l] = x[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < 4; s *= 2) {
        int other = a[l ^ s];
#ifdef FIX
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        a[l] = (l & s) ? other - a[l] : a[l] + other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x[l] = a[l];
}

//first:cause need not run in step
//first:repair after line 8 and before line 12
