//clmc:launch put global=2 local=1 keys=zero[2] vals=zero[2]
kernel void put(global int *keys, global int *vals) {
    int key = get_global_id(0) + 1;
    for (int i = 0; i < 2; i++) {
#ifdef FIX
        if (atomic_cmpxchg((volatile global int *)&keys[i], 0, key) == 0) {
#else
        if (keys[i] == 0 && atomic_cmpxchg((volatile global int *)&keys[i], 0, key) == 0) {
#endif
            vals[i] = key;
            return;
        }
    }
}

//first:cause One side is atomic
//first:repair atomic_or(&keys[0], 0)
