//clmc:launch bfs global=2 local=2 frontier=int[2]{0,1} level=int[4]{0,0,-1,-1} next=zero[4] n=uint[1]{0}
// Chai BFS: both find node 2; check then set
kernel void bfs(global const int *frontier, global int *level, global int *next, volatile global uint *n) {
    int u = frontier[get_global_id(0)];
    int v = 2;
#ifdef FIX
    if (atomic_cmpxchg((volatile global int *)&level[v], -1, u + 1) == -1) {
        next[atomic_inc(n)] = v;
    }
#else
    if (level[v] == -1) {
        level[v] = 1;
        next[atomic_inc(n)] = v;
    }
#endif
}

//first:cause both find what only one should
//first:repair atomic_compare_exchange_strong
