//clmc:launch mean global=2 local=1 n=0..2 a=int[2]{4,6} out=zero[2]
kernel void mean(int n, global const int *a, global int *out) {
    int s = 0;
    for (int k = 0; k < n; k++)
        s += a[k];
#ifdef FIX
    out[get_global_id(0)] = n ? s / n : 0;
#else
    out[get_global_id(0)] = s / n;
#endif
}

//first:cause the divisor is 0
//first:repair only where the divisor is not 0
