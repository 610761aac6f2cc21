//clmc:launch saxpy n=5 global=8 local=4 x=int[5]{1,2,3,4,5} y=int[5]{1,2,3,4,5}
kernel void saxpy(int n, global const int *x, global int *y) {
    int i = get_global_id(0);
#ifdef FIX
    if (i < n)
#endif
    y[i] = 2 * x[i] + y[i];
}

//first:cause element 5 of x, which has 5 elements of type int
//first:repair as in if (i < n)
