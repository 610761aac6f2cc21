// All count by atomic_inc, and the leader looks at the sum by an ordinary read, without waiting for the others.
//clmc:launch count global=2 local=2 out=zero[1]
kernel void count(global int *out) {
    local int n;
    int l = get_local_id(0);
    if (l == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&n);
#ifdef FIX
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (l == 0)
        *out = n;
}

//first:cause looks at what becomes of it, and does not wait for the others
//first:repair barrier(CLK_LOCAL_MEM_FENCE) between the two accesses
