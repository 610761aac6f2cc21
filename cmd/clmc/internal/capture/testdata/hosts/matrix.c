// A product of matrices by tiles, whose size is a macro of the build. The mistake: the second barrier is missing.
#include "host.h"

static const char *source = "kernel void product(const int M, const int N, const int K, const global float *A, const global float *B, global float *C) {\n"
			    "  const int row = get_local_id(0), col = get_local_id(1);\n"
			    "  const int r = TILE * get_group_id(0) + row, c = TILE * get_group_id(1) + col;\n"
			    "  local float a[TILE][TILE], b[TILE][TILE];\n"
			    "  float sum = 0.0f;\n"
			    "  for (int t = 0; t < K / TILE; t++) {\n"
			    "    a[col][row] = A[(TILE * t + col) * M + r];\n"
			    "    b[col][row] = B[c * K + TILE * t + row];\n"
			    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
			    "    for (int k = 0; k < TILE; k++) sum += a[k][row] * b[col][k];\n"
			    "#ifndef BUG\n"
			    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
			    "#endif\n"
			    "  }\n"
			    "  C[c * M + r] = sum;\n"
			    "}\n";

int main(int argc, char **argv) {
	int n = 32;
	static float a[32 * 32], c[32 * 32];
	for (int i = 0; i < n * n; i++)
		a[i] = i % n == i / n;
	begin();
	cl_mem da = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a), dc = buffer(CL_MEM_READ_WRITE, sizeof c, NULL);
	cl_kernel k = kernel_of(build(source, argc > 1 ? "-cl-std=CL1.2 -DTILE=4 -D BUG" : "-cl-std=CL1.2 -DTILE=4"), "product");
	ARG(k, 0, n);
	ARG(k, 1, n);
	ARG(k, 2, n);
	ARG(k, 3, da);
	ARG(k, 4, da);
	ARG(k, 5, dc);
	size_t global[2] = {n, n}, local[2] = {4, 4};
	CHECK(clEnqueueNDRangeKernel(queue, k, 2, NULL, global, local, 0, NULL, NULL));
	CHECK(clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
	printf("trace %.0f\n", c[0] + c[33]);
	return argc > 1 ? 0 : memcmp(a, c, sizeof a) != 0;
}
