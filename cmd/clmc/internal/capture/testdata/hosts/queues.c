// Two queues that events order, and two halves of a buffer as sub-buffers.
#include "host.h"

static const char *source = "__kernel void scale(__global int *v, int by) { v[get_global_id(0)] *= by; }\n"
			    "__kernel void join(__global const int *lo, __global const int *hi, __global int *out) {\n"
			    "  size_t i = get_global_id(0);\n"
			    "  out[i] = lo[i] + hi[i];\n"
			    "}\n"
			    "__kernel void shift(__global const int *from, __global int *to) { to[get_global_id(0)] = from[get_global_id(0)]; }\n";

int main(void) {
	enum { N = 1024, HALF = N / 2 };
	int v[N], out[HALF], two = 2, three = 3;
	for (int i = 0; i < N; i++)
		v[i] = i;
	begin();
	cl_int code;
	cl_command_queue other = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
	CHECK(code);
	cl_program p = build(source, "");
	cl_mem all = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof v, v), o = buffer(CL_MEM_READ_WRITE, sizeof out, NULL);
	cl_buffer_region low = {0, HALF * sizeof(int)}, high = {HALF * sizeof(int), HALF * sizeof(int)}, late = {HALF * sizeof(int) / 2, HALF * sizeof(int)};
	cl_mem lo = clCreateSubBuffer(all, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &low, &code);
	CHECK(code);
	cl_mem hi = clCreateSubBuffer(all, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &high, &code);
	CHECK(code);
	cl_mem mid = clCreateSubBuffer(all, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &late, &code);
	CHECK(code);
	cl_kernel a = kernel_of(p, "scale"), b = kernel_of(p, "scale"), j = kernel_of(p, "join"), s = kernel_of(p, "shift");
	size_t global = HALF, local = 32;
	cl_event done[2];
	ARG(a, 0, lo);
	ARG(a, 1, two);
	ARG(b, 0, hi);
	ARG(b, 1, three);
	CHECK(clEnqueueNDRangeKernel(queue, a, 1, NULL, &global, &local, 0, NULL, &done[0]));
	CHECK(clEnqueueNDRangeKernel(other, b, 1, NULL, &global, &local, 0, NULL, &done[1]));
	ARG(j, 0, lo);
	ARG(j, 1, hi);
	ARG(j, 2, o);
	CHECK(clEnqueueNDRangeKernel(queue, j, 1, NULL, &global, &local, 2, done, NULL));
	CHECK(clEnqueueReadBuffer(queue, o, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
	ARG(s, 0, lo);
	ARG(s, 1, mid); // these overlap
	CHECK(clEnqueueNDRangeKernel(queue, s, 1, NULL, &global, &local, 0, NULL, NULL));
	CHECK(clFinish(queue));
	CHECK(clFinish(other));
	printf("out %d %d\n", out[0], out[1]);
	return out[1] == 2 * 1 + 3 * (HALF + 1) ? 0 : 1;
}
