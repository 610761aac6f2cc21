//clmc:launch k global=2 local=1 x=float[1]{0.5} n=atomic_int[1]{0}
//clmc:assert x[0] == 2.5
// atomic add of floats by hand: load, then exchange
kernel void k(volatile global float *x, global atomic_int *n) {
    union { float f; uint u; } old, new;
#ifdef FIX
    do {
        old.f = as_float(atomic_or((volatile global uint *)x, 0));
        new.f = old.f + 1.0f;
    } while (atomic_cmpxchg((volatile global uint *)x, old.u, new.u) != old.u);
#else
    old.f = as_float(atomic_or((volatile global uint *)x, 0));
    new.f = old.f + 1.0f;
    atomic_xchg((volatile global uint *)x, new.u);
#endif
}

//first:cause left 1.5 (x[0]
//first:repair a loop around atomic_compare_exchange_strong
