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
		max(1, len(p.Locals))*int(s.Lanes*s.Iter), s.Starts(), s.Cells(len(p.Globals)), s.Cells(len(p.Fine)), ScratchCells, s.Instances(), s.N, s.Step, s.Base, s.Turn,
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
       FINE_CELLS = %d, SCRATCH = %d, INSTANCES = %d, N = %d, STEP = %d, BASE = %d, TURN = %d, ROOM = 256, MOST = ALLOWED + 64 };
static const cl_int init[] = {%s}, vars[] = {%s}, allowed[] = {%s};
static const char *names[] = {%s};
static cl_uint shape[] = {%s};
`

// hostBody is the same of all.
const hostBody = `
static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static void must(const char *what, cl_int code) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, code);
        exit(3);
    }
}

static cl_program build(const char *file, const char *with) {
    static char text[1 << 20];
    const char *first = text;
    FILE *f = fopen(file, "r");
    size_t size = f ? fread(text, 1, sizeof text, f) : 0;
    cl_int code;
    cl_program p = clCreateProgramWithSource(context, 1, &first, &size, &code);
    must("clCreateProgramWithSource", code);
    if ((code = clBuildProgram(p, 1, &device, with, NULL, NULL)) != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s: %d\n%s\n", file, code, log);
        exit(3);
    }
    return p;
}

static cl_mem buffer(size_t ints, const void *data) {
    cl_int code;
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * (ints ? ints : 1), NULL, &code);
    must("clCreateBuffer", code);
    if (data)
        must("write", clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, 4 * ints, data, 0, NULL, NULL));
    return m;
}

static cl_uint next; // argument
static void arg(cl_kernel k, size_t size, const void *value) { must("clSetKernelArg", clSetKernelArg(k, next++, size, value)); }
static void number(cl_kernel k, cl_uint n) { arg(k, 4, &n); }

int main(int argc, char **argv) {
    cl_platform_id platforms[16];
    cl_device_id devices[64];
    cl_int code;
    const int platform = argc > 1 ? atoi(argv[1]) : 0, which = argc > 2 ? atoi(argv[2]) : 0, launches = argc > 3 ? atoi(argv[3]) : 1000;
    must("clGetPlatformIDs", clGetPlatformIDs(16, platforms, NULL));
    must("clGetDeviceIDs", clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, 64, devices, NULL));
    device = devices[which];
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must("clCreateContext", code);
    queue = clCreateCommandQueue(context, device, 0, &code);
    must("clCreateCommandQueue", code);
    cl_program harness = build("harness.cl", "-cl-std=CL1.2"), program = build("program.cl", options);
    cl_kernel clear = clCreateKernel(harness, "clmc_clear", &code), check = clCreateKernel(harness, "clmc_check", &code), run = clCreateKernel(program, kernel, &code);
    must("clCreateKernel", code);
    cl_mem mem = buffer(CELLS, NULL), out = buffer((size_t)OUTS * N, NULL), start = buffer(STARTS, NULL), scratch = buffer(SCRATCH, NULL);
    cl_mem first = buffer(MEMS + FINES, init), where = buffer(2 * VARS, vars), counts = buffer(MOST + 1, NULL), others = buffer(ROOM * VARS, NULL);
    void *fine = FINES ? clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 4 * FINE_CELLS, 0) : NULL;
    cl_mem none = buffer(1, NULL);
    static cl_int wanted[MOST * (VARS + 1)], kept[ROOM * (VARS + 1)], zero[MOST + 1], now[MOST + 1];
    long total[MOST] = {0};
    cl_uint known = ALLOWED;
    memcpy(wanted, allowed, 4 * ALLOWED * VARS);
    const size_t global = GLOBAL, local = LOCAL, spread = 1 << 14, small = 64;
    for (int l = 0; l < launches; l++) {
        cl_kernel all[] = {clear, run};
        for (int k = 0; k < 2; k++) {
            next = 0;
            arg(all[k], sizeof mem, &mem);
            if (FINES)
                must("clSetKernelArgSVMPointer", clSetKernelArgSVMPointer(all[k], next++, fine));
            else
                arg(all[k], sizeof none, &none);
            arg(all[k], sizeof out, &out);
            arg(all[k], sizeof start, &start);
            arg(all[k], sizeof first, k ? &scratch : &first);
            if (k) {
                arg(run, 4 * SHARED, NULL);
                for (cl_uint a = 0; a < sizeof shape / 4; a++)
                    number(run, shape[a]);
            } else {
                number(clear, MEMS), number(clear, FINES), number(clear, OUTS), number(clear, STARTS), number(clear, INSTANCES);
                number(clear, N), number(clear, STEP), number(clear, BASE), number(clear, TURN);
            }
            must("launch", clEnqueueNDRangeKernel(queue, all[k], 1, NULL, k ? &global : &spread, k ? &local : &small, 0, NULL, NULL));
            must("clFinish", clFinish(queue));
        }
        shape[sizeof shape / 4 - 1] = shape[sizeof shape / 4 - 1] * 1664525u + 1013904223u;
        for (int again = 1; again;) {
            cl_mem table = buffer(MOST * VARS, wanted);
            must("write", clEnqueueWriteBuffer(queue, counts, CL_TRUE, 0, sizeof zero, zero, 0, NULL, NULL));
            cl_mem args[] = {mem, none, out, where, table, counts, others};
            next = 0;
            for (int a = 0; a < 7; a++)
                if (a == 1 && FINES)
                    must("clSetKernelArgSVMPointer", clSetKernelArgSVMPointer(check, next++, fine));
                else
                    arg(check, sizeof(cl_mem), &args[a]);
            number(check, VARS), number(check, known), number(check, ROOM), number(check, INSTANCES);
            number(check, N), number(check, STEP), number(check, BASE), number(check, TURN);
            must("launch", clEnqueueNDRangeKernel(queue, check, 1, NULL, &spread, &small, 0, NULL, NULL));
            must("read", clEnqueueReadBuffer(queue, counts, CL_TRUE, 0, sizeof now, now, 0, NULL, NULL));
            must("read", clEnqueueReadBuffer(queue, others, CL_TRUE, 0, 4 * ROOM * VARS, kept, 0, NULL, NULL));
            clReleaseMemObject(table);
            again = 0;
            for (cl_int o = 0; o < now[known] && o < ROOM && known < MOST; o++) { // what nobody knows yet is counted the next time
                cl_uint w = 0;
                while (w < known && memcmp(wanted + w * VARS, kept + o * VARS, 4 * VARS))
                    w++;
                if (w == known) {
                    memcpy(wanted + known * VARS, kept + o * VARS, 4 * VARS);
                    again = 1;
                    known++;
                    break;
                }
            }
        }
        for (cl_uint w = 0; w < known; w++)
            total[w] += now[w];
    }
    int forbidden = 0;
    for (cl_uint w = 0; w < known; w++) {
        printf("%-9s %12ld ", !ALLOWED ? "" : w < ALLOWED ? "allowed" : "FORBIDDEN", total[w]);
        for (int v = 0; v < VARS; v++)
            printf(" %s=%d", names[v], wanted[w * VARS + v]);
        printf("\n");
        forbidden |= ALLOWED && w >= ALLOWED;
    }
    return forbidden;
}
`
