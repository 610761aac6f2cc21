// The element before the one of the row, whose number has 8 bits.
//clmc:launch before global=2 local=1 a=zero[900] b=zero[2]
kernel void before(global const int *a, global int *b) {
#ifdef FIX
    ushort row = get_global_id(0);
    ushort at = row * 300 + 100;
#else
    char row = get_global_id(0);
    char at = row * 300 + 100;
#endif
    b[row] = a[at - 1];
}

//first:cause comes of 400 in line 9, which does not fit
//first:cause at = -112
//first:repair wider type
