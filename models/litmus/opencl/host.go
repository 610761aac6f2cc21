package opencl

import (
	"fmt"
	"slices"
	"strings"
)

// Program is a kernel with how it is launched, for a host program in C.
type Program struct {
	*Kernel
	Shape     Shape
	Stressors int
	Options   string    // of the compiler
	Allowed   [][]int32 // outcomes; nil: it is not known which are
	About     []string  // lines about the program
}

// Host is a host program in C without dependencies but OpenCL: it launches the kernel of program.cl with other seeds again
// and again, and counts outcomes.
func (p *Program) Host() string {
	var b strings.Builder
	for _, a := range p.About {
		fmt.Fprintf(&b, "// %s\n", comment(a))
	}
	s := &p.Shape
	numbers := func(list []int32) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]") }
	var init, vars, allowed []int32
	for _, l := range slices.Concat(p.Globals, p.Fine) {
		init = append(init, int32(l.Init))
	}
	var names []string
	for _, v := range p.Vars {
		vars, names = append(vars, int32(v.Place), int32(v.Index)), append(names, fmt.Sprintf("%q", v.Name))
	}
	for _, a := range p.Allowed {
		allowed = append(allowed, a...)
	}
	group := p.Roles * int(s.Lanes)
	fmt.Fprintf(&b, hostHead, p.Name, p.Options, len(p.Globals), len(p.Fine), p.Outs, len(p.Vars), len(p.Allowed), group*(s.WorkGroups(p.Groups)+p.Stressors), group,
		max(1, len(p.Locals))*int(s.Lanes*s.Iter), s.Starts(), s.Cells(len(p.Globals)), s.Cells(len(p.Fine)), ScratchCells, s.Instances(), s.N, s.Step, s.Base, s.Turn, len(s.Args()),
		numbers(append(init, 0)), numbers(append(vars, 0)), numbers(append(allowed, 0)), strings.Join(append(names, `""`), ", "), strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Args()), " ", ", "), "[]"))
	b.WriteString(hostBody)
	return b.String()
}

// hostHead is what differs from program to program.
const hostHead = `// Build: cc host.c -lOpenCL -o host    Run: ./host [PLATFORM [DEVICE [LAUNCHES]]]
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kernel = "%s", *options = "%s";
enum { MEMS = %d, FINES = %d, OUTS = %d, VARS = %d, ALLOWED = %d, GLOBAL = %d, LOCAL = %d, SHARED = %d, STARTS = %d, CELLS = %d,
       FINE_CELLS = %d, SCRATCH = %d, INSTANCES = %d, N = %d, STEP = %d, BASE = %d, TURN = %d, SCALARS = %d, MOST = ALLOWED + 64 };
static const cl_int init[] = {%s}, vars[] = {%s}, allowed[] = {%s};
static const char *names[] = {%s};
static cl_uint shape[SCALARS] = {%s}, cleared[] = {MEMS, FINES, OUTS, STARTS, INSTANCES, N, STEP, BASE, TURN};
`

