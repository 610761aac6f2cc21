//clmc:launch blur global=2 local=2 img=image[2]{1,0,0,0,2,0,0,0} out=zero[2]
kernel void blur(read_write image1d_t img, global float *out) {
    int i = get_global_id(0);
    write_imagef(img, i, (float4)(i, 0, 0, 0));
#ifdef FIX
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
#else
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    out[i] = read_imagef(img, 1 - i).x;
}

//first:cause fence flag of their own
//first:repair Add CLK_IMAGE_MEM_FENCE
