// One adds to the total what it has, and the other one, who has nothing, reads it without need.
//clmc:launch add global=2 local=1 a=int[2]{5,0} total=zero[1] out=zero[2]
kernel void add(global const int *a, global int *total, global int *out) {
    int g = get_global_id(0);
#ifdef FIX
    if (!a[g])
        return;
#endif
    int t = *total;
    if (a[g])
        *total = t + a[g];
}

//first:cause Nothing synchronises the two
//first:repair split the kernel in two
