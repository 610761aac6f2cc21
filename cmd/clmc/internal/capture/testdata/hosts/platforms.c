// An application that asks for all platforms, of which one may have no device, and uses two contexts of each device, with a program of its own in each whose
// kernel has the same name. With an argument it crashes while its last launch is under way.
#include "host.h"

int main(int argc, char **argv) {
	cl_platform_id platforms[8];
	cl_uint n = 0;
	int launches = 0;
	CHECK(clGetPlatformIDs(8, platforms, &n));
	for (cl_uint i = 0; i < 2 * n && i < 16; i++) {
		cl_int code;
		char source[200];
		size_t global = 8 + 8 * (i % 2);
		if (clGetDeviceIDs(platforms[i / 2], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
			continue;
		context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
		CHECK(code);
		queue = clCreateCommandQueue(context, device, 0, &code);
		CHECK(code);
		snprintf(source, sizeof source, "kernel void fill(global int *v) { v[get_global_id(0)] = %u; }\n", i % 2);
		cl_kernel k = kernel_of(build(source, ""), "fill");
		cl_mem v = buffer(CL_MEM_READ_WRITE, global * sizeof(int), NULL);
		ARG(k, 0, v);
		CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
		if (argc > 1 && ++launches == 2)
			*(volatile int *)0 = 1;
		CHECK(clFinish(queue));
	}
	printf("%u platforms\n", n);
	return 3;
}
