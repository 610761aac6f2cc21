package clc_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
)

// kernelsFolder is the environment variable that names a folder with checkouts of public repositories, each where its owner and name say:
// $CLMC_KERNELS/pocl/pocl/examples/... . Their kernels are not a part of this module.
const kernelsFolder = "CLMC_KERNELS"

// fact is what must come out for a kernel of a public repository, derived by reading it.
type fact struct {
	repository, file string
	with             []string // files that the host puts in front
	kernel           string
	global, local    string
	defines          []string
	args             string
	want             string // verified, or the id of the violation that is found first
	why              string
}

var facts = []fact{
	{repository: "yuhc/gpu-rodinia", file: "opencl/bfs/Kernels.cl", kernel: "BFS_1", global: "2", local: "1",
		args: "g_graph_nodes={0,1,1,1} g_graph_edges={2,3} g_graph_mask=int[4]{1,1} g_updating_graph_mask=zero[4] g_graph_visited=int[4]{1,1} g_cost=zero[4] no_of_nodes=2",
		want: "verified", why: "the two nodes of the frontier have different neighbours, 2 and 3: no element is written twice"},
	{repository: "yuhc/gpu-rodinia", file: "opencl/bfs/Kernels.cl", kernel: "BFS_1", global: "2", local: "1",
		args: "g_graph_nodes={0,1,1,1} g_graph_edges={2,2} g_graph_mask=int[4]{1,1} g_updating_graph_mask=zero[4] g_graph_visited=int[4]{1,1} g_cost=zero[4] no_of_nodes=2",
		want: "CL1001", why: "both write the cost of node 2, by plain stores: a race, also of equal values (rule 9.1)"},
	{repository: "yuhc/gpu-rodinia", file: "opencl/bfs/Kernels.cl", kernel: "BFS_2", global: "4", local: "2",
		args: "g_graph_mask=zero[4] g_updating_graph_mask=int[4]{0,1,0,0} g_graph_visited=zero[4] g_over=zero[1] no_of_nodes=4",
		want: "verified", why: "one node is updated, and one work-item writes g_over"},
	{repository: "yuhc/gpu-rodinia", file: "opencl/bfs/Kernels.cl", kernel: "BFS_2", global: "4", local: "2",
		args: "g_graph_mask=zero[4] g_updating_graph_mask=int[4]{0,1,1,0} g_graph_visited=zero[4] g_over=zero[1] no_of_nodes=4",
		want: "CL1001", why: "two work-items write g_over (rule 9.1)"},
	{repository: "abduld/Parboil", file: "benchmarks/mri-gridding/src/opencl_base/scanLargeArray.cl", kernel: "scan_L1_kernel", global: "8", local: "4",
		args: "n=15 dataBase=zero[16] data_offset=0 interBase=zero[2] inter_offset=0",
		want: "verified", why: "a barrier heads each round of both sweeps and stands before the result is read (rule 11.3); the last element is the first work-item's alone in between"},
	{repository: "abduld/Parboil", file: "benchmarks/mri-gridding/src/opencl_base/scanLargeArray.cl", kernel: "uniformAdd", global: "8", local: "4",
		args: "n=15 dataBase=zero[16] data_offset=0 interBase=zero[2] inter_offset=0",
		want: "verified", why: "the barrier orders the one write of uni before its reads (rule 11.3)"},
	{repository: "abduld/Parboil", file: "benchmarks/mri-gridding/src/opencl_base/scanLargeArray.cl", kernel: "uniformAdd", global: "8", local: "4",
		args: "n=15 dataBase=zero[8] data_offset=0 interBase=zero[2] inter_offset=0",
		want: "CL1005", why: "element 8 of eight is read, which n admits"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/argsort.cl", kernel: "kernel_argsort_f32_i32", global: "4,2", local: "4,1",
		args: "src0=float[6]{3,1,2,9,7,8} offset0=0 dst=zero[6] offsetd=0 ne00=3 ne00_pad=4 order=0 dst_row=local[4]",
		want: "verified", why: "each pair has one work-item, and a barrier lies between the steps (rule 11.3); all work-items of a group meet it, ne00_pad being its size"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/argsort.cl", kernel: "kernel_argsort_f32_i32", global: "8,1", local: "8,1",
		args: "src0=float[3]{3,1,2} offset0=0 dst=zero[3] offsetd=0 ne00=3 ne00_pad=4 order=0 dst_row=local[8]",
		want: "CL1003", why: "launched with more than ne00_pad work-items in a group, half of them return before the barrier (rule 11.1)"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/mul_mv_q4_0_f32.cl", kernel: "kernel_mul_mat_q4_0_f32", global: "32,1,1", local: "16,1,1",
		defines: []string{"cl_intel_required_subgroup_size"},
		args:    "src0=zero[1024] offset0=0 src1=zero[64] offset1=0 dst=zero[8] offsetd=0 ne00=64 ne01=8 ne02=1 ne10=64 ne12=1 ne0=8 ne1=1 r2=1 r3=1",
		want:    "verified", why: "the first work-item of a sub-group, which is the work-group, writes the four rows of that group"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/mul_mv_q4_0_f32.cl", kernel: "kernel_mul_mat_q4_0_f32", global: "32,1,1", local: "16,1,1",
		args: "src0=zero[4096] offset0=0 src1=zero[64] offset1=0 dst=zero[32] offsetd=0 ne00=64 ne01=32 ne02=1 ne10=64 ne12=1 ne0=32 ne1=1 r2=1 r3=1",
		want: "CL1001", why: "with sub-groups of four there are four in a group, and the second of one group has the rows of the first of the next (rule 9.1)"},
	{repository: "CNugteren/CLBlast", file: "src/kernels/level1/xdot.opencl", with: []string{"src/kernels/common.opencl"}, kernel: "Xdot", global: "8", local: "4",
		defines: []string{"WGS1=4", "WGS2=2"},
		args:    "n=12 xgm=zero[12] x_offset=0 x_inc=1 ygm=zero[12] y_offset=0 y_inc=1 output=zero[2] do_conjugate=0",
		want:    "verified", why: "a tree with a barrier behind each round (rules 11.1, 11.3); each group writes its element of output"},
	{repository: "CNugteren/CLBlast", file: "src/kernels/level1/xdot.opencl", with: []string{"src/kernels/common.opencl"}, kernel: "Xdot", global: "8", local: "4",
		defines: []string{"WGS1=4", "WGS2=2"},
		args:    "n=12 xgm=zero[12] x_offset=0 x_inc=2 ygm=zero[12] y_offset=0 y_inc=1 output=zero[2] do_conjugate=0",
		want:    "CL1005", why: "with a stride of two element 12 of twelve is read"},
	{repository: "pocl/pocl", file: "examples/loopbarriers/loopbarriers.cl", kernel: "loopbarriers", global: "4", local: "2",
		want: "verified", why: "all work-items go three rounds (rule 11.1), and nothing is shared"},
}

