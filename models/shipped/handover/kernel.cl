// Kernel handover gives a number to another work-group. (The same in Go: main.go.)
//clmc:launch handover global=2 local=1 data=zero[1] ready=zero[1] out=zero[1]
//clmc:expect violated CL1001
kernel void handover(global int *data, global atomic_int *ready, global int *out) {
    if (get_group_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(ready, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(ready, memory_order_acquire, memory_scope_device) == 1) {
        *out = *data;
    }
}
