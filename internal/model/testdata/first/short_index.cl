// Rows of 300 elements, and an index of 8 bits.
//clmc:launch column global=2 local=1 a=zero[900] b=zero[2]
kernel void column(global const int *a, global int *b) {
#ifdef FIX
    ushort row = get_global_id(0);
    ushort at = row * 300 + 5;
#else
    char row = get_global_id(0);
    char at = row * 300 + 100;
#endif
    b[row] = a[2 * at];
}

//first:cause comes of 400 in line 9, which does not fit
//first:cause at = -112
//first:repair wider type