// rawString matches what makes a kernel file a string of C++.
var rawString = regexp.MustCompile(`(?m)^(?:R"\(|\)";?)[ \t]*$`)

// TestPublicKernels checks kernels of public repositories end to end. It needs their files.
func TestPublicKernels(t *testing.T) {
	dir := os.Getenv(kernelsFolder)
	if dir == "" {
		t.Skipf("%s is not set: it names a folder with checkouts of public repositories, as in %s/pocl/pocl", kernelsFolder, kernelsFolder)
	}
	tried := 0
	for _, f := range facts {
		t.Run(f.kernel, func(t *testing.T) {
			text, err := f.text(dir)
			if errors.Is(err, fs.ErrNotExist) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			tried++
			f.check(t, filepath.Join(dir, f.repository, f.file), text)
		})
	}
	if tried == 0 {
		t.Errorf("%s holds none of the files", dir)
	}
}

// text reads the files of a kernel, as the host would hand them to a compiler.
func (f *fact) text(dir string) (all []byte, err error) {
	for _, name := range append(slices.Clone(f.with), f.file) {
		text, err := os.ReadFile(filepath.Join(dir, f.repository, name))
		if err != nil {
			return nil, err
		}
		all = append(all, rawString.ReplaceAll(text, nil)...)
	}
	return all, nil
}

func (f *fact) check(t *testing.T, path string, text []byte) {
	p, err := clc.Source(path, text, clc.Options{Kernel: f.kernel, Global: f.global, Local: f.local, Defines: f.defines, Args: strings.Fields(f.args)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r := explore.Run(ctx, p, explore.Options{})
	told(t, p, r)
	found := r.Verdict.String()
	if len(r.Violations) > 0 {
		found = r.Violations[0].Kind.ID()
	}
	if found != f.want {
		t.Errorf("found %s, want %s: %s", found, f.want, f.why)
	}
}
