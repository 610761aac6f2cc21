//clmc:launch relax global=4 local=4 a=int[6]{1,2,3,4,5,6}
//first:cause Line 13 writes in some of them what it reads in others
//first:repair Read in line 13 into a private variable
//first:repair or write to other memory than it reads
kernel void relax(global int *a) {
    int i = get_global_id(0) + 1;
#ifdef FIX
    int v = (a[i - 1] + a[i + 1]) / 2;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] = v;
#else

    a[i] = (a[i - 1] + a[i + 1]) / 2;
#endif
}
