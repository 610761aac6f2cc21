//clmc:launch add global=2 local=2 l=zero[1] n=zero[1]
// The one who holds the lock waits at a barrier for the one who waits for the lock.
kernel void add(volatile global atomic_int *l, global int *n) {
    while (atomic_exchange(l, 1) == 1)
        ;
    *n += 1;
#ifdef FIX
    atomic_store(l, 0);
#endif
    barrier(CLK_GLOBAL_MEM_FENCE);
#ifndef FIX
    atomic_store(l, 0);
#endif
}

//first:cause waits itself in line 10
//first:repair before the wait in line 10