// hostBody is the same of all.
const hostBody = `static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_int *fine; // memory that the host and the device share

static void must(const char *what, cl_int code) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, code);
        exit(3);
    }
}

static cl_kernel build(const char *file, const char *with, const char *name) {
    static char text[1 << 20], log[1 << 16];
    const char *first = text;
    FILE *f = fopen(file, "r");
    size_t size = f ? fread(text, 1, sizeof text, f) : 0;
    cl_int code;
    cl_program p = clCreateProgramWithSource(context, 1, &first, &size, &code);
    must("clCreateProgramWithSource", code);
    if ((code = clBuildProgram(p, 1, &device, with, NULL, NULL)) != CL_SUCCESS)
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL), fprintf(stderr, "%s\n", log);
    must(file, code);
    cl_kernel k = clCreateKernel(p, name, &code);
    must("clCreateKernel", code);
    return k;
}

static cl_mem buffer(size_t ints, const cl_int *data) {
    cl_int code;
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), 4 * (ints ? ints : 1), (void *)data, &code);
    must("clCreateBuffer", code);
    return m;
}

static void launch(cl_kernel k, const cl_mem buffers[5], cl_uint at, const cl_uint *numbers, int n, size_t global, size_t local) {
    for (int b = 0; b < 5; b++)
        must("argument", b == 1 && FINES ? clSetKernelArgSVMPointer(k, b, fine) : clSetKernelArg(k, b, sizeof(cl_mem), &buffers[b]));
    for (int i = 0; i < n; i++)
        must("clSetKernelArg", clSetKernelArg(k, at + i, 4, &numbers[i]));
    must("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    must("clFinish", clFinish(queue));
}

static cl_uint at(cl_uint k, cl_uint i) { return ((i * (1 + k * TURN) + k * (TURN / 2)) & (N - 1)) * STEP + k * BASE; }

int main(int argc, char **argv) {
    cl_platform_id platforms[16];
    cl_device_id devices[64];
    cl_int code;
    must("clGetPlatformIDs", clGetPlatformIDs(16, platforms, NULL));
    must("clGetDeviceIDs", clGetDeviceIDs(platforms[argc > 1 ? atoi(argv[1]) : 0], CL_DEVICE_TYPE_ALL, 64, devices, NULL));
    device = devices[argc > 2 ? atoi(argv[2]) : 0];
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must("clCreateContext", code);
    queue = clCreateCommandQueue(context, device, 0, &code);
    must("clCreateCommandQueue", code);
    cl_kernel clear = build("harness.cl", "-cl-std=CL1.2", "clmc_clear"), run = build("program.cl", options, kernel);
    must("clSetKernelArg", clSetKernelArg(run, 5, 4 * SHARED, NULL));
    cl_mem mem = buffer(CELLS, NULL), out = buffer((size_t)OUTS * N, NULL), start = buffer(STARTS, NULL), none = buffer(1, NULL);
    const cl_mem before[] = {mem, none, out, start, buffer(MEMS + FINES, init)}, during[] = {mem, none, out, start, buffer(SCRATCH, NULL)};
    fine = FINES ? clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 4 * FINE_CELLS, 0) : NULL;
    cl_int *cells = malloc(4 * (size_t)CELLS), *outs = malloc(4 * ((size_t)OUTS * N + 1));
    static cl_int known[MOST][VARS + 1];
    long count[MOST] = {0}, others = 0;
    int n = ALLOWED, w;
    for (w = 0; w < n; w++)
        memcpy(known[w], allowed + w * VARS, 4 * VARS);
    for (int left = argc > 3 ? atoi(argv[3]) : 1000; left > 0; left--) {
        launch(clear, before, 5, cleared, sizeof cleared / 4, 1 << 14, 64);
        launch(run, during, 6, shape, SCALARS, GLOBAL, LOCAL);
        shape[SCALARS - 1] = shape[SCALARS - 1] * 1664525u + 1013904223u; // the seed
        must("read", clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4 * (size_t)CELLS, cells, 0, NULL, NULL));
        must("read", clEnqueueReadBuffer(queue, out, CL_TRUE, 0, OUTS ? 4 * (size_t)OUTS * N : 4, outs, 0, NULL, NULL));
        for (cl_uint i = 0; i < INSTANCES; i++) {
            cl_int seen[VARS + 1];
            for (int v = 0; v < VARS; v++) // in the results, in memory, or in shared memory
                seen[v] = vars[2 * v] == 0 ? outs[vars[2 * v + 1] * N + i] : (vars[2 * v] == 1 ? cells : fine)[at(vars[2 * v + 1], i)];
            for (w = 0; w < n && memcmp(known[w], seen, 4 * VARS); w++)
                ;
            if (w == n && n < MOST)
                memcpy(known[n++], seen, 4 * VARS);
            w < n ? count[w]++ : others++;
        }
    }
    for (w = 0; w < n; w++) {
        printf("%-9s %12ld ", !ALLOWED ? "" : w < ALLOWED ? "allowed" : "FORBIDDEN", count[w]);
        for (int v = 0; v < VARS; v++)
            printf(" %s=%d", names[v], known[w][v]);
        printf("\n");
    }
    if (others)
        printf("%ld instances had other outcomes\n", others);
    return ALLOWED && n > ALLOWED;
}
`
