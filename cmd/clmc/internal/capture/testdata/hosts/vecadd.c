// c = a + b, n elements, in work-groups of 64: the first program of every tutorial. The global size is rounded up.
#include "host.h"

static const char *source = "__kernel void vecadd(__global const float *a, __global const float *b, __global float *c, const unsigned int n) {\n"
			    "  int id = get_global_id(0);\n"
			    "  if (id < n) c[id] = a[id] + b[id];\n"
			    "}\n";

int main(void) {
	unsigned n = 1000;
	float a[1000], b[1000], c[1000];
	for (unsigned i = 0; i < n; i++) {
		a[i] = i;
		b[i] = 2 * i;
	}
	begin();
	cl_mem da = buffer(CL_MEM_READ_ONLY, sizeof a, NULL), db = buffer(CL_MEM_READ_ONLY, sizeof b, NULL), dc = buffer(CL_MEM_WRITE_ONLY, sizeof c, NULL);
	cl_kernel k = kernel_of(build(source, NULL), "vecadd");
	CHECK(clEnqueueWriteBuffer(queue, da, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
	CHECK(clEnqueueWriteBuffer(queue, db, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
	ARG(k, 0, da);
	ARG(k, 1, db);
	ARG(k, 2, dc);
	ARG(k, 3, n);
	size_t global = 1024, local = 64;
	for (int round = 0; round < 100; round++) // the same launch again and again
		CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
	CHECK(clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
	double sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += c[i];
	printf("sum %.0f\n", sum);
	return sum == 3 * 499500.0 ? 0 : 1;
}
