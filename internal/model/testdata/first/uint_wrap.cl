// Counting down to 0 in an unsigned variable.
//clmc:launch rsum global=1 local=1 n=3 a=int[3]{1,2,3} out=zero[1]
kernel void rsum(uint n, global const int *a, global int *out) {
    int s = 0;
#ifdef FIX
    for (uint i = n; i-- > 0;)
        s += a[i];
#else
    for (uint i = n - 1; s < 100; i--)
        s += a[i];
#endif
    out[0] = s;
}

//first:cause wraps around to 4294967295
//first:cause line 9
//first:repair if (i > 0)
