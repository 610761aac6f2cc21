//clmc:launch sum global=2 local=1 n=2 a=int[4]{1,2,3,4} out=zero[2]
kernel void sum(int n, global const int *a, global int *out) {
#ifdef FIX
    int s = 0;
#else
    int s;
#endif
    for (int k = 0; k < n; k++)
        s += a[get_global_id(0) * n + k];
    out[get_global_id(0)] = s;
}

//first:cause holds nothing before it is written
//first:repair Give s a value where it is declared
