//clmc:launch saxpy n=5 global=8 local=4 x=int[5]{1,2,3,4,5} y=int[5]{1,2,3,4,5}
kernel void saxpy(int n, global const int *x, global int *y) {
    int i = get_global_id(0);
#ifdef FIX
    if (i < n)
#endif
    y[i] = 2 * x[i] + y[i];
}

//first:cause position 5, of 0 to 4
//first:repair as in if (i < n)
