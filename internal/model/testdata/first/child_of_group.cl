//clmc:launch parent global=4 local=2 a=zero[4] out=zero[1]
#ifdef FIX
#define FLAGS CLK_ENQUEUE_FLAGS_WAIT_KERNEL
#else
#define FLAGS CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP
#endif
kernel void parent(global int *a, global int *out) {
    a[get_global_id(0)] = 1;
    if (get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), FLAGS, ndrange_1D(1), ^{ out[0] = a[0] + a[1] + a[2] + a[3]; });
}

//first:cause CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP
//first:repair CLK_ENQUEUE_FLAGS_WAIT_KERNEL
