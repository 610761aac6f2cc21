//clmc:launch k global=2 local=1 seq=zero[1] a=zero[2] out=zero[2]
//clmc:assert out[0] == out[1]
//first:cause k(1) finds 0 in seq[0] in line 16 (step
//first:cause so what was found no longer holds
//first:repair or look again in line
// The reader does not look whether the number is still the same when it has read both.
kernel void k(global atomic_uint *seq, global atomic_int *a, global int *out) {
    if (get_global_id(0) == 0) {
        atomic_store(seq, 1u);
        atomic_store(&a[0], 5);
        atomic_store(&a[1], 5);
        atomic_store(seq, 2u);
    } else {
        uint s;
        int x, y;
        while ((s = atomic_load(seq)) & 1u)
            ;
        x = atomic_load(&a[0]);
        y = atomic_load(&a[1]);
#ifdef FIX
        if (atomic_load(seq) != s)
            return;
#endif
        out[0] = x;
        out[1] = y;
    }
}
