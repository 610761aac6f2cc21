// Who does not win the initialisation uses what the winner has made, by the value that its failed exchange has found.
//clmc:launch once global=2 local=1 data=zero[1] state=atomic_int[1]{0} out=zero[2]
#ifdef FIX
#define FAIL memory_order_acquire
#else
#define FAIL memory_order_relaxed
#endif
kernel void once(global int *data, global atomic_int *state, global int *out) {
    int was = 0;
    if (get_global_id(0) == 0) {
        data[0] = 3;
        atomic_store_explicit(state, 2, memory_order_release, memory_scope_device);
    } else if (!atomic_compare_exchange_strong_explicit(state, &was, 1, memory_order_acq_rel, FAIL, memory_scope_device)) {
        if (was == 2)
            out[1] = data[0];
    }
}

//first:cause is no acquire
//first:repair memory_order_acquire as the order of failure
