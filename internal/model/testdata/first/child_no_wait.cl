//clmc:launch parent global=1 local=1 a=zero[1] out=zero[1]
#ifdef FIX
#define FLAGS CLK_ENQUEUE_FLAGS_WAIT_KERNEL
#else
#define FLAGS CLK_ENQUEUE_FLAGS_NO_WAIT
#endif
kernel void parent(global int *a, global int *out) {
    enqueue_kernel(get_default_queue(), FLAGS, ndrange_1D(1), ^{ out[0] = a[0]; });
    a[0] = 5;
}

//first:cause CLK_ENQUEUE_FLAGS_NO_WAIT
//first:repair CLK_ENQUEUE_FLAGS_WAIT_KERNEL
