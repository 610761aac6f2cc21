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
	at               string   // the commit or tag that was read, where it is known; others may differ
	with             []string // files that the host puts in front
	kernel           string
	global, local    string
	defines          []string
	args             string
	want             string // verified, or the id of the violation that is found first
	why              string
}

var facts = []fact{
	{repository: "yuhc/gpu-rodinia", file: "opencl/bfs/Kernels.cl", at: "3b50a9c", kernel: "BFS_1", global: "2", local: "1",
		args: "g_graph_nodes={0,1,1,1} g_graph_edges={2,3} g_graph_mask=int[4]{1,1} g_updating_graph_mask=zero[4] g_graph_visited=int[4]{1,1} g_cost=zero[4] no_of_nodes=2",
		want: "verified", why: "the two nodes of the frontier have different neighbours, 2 and 3: no element is written twice"},
	{repository: "yuhc/gpu-rodinia", file: "opencl/bfs/Kernels.cl", at: "3b50a9c", kernel: "BFS_1", global: "2", local: "1",
		args: "g_graph_nodes={0,1,1,1} g_graph_edges={2,2} g_graph_mask=int[4]{1,1} g_updating_graph_mask=zero[4] g_graph_visited=int[4]{1,1} g_cost=zero[4] no_of_nodes=2",
		want: "CL1001", why: "both write the cost of node 2, by plain stores: a race, also of equal values (rule 9.1)"},
	{repository: "yuhc/gpu-rodinia", file: "opencl/bfs/Kernels.cl", at: "3b50a9c", kernel: "BFS_2", global: "4", local: "2",
		args: "g_graph_mask=zero[4] g_updating_graph_mask=int[4]{0,1,0,0} g_graph_visited=zero[4] g_over=zero[1] no_of_nodes=4",
		want: "verified", why: "one node is updated, and one work-item writes g_over"},
	{repository: "yuhc/gpu-rodinia", file: "opencl/bfs/Kernels.cl", at: "3b50a9c", kernel: "BFS_2", global: "4", local: "2",
		args: "g_graph_mask=zero[4] g_updating_graph_mask=int[4]{0,1,1,0} g_graph_visited=zero[4] g_over=zero[1] no_of_nodes=4",
		want: "CL1001", why: "two work-items write g_over (rule 9.1)"},
	{repository: "abduld/Parboil", file: "benchmarks/mri-gridding/src/opencl_base/scanLargeArray.cl", at: "07aee83", kernel: "scan_L1_kernel", global: "8", local: "4",
		args: "n=15 dataBase=zero[16] data_offset=0 interBase=zero[2] inter_offset=0",
		want: "verified", why: "a barrier heads each round of both sweeps and stands before the result is read (rule 11.3); the last element is the first work-item's alone in between"},
	{repository: "abduld/Parboil", file: "benchmarks/mri-gridding/src/opencl_base/scanLargeArray.cl", at: "07aee83", kernel: "uniformAdd", global: "8", local: "4",
		args: "n=15 dataBase=zero[16] data_offset=0 interBase=zero[2] inter_offset=0",
		want: "verified", why: "the barrier orders the one write of uni before its reads (rule 11.3)"},
	{repository: "abduld/Parboil", file: "benchmarks/mri-gridding/src/opencl_base/scanLargeArray.cl", at: "07aee83", kernel: "uniformAdd", global: "8", local: "4",
		args: "n=15 dataBase=zero[8] data_offset=0 interBase=zero[2] inter_offset=0",
		want: "CL1005", why: "element 8 of eight is read, which n admits"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/argsort.cl", at: "35b28bb", kernel: "kernel_argsort_f32_i32", global: "4,2", local: "4,1",
		args: "src0=float[6]{3,1,2,9,7,8} offset0=0 dst=zero[6] offsetd=0 ne00=3 ne00_pad=4 order=0 dst_row=local[4]",
		want: "verified", why: "each pair has one work-item, and a barrier lies between the steps (rule 11.3); all work-items of a group meet it, ne00_pad being its size"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/argsort.cl", at: "35b28bb", kernel: "kernel_argsort_f32_i32", global: "8,1", local: "8,1",
		args: "src0=float[3]{3,1,2} offset0=0 dst=zero[3] offsetd=0 ne00=3 ne00_pad=4 order=0 dst_row=local[8]",
		want: "CL1003", why: "launched with more than ne00_pad work-items in a group, half of them return before the barrier (rule 11.1)"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/mul_mv_q4_0_f32.cl", kernel: "kernel_mul_mat_q4_0_f32", global: "32,1,1", local: "16,1,1",
		defines: []string{"cl_intel_required_subgroup_size"},
		args:    "src0=zero[1024] offset0=0 src1=zero[64] offset1=0 dst=zero[8] offsetd=0 ne00=64 ne01=8 ne02=1 ne10=64 ne12=1 ne0=8 ne1=1 r2=1 r3=1",
		want:    "verified", why: "the first work-item of a sub-group, which is the work-group, writes the four rows of that group"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/mul_mv_q4_0_f32.cl", kernel: "kernel_mul_mat_q4_0_f32", global: "32,1,1", local: "16,1,1",
		defines: []string{"N_DST=4", "N_SIMDGROUP=1", "N_SIMDWIDTH=16"},
		args:    "src0=zero[4096] offset0=0 src1=zero[64] offset1=0 dst=zero[32] offsetd=0 ne00=64 ne01=32 ne02=1 ne10=64 ne12=1 ne0=32 ne1=1 r2=1 r3=1",
		want:    "CL1001", why: "with sub-groups of four there are four in a group, and the second of one group has the rows of the first of the next (rule 9.1)"},
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
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/image/max_min.cl", at: "v1.1.0", kernel: "max_min_reduction_stage1", global: "8", local: "4",
		args: "data=float[8]{3,1,2} out=zero[2] size=8 l_data=local[4]",
		want: "verified", why: "a barrier heads each round of the tree, and the first work-item alone reads the last two elements behind the last one (rule 11.3)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/image/max_min.cl", at: "v1.1.0", kernel: "max_min_reduction_stage1", global: "8", local: "4",
		args: "data=float[8]{3,1,2} out=zero[2] size=9 l_data=local[4]",
		want: "CL1005", why: "element 8 of eight is read, which size admits"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/image/max_min.cl", at: "v1.1.0", kernel: "max_min_reduction_stage2", global: "4", local: "4",
		args: "data2=zero[4] maxmin=zero[1] l_data=local[4]",
		want: "verified", why: "one work-group: one work-item writes maxmin"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/image/max_min.cl", at: "v1.1.0", kernel: "max_min_reduction_stage2", global: "8", local: "4",
		args: "data2=zero[8] maxmin=zero[1] l_data=local[4]",
		want: "CL1001", why: "with two work-groups both write maxmin[0] (rule 9.1)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/image/max_min.cl", at: "v1.1.0", kernel: "max_min_serial", global: "2", local: "1",
		args: "data=zero[4] size=4 maxmin=zero[1]",
		want: "CL1001", why: "it is for one work-item: two write maxmin[0] (rule 9.1)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/image/histogram.cl", at: "v1.1.0", kernel: "histogram", global: "1", local: "1",
		args: "data=float[4]{0,1,2,3} data_size=4 mini=0 maxi=4 map_operation=0 hist=zero[4] edges=zero[5] hist_size=4 tmp_hist=zero[8] processed=zero[1] local_hist=local[4]",
		want: "verified", why: "one work-item does all"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/image/histogram.cl", at: "v1.1.0", kernel: "histogram", global: "2", local: "2",
		args: "data=float[4]{0,1,2,3} data_size=4 mini=0 maxi=4 map_operation=0 hist=zero[4] edges=zero[5] hist_size=4 tmp_hist=zero[8] processed=zero[1] local_hist=local[4]",
		want: "CL1001", why: "between two barriers all work-items set local_hist[0] to 0, by plain stores: a race, also of equal values (rule 9.1)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/image/histogram.cl", at: "v1.1.0", kernel: "histogram", global: "2", local: "1",
		args: "data=float[4]{0,1,2,3} data_size=4 mini=0 maxi=4 map_operation=0 hist=zero[4] edges=zero[5] hist_size=4 tmp_hist=zero[8] processed=zero[1] local_hist=local[4]",
		want: "CL1001", why: "the last work-group knows that it is by atomic_inc, which is relaxed: what the other wrote into tmp_hist is not ordered before it is read (rule 9.1)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/codec/byte_offset.cl", at: "v1.1.0", kernel: "mark_exceptions", global: "4", local: "2",
		args: "raw=char[4]{1,-128,3,4} size=4 full_size=4 mask=zero[4] values=zero[4] cnt=zero[1] exc=zero[4]",
		want: "verified", why: "one exception, whose work-item alone writes mask"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/codec/byte_offset.cl", at: "v1.1.0", kernel: "mark_exceptions", global: "4", local: "2",
		args: "raw=char[4]{1,-128,-128,4} size=4 full_size=4 mask=zero[4] values=zero[4] cnt=zero[1] exc=zero[4]",
		want: "CL1001", why: "the exceptions at 1 and 2 both mark element 3 (rule 9.1)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/codec/byte_offset.cl", at: "v1.1.0", kernel: "treat_exceptions", global: "2", local: "1",
		args: "raw=char[16]{0,-128,5,0,0,-128,6,0,0} size=9 mask=int[16]{0,1,1,1,0,1,1,1,0} exc={1,5} values=zero[9]",
		want: "verified", why: "two exceptions apart: each work-item marks its own as done"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/codec/byte_offset.cl", at: "v1.1.0", kernel: "treat_exceptions", global: "2", local: "1",
		args: "raw=char[16]{0,-128,5,0,0,-128,6,0,0} size=9 mask=int[16]{0,1,1,1,0,1,1,1,0} exc={1,2} values=zero[9]",
		want: "CL1001", why: "the second looks whether the element before its own is masked, which the first sets to -1 meanwhile (rule 9.1)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/codec/byte_offset.cl", at: "v1.1.0", kernel: "copy_result_int", global: "4", local: "2",
		args: "values={1,2,3,4} indexes={0,1,2,3} in_size=4 out_size=4 output=zero[4]",
		want: "verified", why: "each work-item has an index of its own"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/codec/byte_offset.cl", at: "v1.1.0", kernel: "copy_result_int", global: "4", local: "2",
		args: "values={1,2,3,4} indexes={0,2,0,2} in_size=4 out_size=4 output=zero[4]",
		want: "CL1001", why: "the first and the third write output[0] (rule 9.1)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/codec/byte_offset.cl", at: "v1.1.0", kernel: "copy_result_int", global: "4", local: "2",
		args: "values={1,2,3,4} indexes={0,1,2,4} in_size=4 out_size=4 output=zero[4]",
		want: "CL1005", why: "current <= out_size lets index 4 of four pass"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/codec/byte_offset.cl", at: "v1.1.0", kernel: "copy_result_float", global: "4", local: "2",
		args: "values={1,2,3,4} indexes={0,1,2,4} in_size=4 out_size=4 output=zero[4]",
		want: "verified", why: "here current < out_size stops it"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/sparse.cl", at: "v1.1.0", kernel: "densify_csr", global: "4,2", local: "4,1",
		defines: []string{"IMAGE_WIDTH=4", "DTYPE=float", "IDX_DTYPE=int"},
		args:    "data=float[4]{1,2,3,4} ind={0,2,1,3} iptr={0,2,4} output=zero[8] image_height=2",
		want:    "verified", why: "a row has a work-group, and a barrier stands between zeros, values and results (rule 11.3)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/sparse.cl", at: "v1.1.0", kernel: "densify_csr", global: "4,2", local: "4,1",
		defines: []string{"IMAGE_WIDTH=4", "DTYPE=float", "IDX_DTYPE=int"},
		args:    "data=float[4]{1,2,3,4} ind={1,1,1,3} iptr={0,2,4} output=zero[8] image_height=2",
		want:    "CL1001", why: "column 1 of the first row is there twice (rule 9.1)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/sparse.cl", at: "v1.1.0", kernel: "densify_csr", global: "8,2", local: "8,1",
		defines: []string{"IMAGE_WIDTH=4", "DTYPE=float", "IDX_DTYPE=int"},
		args:    "data=float[4]{1,2,3,4} ind={0,2,1,3} iptr={0,2,4} output=zero[8] image_height=2",
		want:    "CL1003", why: "half of the work-items of a group return before the barrier (rule 11.1)"},
	{repository: "silx-kit/silx", file: "src/silx/resources/opencl/sparse.cl", at: "v1.1.0", kernel: "densify_csr", global: "4,2", local: "4,2",
		defines: []string{"IMAGE_WIDTH=4", "DTYPE=float", "IDX_DTYPE=int"},
		args:    "data=float[4]{1,2,3,4} ind={0,2,1,3} iptr={0,2,4} output=zero[8] image_height=2",
		want:    "CL1001", why: "two rows in a work-group share the line (rule 9.1)"},
	{repository: "silx-kit/pyFAI", file: "src/pyFAI/resources/openCL/reduction_test4.cl", at: "v0.21.3", kernel: "reduce1", global: "8", local: "4",
		defines: []string{"WORKGROUP_SIZE=4"},
		args:    "buffer=zero[8] length=16 preresult=zero[2]",
		want:    "verified", why: "a barrier heads each round of the tree (rule 11.3); each group writes its element"},
	{repository: "silx-kit/pyFAI", file: "src/pyFAI/resources/openCL/reduction_test4.cl", at: "v0.21.3", kernel: "reduce1", global: "8", local: "4",
		defines: []string{"WORKGROUP_SIZE=4"},
		args:    "buffer=zero[8] length=18 preresult=zero[2]",
		want:    "CL1005", why: "element 8 of eight pairs is read, which length admits"},
	{repository: "silx-kit/pyFAI", file: "src/pyFAI/resources/openCL/reduction_test4.cl", at: "v0.21.3", kernel: "reduce2", global: "4", local: "4",
		defines: []string{"WORKGROUP_SIZE=4"},
		args:    "preresult=zero[4] result=zero[1]",
		want:    "verified", why: "one work-group: one work-item writes the result"},
	{repository: "silx-kit/pyFAI", file: "src/pyFAI/resources/openCL/reduction_test4.cl", at: "v0.21.3", kernel: "reduce2", global: "8", local: "4",
		defines: []string{"WORKGROUP_SIZE=4"},
		args:    "preresult=zero[4] result=zero[1]",
		want:    "CL1001", why: "with two work-groups both write result[0] (rule 9.1)"},
	{repository: "silx-kit/pyFAI", file: "src/pyFAI/resources/openCL/peak_finder.cl", at: "v0.21.3", kernel: "find_peaks", global: "8", local: "4",
		defines: []string{"WORKGROUP_SIZE=4", "NIMAGE=8", "NBINS=2"},
		args:    "preproc4=float4[8]{10,0,1,0,10,0,1,0,10,0,1,0,10,0,1,0,10,0,1,0,10,0,1,0,10,0,1,0,10,0,1,0} radius2d=float[8]{1,1,1,1,1,1,1,1} radius1d=float[2]{0,1} average1d=zero[2] std1d=zero[2] radius_min=0 radius_max=10 cutoff=1 noise=1 counter=zero[1] highidx=zero[8]",
		want:    "verified", why: "positions in local and global memory are given out by atomic additions; the barrier in the condition is met by all, as all read one counter (rules 11.1, 11.3)"},
	{repository: "silx-kit/pyFAI", file: "src/pyFAI/resources/openCL/peak_finder.cl", at: "v0.21.3", kernel: "find_peaks", global: "8", local: "4",
		defines: []string{"WORKGROUP_SIZE=4", "NIMAGE=8", "NBINS=2"},
		args:    "preproc4=float4[8]{10,0,1,0,10,0,1,0,10,0,1,0,10,0,1,0,10,0,1,0,10,0,1,0,10,0,1,0,10,0,1,0} radius2d=float[8]{1,1,1,1,1,1,1,1} radius1d=float[2]{0,1} average1d=zero[2] std1d=zero[2] radius_min=0 radius_max=10 cutoff=1 noise=1 counter=zero[1] highidx=zero[7]",
		want:    "CL1005", why: "all eight are peaks, and there is room for seven"},
	{repository: "darktable-org/darktable", file: "data/kernels/gaussian.cl", at: "release-4.2.1", kernel: "gaussian_transpose_1c", global: "4,4", local: "2,2",
		args: "in=zero[16] out=zero[16] width=4 height=4 blocksize=2 buffer=local[6]",
		want: "verified", why: "the barrier stands between a tile and its transpose, and no work-item leaves before it (rules 11.1, 11.3)"},
	{repository: "darktable-org/darktable", file: "data/kernels/gaussian.cl", at: "release-4.2.1", kernel: "gaussian_transpose_1c", global: "4,4", local: "2,2",
		args: "in=zero[12] out=zero[12] width=3 height=4 blocksize=2 buffer=local[6]",
		want: "verified", why: "what a work-item reads of the tile was written by the one that has its place transposed, which is within the picture if it is"},
	{repository: "darktable-org/darktable", file: "data/kernels/gaussian.cl", at: "release-4.2.1", kernel: "gaussian_transpose_1c", global: "4,4", local: "2,2",
		args: "in=zero[16] out=zero[16] width=4 height=4 blocksize=2 buffer=local[4]",
		want: "CL1005", why: "a row of the tile has one element more than blocksize: element 4 of four is written"},
	{repository: "darktable-org/darktable", file: "data/kernels/extended.cl", at: "release-4.2.1", kernel: "pixelmax_first", global: "4,4", local: "1,1",
		args: "in=image[4,4] width=4 height=4 accu=zero[16] buffer=local[1]",
		want: "verified", why: "each work-group is one work-item, and writes its element"},
	{repository: "darktable-org/darktable", file: "data/kernels/extended.cl", at: "release-4.2.1", kernel: "pixelmax_first", global: "4,4", local: "2,2",
		args: "in=image[4,4] width=4 height=4 accu=zero[4] buffer=local[4]",
		want: "CL1001", why: "all work-items of a group write accu[m], the same value (rule 9.1)"},
	{repository: "darktable-org/darktable", file: "data/kernels/extended.cl", at: "release-4.2.1", kernel: "pixelmax_second", global: "8", local: "4",
		args: "input=zero[16] result=zero[2] length=16 buffer=local[4]",
		want: "verified", why: "a barrier heads each round of the tree, and the first work-item writes (rule 11.3)"},
	{repository: "darktable-org/darktable", file: "data/kernels/denoiseprofile.cl", at: "release-4.2.1", kernel: "denoiseprofile_reduce_first", global: "4,4", local: "2,2",
		args: "in=image[4,4] width=4 height=4 accu=zero[4] buffer=local[4]",
		want: "CL1001", why: "all work-items of a group write accu[m], the same value (rule 9.1)"},
	{repository: "darktable-org/darktable", file: "data/kernels/denoiseprofile.cl", at: "release-4.2.1", kernel: "denoiseprofile_reduce_second", global: "8", local: "4",
		args: "input=zero[16] result=zero[2] length=16 buffer=local[4]",
		want: "verified", why: "a barrier heads each round of the tree, and the first work-item writes (rule 11.3)"},
	{repository: "darktable-org/darktable", file: "data/kernels/soften.cl", at: "release-4.2.1", kernel: "soften_hblur", global: "4,2", local: "4,1",
		args: "in=image[4,2] out=image[4,2] m=zero[5] rad=2 width=4 height=2 blocksize=4 buffer=local[8]",
		want: "verified", why: "each element of the line, and of its two ends, has one work-item; the barrier stands before they are read (rule 11.3); coordinates outside are clamped"},
	{repository: "darktable-org/darktable", file: "data/kernels/soften.cl", at: "release-4.2.1", kernel: "soften_hblur", global: "4,2", local: "4,1",
		args: "in=image[4,2] out=image[4,2] m=zero[5] rad=2 width=4 height=2 blocksize=4 buffer=local[7]",
		want: "CL1005", why: "the line and its ends take eight elements"},
	{repository: "darktable-org/darktable", file: "data/kernels/bilateral.cl", at: "release-4.2.1", kernel: "zero", global: "4,2", local: "4,1",
		args: "grid=zero[8] width=4 height=2",
		want: "verified", why: "each work-item writes its element"},
	{repository: "darktable-org/darktable", file: "data/kernels/bilateral.cl", at: "release-4.2.1", kernel: "zero", global: "4,2", local: "4,1",
		args: "grid=zero[7] width=4 height=2",
		want: "CL1005", why: "element 7 of seven is written"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/sum_rows.cl", kernel: "kernel_sum_rows_f32", global: "8,1,1", local: "4,1,1",
		args: "src0=float[8]{1,2,3} offset0=0 dst=float[2] offsetd=0 ne00=4 ne01=2 ne02=1 ne03=1 nb01=16 nb02=32 nb03=32 nb1=4 nb2=8 nb3=8",
		want: "verified", why: "zeros, sums and the total are apart by barriers (rule 11.3), and each group writes its row"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/sum_rows.cl", kernel: "kernel_sum_rows_f32", global: "8,1,1", local: "4,1,1",
		args: "src0=float[8]{1,2,3} offset0=0 dst=float[2] offsetd=0 ne00=4 ne01=2 ne02=1 ne03=1 nb01=16 nb02=32 nb03=32 nb1=0 nb2=8 nb3=8",
		want: "CL1001", why: "with a distance of 0 between the rows both groups write one element (rule 9.1)"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/cumsum.cl", kernel: "kernel_cumsum_blk", global: "8,1,1", local: "8,1,1",
		args: "src0=float[8] offset0=0 tmp=float[2] dst=float[8] offsetd=0 ne00=8 ne01=1 ne02=1 ne03=1 nb00=4 nb01=32 nb02=32 nb03=32 net0=1 net1=1 net2=1",
		want: "verified", why: "the first sub-group reads the sums of all behind a barrier, and writes what they read behind another (rule 11.3)"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/cumsum.cl", kernel: "kernel_cumsum_blk", global: "8,1,1", local: "8,1,1",
		args: "src0=float[7] offset0=0 tmp=float[2] dst=float[8] offsetd=0 ne00=8 ne01=1 ne02=1 ne03=1 nb00=4 nb01=32 nb02=32 nb03=32 net0=1 net1=1 net2=1",
		want: "CL1005", why: "element 7 of seven is read"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/rms_norm.cl", kernel: "kernel_rms_norm", global: "8,1,1", local: "8,1,1",
		args: "src0=float[16]{1,2,3} offset0=0 dst=zero[16] offsetd=0 ne00=16 ne01=1 ne02=1 ne03=1 nb01=64 nb02=64 nb03=64 eps=0.1 sum=local[4]",
		want: "verified", why: "two sub-groups of four: the tree is one round, of one work-item; a barrier stands before and behind it (rule 11.3)"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/rms_norm.cl", kernel: "kernel_rms_norm", global: "16,1,1", local: "16,1,1",
		args: "src0=float[16]{1,2,3} offset0=0 dst=zero[16] offsetd=0 ne00=16 ne01=1 ne02=1 ne03=1 nb01=64 nb02=64 nb03=64 eps=0.1 sum=local[4]",
		want: "CL1001", why: "four sub-groups: between the two rounds of the tree there is no barrier, and the first work-item reads what the second writes (rule 9.1)"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/mul_mv_q8_0_f32.cl", kernel: "kernel_mul_mv_q8_0_f32", global: "64,1,1", local: "32,1,1",
		defines: []string{"cl_intel_required_subgroup_size"},
		args:    "src0=char[1088] offset0=0 src1=float[64] offset1=0 dst=float[16] offsetd=0 ne00=64 ne01=16 nb01=68 nb02=1088 nb03=1088 ne12=1 nb11=256 nb12=256 nb13=256 ne0=16 ne1=1 r2=1 r3=1",
		want:    "verified", why: "sub-groups of sixteen: two in a group, of four rows each; the first work-item of a sub-group writes them"},
	{repository: "ggml-org/llama.cpp", file: "ggml/src/ggml-opencl/kernels/mul_mv_q8_0_f32.cl", kernel: "kernel_mul_mv_q8_0_f32", global: "64,1,1", local: "32,1,1",
		defines: []string{"cl_intel_required_subgroup_size"},
		args:    "src0=char[1020] offset0=0 src1=float[64] offset1=0 dst=float[16] offsetd=0 ne00=64 ne01=16 nb01=68 nb02=1088 nb03=1088 ne12=1 nb11=256 nb12=256 nb13=256 ne0=16 ne1=1 r2=1 r3=1",
		want:    "CL1005", why: "the last of sixteen rows is missing"},
	{repository: "CNugteren/CLBlast", file: "src/kernels/level1/xnrm2.opencl", at: "1.5.3", with: []string{"src/kernels/common.opencl"}, kernel: "Xnrm2", global: "8", local: "4",
		defines: []string{"WGS1=4", "WGS2=2"},
		args:    "n=12 xgm=zero[12] x_offset=0 x_inc=1 output=zero[2]",
		want:    "verified", why: "a tree with a barrier behind each round (rules 11.1, 11.3); each group writes its element of output"},
	{repository: "CNugteren/CLBlast", file: "src/kernels/level1/xnrm2.opencl", at: "1.5.3", with: []string{"src/kernels/common.opencl"}, kernel: "Xnrm2", global: "8", local: "4",
		defines: []string{"WGS1=4", "WGS2=2"},
		args:    "n=12 xgm=zero[12] x_offset=1 x_inc=1 output=zero[2]",
		want:    "CL1005", why: "with an offset of one element 12 of twelve is read"},
	{repository: "CNugteren/CLBlast", file: "src/kernels/level1/xnrm2.opencl", at: "1.5.3", with: []string{"src/kernels/common.opencl"}, kernel: "Xnrm2Epilogue", global: "2", local: "2",
		defines: []string{"WGS1=4", "WGS2=2"},
		args:    "input=zero[4] nrm2=zero[1] nrm2_offset=0",
		want:    "verified", why: "one work-group"},
	{repository: "CNugteren/CLBlast", file: "src/kernels/level1/xnrm2.opencl", at: "1.5.3", with: []string{"src/kernels/common.opencl"}, kernel: "Xnrm2Epilogue", global: "4", local: "2",
		defines: []string{"WGS1=4", "WGS2=2"},
		args:    "input=zero[4] nrm2=zero[1] nrm2_offset=0",
		want:    "CL1001", why: "two work-groups write the result (rule 9.1)"},
}

// rawString matches what makes a kernel file a string of C++.
var rawString = regexp.MustCompile(`(?m)^(?:R"\(|\)";?)[ \t]*$`)

// forEditors matches what a host takes out: it is for an editor.
var forEditors = regexp.MustCompile(`(?m)^#include "for_eclipse.h".*$`)

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
		all = append(all, forEditors.ReplaceAll(rawString.ReplaceAll(text, nil), nil)...)
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
