//clmc:launch k global=2 local=1 a=zero[1]
kernel void k(global int *a) {
#ifdef FIX
    atomic_inc(a);
#else
    int v = *a;
    printf("%d\n", v);
    *a = v + 1;
#endif
}

//first:cause write it back
//first:repair one atomic operation
