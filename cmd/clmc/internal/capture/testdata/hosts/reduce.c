// Sums of work-groups, in local memory that the host gives, then the sum of these by another launch of the kernel.
#include "host.h"

static const char *source = "__kernel void reduce(__global const int *in, __global int *out, __local int *sdata, uint n) {\n"
			    "  unsigned int tid = get_local_id(0), i = get_global_id(0);\n"
			    "  sdata[tid] = i < n ? in[i] : 0;\n"
			    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
			    "  for (unsigned int s = get_local_size(0) / 2; s > 0; s >>= 1) {\n"
			    "    if (tid < s) sdata[tid] += sdata[tid + s];\n"
			    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
			    "  }\n"
			    "  if (tid == 0) out[get_group_id(0)] = sdata[0];\n"
			    "}\n";

int main(void) {
	cl_uint n = 4096, groups = 64, local = 64;
	int in[4096], out = 0;
	for (cl_uint i = 0; i < n; i++)
		in[i] = 1;
	begin();
	cl_mem a = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in), b = buffer(CL_MEM_READ_WRITE, groups * sizeof(int), NULL), c = buffer(CL_MEM_READ_WRITE, sizeof(int), NULL);
	cl_kernel k = kernel_of(build(source, ""), "reduce");
	ARG(k, 0, a);
	ARG(k, 1, b);
	CHECK(clSetKernelArg(k, 2, local * sizeof(int), NULL));
	ARG(k, 3, n);
	size_t global = n, size = local;
	CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &size, 0, NULL, NULL));
	ARG(k, 0, b);
	ARG(k, 1, c);
	ARG(k, 3, groups);
	global = groups;
	CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &size, 0, NULL, NULL));
	CHECK(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
	printf("sum %d\n", out);
	return out == (int)n ? 0 : 1;
}
