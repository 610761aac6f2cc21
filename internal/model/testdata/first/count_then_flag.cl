//clmc:launch reduce global=2 local=1 part=zero[2] done=zero[1] out=zero[1]
kernel void reduce(global int *part, global atomic_int *done, global int *out) {
    int g = get_group_id(0);
#ifdef FIX
    part[g] = g + 1;
#endif
    int before = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device);
#ifndef FIX
    part[g] = g + 1;
#endif
    if (before == 1)
        out[0] = part[0] + part[1];
}

//first:cause Published too early
//first:repair before the read-modify-write in line
