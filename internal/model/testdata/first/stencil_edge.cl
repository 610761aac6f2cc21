//clmc:launch blur global=4 local=2 a=int[4]{1,2,3,4} b=zero[4]
kernel void blur(global const int *a, global int *b) {
    int i = get_global_id(0), n = get_global_size(0);
#ifdef FIX
    int left = max(i - 1, 0), right = min(i + 1, n - 1);
#else
    int left = max(i - 1, 0), right = i + 1;
#endif
    b[i] = a[left] + a[i] + a[right];
}

//first:cause element 4 of a, which has 4 elements of type int
//first:cause blur(3)
//first:repair only where the index is in range
