// Indices that the host writes by a mapping, a struct and a vector by value, a kernel whose parameter is called offset, the same buffer twice, and no local size.
#include "host.h"

static const char *source = "typedef struct { int first; char tag; float factor; } config;\n"
			    "kernel void scatter(global const int *index, global float *to, config c, float2 v, ulong offset) {\n"
			    "  size_t i = get_global_id(0);\n"
			    "  to[index[i] + offset] = c.factor * v.x + c.first + v.y;\n"
			    "}\n"
			    "kernel void twice(global float *a, global float *b) { a[get_global_id(0)] = b[get_global_id(0)] * 2; }\n";

int main(void) {
	enum { N = 64 };
	struct {
		cl_int first;
		cl_char tag;
		cl_float factor;
	} c = {-3, 'x', 0.5f};
	cl_float2 v = {{1.5f, -2.0f}};
	cl_ulong offset = 0;
	begin();
	cl_program p = build(source, "");
	cl_mem index = buffer(CL_MEM_READ_WRITE, N * sizeof(int), NULL), to = buffer(CL_MEM_READ_WRITE, N * sizeof(float), NULL);
	cl_int code;
	int *at = clEnqueueMapBuffer(queue, index, CL_TRUE, CL_MAP_WRITE, 0, N * sizeof(int), 0, NULL, NULL, &code);
	CHECK(code);
	for (int i = 0; i < N; i++)
		at[i] = (i * 5) % N;
	CHECK(clEnqueueUnmapMemObject(queue, index, at, 0, NULL, NULL));
	cl_kernel k = kernel_of(p, "scatter"), t = kernel_of(p, "twice");
	ARG(k, 0, index);
	ARG(k, 1, to);
	ARG(k, 2, c);
	ARG(k, 3, v);
	ARG(k, 4, offset);
	size_t global = N;
	CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
	ARG(t, 0, to);
	ARG(t, 1, to);
	CHECK(clEnqueueNDRangeKernel(queue, t, 1, NULL, &global, NULL, 0, NULL, NULL));
	float out[N];
	CHECK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
	printf("out %g\n", out[0]);
	return out[0] == 2 * (0.75f - 3 - 2) ? 0 : 1;
}
