//clmc:launch put global=1 local=1 p=pipe[2]
//clmc:launch get global=1 local=1 p=p out=zero[3]
//clmc:assert out[0] + out[1] + out[2] == 6
//first:cause write_pipe(p) of put(0) in line 14 (step 7) fails: the pipe is full, 2 of 2 packets
//first:repair make room for more packets in p
// Three packets are written into a pipe of two, and nobody looks at what the call returns (rule 14.1).
kernel void put(write_only pipe int p) {
#ifdef FIX
    int both = 3;
    write_pipe(p, &both);
    write_pipe(p, &both);
#else
    for (int i = 1; i <= 3; i++)
        write_pipe(p, &i);
#endif
}
kernel void get(read_only pipe int p, global int *out) {
    for (int i = 0; i < 3; i++) {
        int v = 0;
        read_pipe(p, &v);
        out[i] = v;
    }
}
