// What applications do badly: a launch that is refused, many buffers and launches, a fork that asks OpenCL for nothing, another that writes much, and an end by a signal.
#include "host.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *source = "kernel void set(global int *v, int x) { v[get_global_id(0)] = x; }\n";

int main(int argc, char **argv) {
	begin();
	cl_kernel k = kernel_of(build(source, ""), "set");
	size_t global = 8, odd = 3;
	for (int i = 0; i < 2000; i++) {
		cl_mem v = buffer(CL_MEM_READ_WRITE, 8 * sizeof(int), NULL);
		ARG(k, 0, v);
		ARG(k, 1, i);
		CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
		CHECK(clReleaseMemObject(v));
	}
	CHECK(clFinish(queue));
	if (clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &odd, 0, NULL, NULL) == CL_SUCCESS)
		return 8;
	if (clSetKernelArg(k, 77, 4, &odd) == CL_SUCCESS || clCreateKernel(NULL, "none", NULL))
		return 8;
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 20000; i++)
			printf("a line that a child writes, of which there are many\n");
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	fflush(stdout);
	if (argc > 1)
		raise(atoi(argv[1]));
	return 7;
}
