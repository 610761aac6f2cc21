// What the host programs of these tests share: the first device, and an end where a call fails.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

#define CHECK(call)                                                             \
	do {                                                                    \
		cl_int got = (call);                                            \
		if (got != CL_SUCCESS) {                                        \
			fprintf(stderr, "%s: error %d\n", #call, (int)got);     \
			exit(9);                                                \
		}                                                               \
	} while (0)

static void begin(void) {
	cl_platform_id platform;
	cl_int code;
	CHECK(clGetPlatformIDs(1, &platform, NULL));
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	CHECK(code);
	queue = clCreateCommandQueue(context, device, 0, &code);
	CHECK(code);
}

static cl_program build(const char *source, const char *options) {
	cl_int code;
	cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &code);
	CHECK(code);
	code = clBuildProgram(p, 1, &device, options, NULL, NULL);
	if (code != CL_SUCCESS) {
		char log[4096] = "";
		clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
		fprintf(stderr, "%s\n", log);
		exit(9);
	}
	return p;
}

__attribute__((unused)) static cl_kernel kernel_of(cl_program p, const char *name) {
	cl_int code;
	cl_kernel k = clCreateKernel(p, name, &code);
	CHECK(code);
	return k;
}

static cl_mem buffer(cl_mem_flags flags, size_t size, void *host) {
	cl_int code;
	cl_mem m = clCreateBuffer(context, flags, size, host, &code);
	CHECK(code);
	return m;
}

#define ARG(k, i, v) CHECK(clSetKernelArg(k, i, sizeof(v), &(v)))
