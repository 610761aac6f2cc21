//clmc:launch hist global=4 local=2 a=uint[4]{0,1,0,1} h=uint[2]{0} l=local[2]
//clmc:assert h[0] == 2 && h[1] == 2
kernel void hist(global const uint *a, global uint *h, local uint *l) {
    l[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&l[a[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef FIX
    atomic_add(&h[get_local_id(0)], l[get_local_id(0)]);
#else
    h[get_local_id(0)] += l[get_local_id(0)];
#endif
}

//first:cause whose update is then lost
//first:repair one atomic operation, such as atomic_fetch_add
