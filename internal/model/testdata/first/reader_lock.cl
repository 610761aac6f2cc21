//clmc:launch rw global=2 local=1 readers=atomic_int[1]{0} writing=atomic_int[1]{0} v=zero[1] r=zero[1]
kernel void rw(global atomic_int *readers, global atomic_int *writing, global int *v, global int *r) {
#ifdef FIX
#define MO memory_order_seq_cst
#else
#define MO memory_order_acq_rel
#endif
    if (get_global_id(0) == 0) {
        atomic_fetch_add_explicit(writing, 1, MO, memory_scope_device);
        if (atomic_load_explicit(readers, MO == memory_order_seq_cst ? memory_order_seq_cst : memory_order_acquire, memory_scope_device) == 0)
            v[0] = 1;
    } else {
        atomic_fetch_add_explicit(readers, 1, MO, memory_scope_device);
        if (atomic_load_explicit(writing, MO == memory_order_seq_cst ? memory_order_seq_cst : memory_order_acquire, memory_scope_device) == 0)
            r[0] = v[0];
    }
}

//first:cause neither has seen it
//first:repair memory_order_seq_cst in all four
