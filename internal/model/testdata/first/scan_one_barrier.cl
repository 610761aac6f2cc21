// A prefix sum with one barrier a round, where it takes two.
__kernel void scan(__global int *out)
{
	__local int tmp[4];
	int i = get_local_id(0);
	tmp[i] = i + 1;
	for (int d = 1; d < 4; d *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		int v = tmp[i];
		if (i >= d)
			v += tmp[i - d];
#ifdef FIX
		barrier(CLK_LOCAL_MEM_FENCE);
#endif
		tmp[i] = v;
	}
	out[i] = tmp[i];
}

//clmc:launch scan global=4 local=4 out=zero[4]
//first:cause need not run in step
//first:repair after line 11 and before line 15
