// A program that is compiled with a header and linked, and one from its binary; an image and a sampler; shared virtual memory.
#include "host.h"

static const char *header = "inline int twice(int x) { return 2 * x; }\n";
static const char *source = "#include \"tools/twice.h\"\nkernel void doubled(global int *v) { v[get_global_id(0)] = twice(v[get_global_id(0)]); }\n";
static const char *blur = "kernel void blur(read_only image2d_t in, sampler_t s, global float *out) {\n"
			  "  int x = get_global_id(0), y = get_global_id(1);\n"
			  "  out[y * get_global_size(0) + x] = read_imagef(in, s, (int2)(x - 1, y)).x + read_imagef(in, s, (int2)(x + 1, y)).x;\n"
			  "}\n";

int main(void) {
	begin();
	cl_int code;
	const char *name = "tools/twice.h";
	cl_program h = clCreateProgramWithSource(context, 1, &header, NULL, &code), p = clCreateProgramWithSource(context, 1, &source, NULL, &code);
	CHECK(clCompileProgram(p, 1, &device, "-DUNUSED=\"1 + 1\"", 1, &h, &name, NULL, NULL));
	cl_program whole = clLinkProgram(context, 1, &device, "", 1, &p, NULL, NULL, &code);
	CHECK(code);
	size_t n = 64, local = 16;
	cl_mem v = buffer(CL_MEM_READ_WRITE, n * sizeof(int), NULL);
	cl_kernel k = kernel_of(whole, "doubled");
	ARG(k, 0, v);
	CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, &local, 0, NULL, NULL));

	cl_program b = build(blur, "");
	size_t bytes;
	CHECK(clGetProgramInfo(b, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
	unsigned char *binary = malloc(bytes);
	CHECK(clGetProgramInfo(b, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
	cl_program again = clCreateProgramWithBinary(context, 1, &device, &bytes, (const unsigned char **)&binary, NULL, &code);
	CHECK(code);
	CHECK(clBuildProgram(again, 1, &device, "", NULL, NULL));
	cl_image_format format = {CL_R, CL_FLOAT};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
	cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &code);
	CHECK(code);
	cl_sampler s = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &code);
	CHECK(code);
	cl_mem out = buffer(CL_MEM_READ_WRITE, 32 * sizeof(float), NULL);
	size_t global[2] = {8, 4};
	for (int i = 0; i < 2; i++) {
		cl_kernel q = kernel_of(i ? again : b, "blur");
		ARG(q, 0, image);
		ARG(q, 1, s);
		ARG(q, 2, out);
		CHECK(clEnqueueNDRangeKernel(queue, q, 2, NULL, global, NULL, 0, NULL, NULL));
	}
	int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, n * sizeof(int), 0);
	if (shared) {
		CHECK(clSetKernelArgSVMPointer(k, 0, shared));
		CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, &local, 0, NULL, NULL));
	}
	CHECK(clFinish(queue));
	puts("done");
	return 0;
}
