package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// prelude returns what is parsed before every program: macros for the words that C does not have,
// and typedefs, from which the parser learns which names are types. The checker knows
// the types itself.
func prelude(std tree.Std) string {
	preludes.Lock()
	defer preludes.Unlock()
	if preludes.made[std] == "" {
		preludes.made[std] = makePrelude(std)
	}
	return preludes.made[std]
}

var preludes = struct {
	sync.Mutex
	made map[tree.Std]string
}{made: map[tree.Std]string{}}

func makePrelude(std tree.Std) string {
	var b strings.Builder
	b.WriteString("int __predefined_declarator;\n")
	def := func(format string, args ...any) { fmt.Fprintf(&b, "#define "+format+"\n", args...) }
	both := func(name, meaning string) { // with and without underscores
		def("%s %s", name, meaning)
		def("__%s %s", name, meaning)
	}
	for i, space := range []string{"private", "global", "local", "constant"} {
		both(space, fmt.Sprintf("__attribute__((cl_as(%d)))", i))
	}
	both("kernel", "__attribute__((cl_kernel))")
	both("read_only", "__attribute__((cl_access(0)))")
	both("write_only", "__attribute__((cl_access(1)))")
	if std >= tree.CL20 {
		both("generic", "__attribute__((cl_as(4)))")
		both("read_write", "__attribute__((cl_access(2)))")
		def("pipe __attribute__((cl_pipe))")
		def("__pipe __attribute__((cl_pipe))")
	}
	def("bool _Bool")
	def("true 1")
	def("false 0")
	def("NULL ((void*)0)")
	def("__kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))")
	def("vec_type_hint(...) unused")
	def("__vec_type_hint__(...) unused")
	def("kernel_exec(X, typen) __kernel_exec(X, typen)")
	def("vec_step(...) vec_step(*(__typeof__(__VA_ARGS__) *)0)") // of a type, too
	def("ATOMIC_VAR_INIT(x) (x)")
	def("ATOMIC_FLAG_INIT 0")
	versions(def, std)
	for _, name := range typeNames(std) {
		fmt.Fprintf(&b, "typedef int %s;\n", name)
	}
	return b.String()
}

// versions defines the macros that programs ask in #if.
func versions(def func(string, ...any), std tree.Std) {
	def("__OPENCL_VERSION__ %d", int(tree.CL30))
	def("__OPENCL_C_VERSION__ %d", int(std))
	for _, v := range []int{100, 110, 120, 200, 300} {
		def("CL_VERSION_%d_%d %d", v/100, v/10%10, v)
	}
	for _, name := range []string{"__ENDIAN_LITTLE__", "__IMAGE_SUPPORT__", "FP_FAST_FMA", "cles_khr_int64",
		"cl_khr_fp64", "cl_khr_fp16", "cl_khr_byte_addressable_store", "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics",
		"cl_khr_global_int32_base_atomics", "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics",
		"cl_khr_3d_image_writes", "cl_khr_depth_images", "cl_khr_mipmap_image", "cl_khr_subgroups", "cl_khr_subgroup_shuffle",
		"cl_khr_subgroup_shuffle_relative", "cl_khr_subgroup_ballot", "cl_khr_subgroup_rotate", "cl_khr_subgroup_extended_types",
		"cl_khr_subgroup_non_uniform_vote", "cl_khr_subgroup_non_uniform_arithmetic", "cl_khr_subgroup_clustered_reduce",
		"cl_khr_integer_dot_product", "cl_khr_extended_bit_ops"} {
		def("%s 1", name)
	}
	if std >= tree.CL20 {
		for name := range strings.FieldsSeq(`3d_image_writes atomic_order_acq_rel atomic_order_seq_cst atomic_scope_device atomic_scope_all_devices
			device_enqueue fp64 generic_address_space images int64 pipes program_scope_global_variables read_write_images subgroups
			work_group_collective_functions integer_dot_product_input_4x8bit integer_dot_product_input_4x8bit_packed`) {
			if std >= tree.CL30 {
				def("__opencl_c_%s 1", name)
			}
		}
	}
	for _, l := range limits {
		def("%s %s", l[0], l[1])
	}
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		if k := constants[name]; k.since <= std && !strings.HasPrefix(name, "memory_") {
			def("%s %s", name, name) // so that #ifdef sees it
		}
	}
}

