//clmc:launch k global=2 local=1 box=zero[1] pay=zero[2] out=zero[1]
//first:cause that write is no release (it has memory_order_acquire), and that read is no acquire (it has memory_order_release)
//first:repair Use memory_order_acq_rel for the read-modify-write in line
#ifdef FIX
#define PUT memory_order_release
#define TAKE memory_order_acquire
#else
#define PUT memory_order_acquire
#define TAKE memory_order_release
#endif
kernel void k(global atomic_int *box, global int *pay, global int *out) {
    if (get_global_id(0) == 0) {
        pay[1] = 9;
        atomic_exchange_explicit(box, 1, PUT, memory_scope_device);
    } else {
        int t = atomic_exchange_explicit(box, 0, TAKE, memory_scope_device);
        if (t)
            out[0] = pay[t];
    }
}
