//clmc:launch inc global=2 local=1 n=atomic_int[1]{0}
//clmc:assert n[0] == 2
kernel void inc(global atomic_int *n) {
#ifdef FIX
    atomic_fetch_add(n, 1);
#else
    int v = atomic_load(n);
    atomic_store(n, v + 1);
#endif
}

//first:cause A lost update
//first:repair one atomic operation
//first:cause left 1 (n[0]
