//clmc:launch smooth global=4 local=4 in=int[4] out=zero[4]
kernel void smooth(global const int *in, global int *out) {
    int i = get_global_id(0);
#ifdef FIX
    int right = i + 1 < 4 ? in[i + 1] : in[i];
#else
    int right = in[i + 1];
#endif
    out[i] = (in[i] + right) / 2;
}

//first:cause element 4 of in, which has 4 elements
//first:repair if (i < n)
