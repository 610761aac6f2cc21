// The left neighbour of the first element: get_global_id is unsigned, and 0 - 1 is large.
//clmc:launch diff global=4 local=2 a=int[4]{1,2,3,4} b=zero[4]
kernel void diff(global const int *a, global int *b) {
    size_t i = get_global_id(0);
#ifdef FIX
    b[i] = i > 0 ? a[i] - a[i - 1] : a[i];
#else
    b[i] = a[i] - a[i - 1];
#endif
}

//first:cause wrap
//first:repair if (i > 0)
