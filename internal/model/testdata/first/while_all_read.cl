// All go round until the leader has counted to two. He may count on before the others have looked: no barrier ends a round.
//clmc:launch rounds global=2 local=2 n=zero[1]
kernel void rounds(global int *n) {
    while (*n < 2) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0)
            *n += 1;
#ifdef FIX
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    }
}

//first:cause need not run in step
//first:repair barrier(CLK_GLOBAL_MEM_FENCE)
