//clmc:launch total global=4 local=4 n=3 a=int[4]{1,2,3,4} out=zero[1]
kernel void total(int n, global const int *a, global int *out) {
    int i = get_global_id(0);
#ifdef FIX
    int s = work_group_reduce_add(i < n ? a[i] : 0);
    if (i == 0)
        *out = s;
#else
    if (i < n) {
        int s = work_group_reduce_add(a[i]);
        if (i == 0)
            *out = s;
    }
#endif
}

//first:cause must come to the same call of work_group_reduce_add
//first:cause condition in line 9
//first:repair line 10
