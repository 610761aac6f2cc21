//clmc:launch put global=2 local=1 p=pipe[2]
//clmc:launch get global=2 local=1 p=p out=zero[2]
//first:cause It hangs on the order in which pipe p is used
//first:cause Nothing orders the two
//first:repair put a number into each that says where it belongs
//clmc:assert out[0] == 0
kernel void put(write_only pipe int p) {
    int v = get_global_id(0);
    write_pipe(p, &v);
}
kernel void get(read_only pipe int p, global int *out) {
    int v = -1;
    read_pipe(p, &v);
#ifdef FIX
    out[v] = v;
#else
    out[get_global_id(0)] = v;
#endif
}
