//clmc:launch add global=3 local=1 total=zero[1] out=zero[3]
kernel void add(volatile global int *total, global int *out) {
    int i = get_global_id(0);
#ifdef FIX
    out[i] = atomic_add(total, i);
#else
    atomic_add(total, i);
    out[i] = *total;
#endif
}

//first:cause One side is atomic
//first:repair Make the access in line 8 atomic
