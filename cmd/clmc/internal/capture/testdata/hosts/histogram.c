// Counts of bytes in local memory. The kernel asks for its local size itself; the mistake of the second kernel: bins are counted before they are cleared.
#include "host.h"

static const char *source = "#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable\n"
			    "#define BINS 16\n"
			    "__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void histogram(__global const uchar *data, __global uint *bins, uint count) {\n"
			    "  __local uint mine[BINS];\n"
			    "  uint l = get_local_id(0);\n"
			    "  mine[l] = 0;\n"
			    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
			    "  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) atomic_inc(&mine[data[i] & (BINS - 1)]);\n"
			    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
			    "  atomic_add(&bins[l], mine[l]);\n"
			    "}\n"
			    "__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void histogram_early(__global const uchar *data, __global uint *bins, uint count) {\n"
			    "  __local uint mine[BINS];\n"
			    "  uint l = get_local_id(0);\n"
			    "  mine[l] = 0;\n"
			    "  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) atomic_inc(&mine[data[i] & (BINS - 1)]);\n"
			    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
			    "  atomic_add(&bins[l], mine[l]);\n"
			    "}\n";

int main(void) {
	cl_uint count = 256, bins[16] = {0};
	cl_uchar data[256];
	for (cl_uint i = 0; i < count; i++)
		data[i] = i * 7;
	begin();
	cl_program p = build(source, "-Werror -cl-fast-relaxed-math");
	cl_mem d = buffer(CL_MEM_USE_HOST_PTR, sizeof data, data), b = buffer(CL_MEM_READ_WRITE, sizeof bins, NULL);
	size_t global = 64, local = 16;
	cl_kernel ks[2];
	cl_uint made;
	CHECK(clCreateKernelsInProgram(p, 2, ks, &made));
	for (cl_uint i = 0; i < made; i++) {
		cl_uint zero = 0;
		CHECK(clEnqueueFillBuffer(queue, b, &zero, sizeof zero, 0, sizeof bins, 0, NULL, NULL));
		ARG(ks[i], 0, d);
		ARG(ks[i], 1, b);
		ARG(ks[i], 2, count);
		CHECK(clEnqueueNDRangeKernel(queue, ks[i], 1, NULL, &global, &local, 0, NULL, NULL));
		CHECK(clFinish(queue));
	}
	CHECK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof bins, bins, 0, NULL, NULL));
	printf("bins %u\n", bins[0]);
	return 0;
}
