// Each work-item leaves the loop as soon as its own cell has converged.
//clmc:launch relax global=2 local=2 a=int[2]{1,3}
kernel void relax(global int *a) {
    local int tmp[2];
    int l = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        tmp[l] = a[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = tmp[l] - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] = v;
#ifndef FIX
        if (v <= 0)
            break;
#endif
    }
}

//first:cause condition in line 13
//first:repair Let all go round the loop