// limits are the constants that are useful in #if.
var limits = [][2]string{
	{"CHAR_BIT", "8"}, {"SCHAR_MAX", "127"}, {"SCHAR_MIN", "(-127 - 1)"}, {"CHAR_MAX", "SCHAR_MAX"}, {"CHAR_MIN", "SCHAR_MIN"}, {"UCHAR_MAX", "255"},
	{"SHRT_MAX", "32767"}, {"SHRT_MIN", "(-32767 - 1)"}, {"USHRT_MAX", "65535"},
	{"INT_MAX", "2147483647"}, {"INT_MIN", "(-2147483647 - 1)"}, {"UINT_MAX", "0xffffffffU"},
	{"LONG_MAX", "0x7fffffffffffffffL"}, {"LONG_MIN", "(-0x7fffffffffffffffL - 1)"}, {"ULONG_MAX", "0xffffffffffffffffUL"},
	{"FLT_DIG", "6"}, {"FLT_MANT_DIG", "24"}, {"FLT_MAX_10_EXP", "+38"}, {"FLT_MAX_EXP", "+128"}, {"FLT_MIN_10_EXP", "-37"}, {"FLT_MIN_EXP", "-125"}, {"FLT_RADIX", "2"},
	{"DBL_DIG", "15"}, {"DBL_MANT_DIG", "53"}, {"DBL_MAX_10_EXP", "+308"}, {"DBL_MAX_EXP", "+1024"}, {"DBL_MIN_10_EXP", "-307"}, {"DBL_MIN_EXP", "-1021"}, {"DBL_RADIX", "2"},
	{"HALF_DIG", "3"}, {"HALF_MANT_DIG", "11"}, {"HALF_MAX_10_EXP", "+4"}, {"HALF_MAX_EXP", "+16"}, {"HALF_MIN_10_EXP", "-4"}, {"HALF_MIN_EXP", "-13"}, {"HALF_RADIX", "2"},
}

// typeNames returns the names of all built-in types that are no words of C.
func typeNames(std tree.Std) []string {
	names := []string{deduced}
	for name, t := range named {
		if t.since <= std {
			names = append(names, name)
		}
	}
	for k := tree.Bool; k <= tree.Double; k++ {
		for _, n := range []int64{2, 3, 4, 8, 16} {
			if k != tree.Bool {
				names = append(names, tree.VectorOf(tree.Scalar(k), n).String())
			}
		}
	}
	slices.Sort(names)
	return names
}

// deduced is the result of a block that does not say it.
const deduced = "__clc_deduced"

// namedType is a built-in type that has a name.
type namedType struct {
	t     *tree.Type
	since tree.Std
	image string // Dim of an image type
	wide  bool   // its size depends on the device: no parameter of a kernel
	gone  string // what it is a type of, if that is refused for good
}

// named are the built-in types by name, without vectors.
var named = func() map[string]namedType {
	m := map[string]namedType{
		"uchar": {t: tree.TUChar}, "ushort": {t: tree.TUShort}, "uint": {t: tree.TUInt}, "ulong": {t: tree.TULong}, "half": {t: tree.THalf},
		"size_t": {t: tree.TULong, wide: true}, "ptrdiff_t": {t: tree.TLong, wide: true},
		"intptr_t": {t: tree.TLong, wide: true}, "uintptr_t": {t: tree.TULong, wide: true},
		"event_t": {t: tree.TEvent}, "sampler_t": {t: tree.TSampler}, "cl_mem_fence_flags": {t: tree.TUInt},
		"memory_order": {t: tree.TInt, since: tree.CL20}, "memory_scope": {t: tree.TInt, since: tree.CL20},
		"queue_t": {t: tree.TQueue, since: tree.CL20}, "ndrange_t": {t: tree.TNDRange, since: tree.CL20}, "clk_event_t": {t: tree.TClkEvent, since: tree.CL20},
		"reserve_id_t": {t: tree.TReserveID, since: tree.CL20}, "kernel_enqueue_flags_t": {t: tree.TInt, since: tree.CL20},
		"clk_profiling_info": {t: tree.TInt, since: tree.CL20}, "atomic_flag": {t: tree.TFlag, since: tree.CL20},
		"named_barrier_t": {gone: "named barriers"},
	}
	for name, t := range map[string]*tree.Type{"int": tree.TInt, "uint": tree.TUInt, "long": tree.TLong, "ulong": tree.TULong, "float": tree.TFloat, "double": tree.TDouble, "half": tree.THalf,
		"size_t": tree.TULong, "ptrdiff_t": tree.TLong, "intptr_t": tree.TLong, "uintptr_t": tree.TULong} {
		m["atomic_"+name] = namedType{t: tree.AtomicOf(t), since: tree.CL20}
	}
	for _, dim := range []string{"1d", "1d_array", "1d_buffer", "2d", "2d_array", "2d_depth", "2d_array_depth", "2d_msaa", "2d_array_msaa", "2d_msaa_depth", "2d_array_msaa_depth", "3d"} {
		m["image"+dim+"_t"] = namedType{image: dim}
	}
	return m
}()
