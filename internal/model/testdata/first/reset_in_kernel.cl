//clmc:launch count global=2 local=1 n=zero[1] in={1,1}
kernel void count(global atomic_int *n, global const int *in) {
#ifndef FIX
    if (get_global_id(0) == 0)
        atomic_init(n, 0);
#endif
    if (in[get_global_id(0)])
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
}

//first:cause while others use it already
//first:repair before the kernel starts
