package clc

import (
	"strings"

	"github.com/clmc/clmc/models/clc/internal/check"
)

// Lists of words that are not of OpenCL C itself, and what is done with each; all others are refused. See check.Attributes.
var (
	// HeaderWords are the options of GPUVerify's that the comment at the head of a kernel file may have.
	HeaderWords = []check.Word{
		{Names: "--local_size --global_size --num_groups --global_offset --blockDim --gridDim", Do: check.Obeyed, Why: "the index space; `*` is any size, so that `--global` or `--local` must say one"},
		{Names: "--kernel-args", Do: check.Obeyed, Why: "values of a kernel's scalars; `*` is any value"},
		{Names: "-D -I --clang-opt", Do: check.Obeyed, Why: "macros, and folders of #include, from that of the file on; `--clang-opt` may have these only"},
		{Names: "--only-divergence --only-intra-group --only-log --no-warp --only-warp --no-constant-write-checks --no-barrier-access-checks --no-benign --no-benign-tolerance", Do: check.Idle, Why: "they leave out checks, which clmc makes all the same; a note says so"},
		{Names: "--opencl --bugle-lang=cl --64-bit", Do: check.Idle, Why: "what clmc takes anyway"},
		{Names: "--findbugs --verify --loop-unwind --adversarial-abstraction --equality-abstraction --array-equalities --asymmetric-asserts --boogie-file --call-site-analysis --math-int --inverted-tracking --invariants-as-candidates --no-inline --no-loop-predicate-invariants --no-smart-predication --no-uniformity-analysis --no-refined-atomics --no-thread-range --race-instrumenter --solver --logic --scheduling --memout --timeout --time --time-as-csv --verbose --silent --debug --debug-houdini --keep-temps --gen-smt2 --opt-opt --bugle-opt --vcgen-opt --cruncher-opt --boogie-opt --no-infer --no-source-loc-infer --omit-infer --staged-inference --infer-info --infer-timeout --infer-config --dynamic-analysis --k-induction-depth --stop-at-opt --stop-at-gbpl --stop-at-bpl --stop-at-cbpl --show-intercepted --check-intercepted --check-all-intercepted --cache --test-all --testsuite --version", Do: check.Idle, Why: "how GPUVerify proves, and what it prints"},
		{Names: "--warp-sync", Do: check.Refused, Why: "OpenCL has no work-items that go in step"},
		{Names: "--32-bit --pointer-bitwidth", Do: check.Refused, Why: "pointers and size_t have 64 bits here"},
		{Names: "--no-annotations --only-requires", Do: check.Refused, Why: "clmc obeys annotations: remove those that should not count"},
		{Names: "--cuda --bugle-lang=cu", Do: check.Refused, Why: "it is about CUDA"},
	}
	// SimWords are the words of an argument in a file of Oclgrind's.
	SimWords = []check.Word{
		{Names: "size null fill range hex char uchar short ushort int uint long ulong float double", Do: check.Obeyed, Why: "what the argument is and holds; a number behind the type makes a vector"},
		{Names: "noinit", Do: check.Obeyed, Why: "nothing is written into the buffer, which holds zeros here; a note says so"},
		{Names: "ro wo", Do: check.Obeyed, Why: "a buffer that kernels may only read, or only write: a kernel that does otherwise is refused"},
		{Names: "dump", Do: check.Idle, Why: "it prints the buffer"},
	}
	// BuildOptions are those of clBuildProgram, in //cl:program lines.
	BuildOptions = []check.Word{
		{Names: "-D -I -cl-std", Do: check.Obeyed, Why: "macros, folders of #include, the version of OpenCL C"},
		{Names: "-cl-fast-relaxed-math", Do: check.Obeyed, Why: "it defines `__FAST_RELAXED_MATH__`; of precision what the next row says"},
		{Names: "-cl-unsafe-math-optimizations -cl-finite-math-only -cl-no-signed-zeros -cl-mad-enable -cl-denorms-are-zero -cl-fp32-correctly-rounded-divide-sqrt", Do: check.Idle, Why: "they allow results that are less precise, or ask for precise ones: those here are"},
		{Names: "-cl-opt-disable -cl-kernel-arg-info -cl-strict-aliasing -cl-no-subgroup-ifp -w -Werror -g", Do: check.Idle, Why: "how code is made, and what is told of it"},
		{Names: "-cl-single-precision-constant", Do: check.Refused, Why: "it changes the types of numbers: write them with an f"},
		{Names: "-cl-uniform-work-group-size", Do: check.Refused, Why: "whether a launch is allowed depends on it"},
	}
)

// IdleOption reports whether an option of clBuildProgram changes no execution, and says why not if it is known.
func IdleOption(option string) (idle bool, why string) {
	name, _, _ := strings.Cut(option, "=")
	w, _ := check.Find(BuildOptions, name)
	return w.Do == check.Idle, w.Why
}
