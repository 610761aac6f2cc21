package check

import (
	"fmt"
	"strings"
	"sync"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// table says how the built-in functions are typed that have a rule. A line is
//
//	class since kinds lanes | names | result parameters | result parameters ...
//
// The kinds and lanes are those of the generic type G of a rule, of which there is one overload for
// each combination. Kinds: F half, float, double; S float; I the integers; A all numbers; M int and uint;
// B int and long; N int to ulong and F. Lanes: * for 1, 2, 3, 4, 8, 16; 1; v for 2 to 16; g for 1 to 4; 34; or
// none (-). In rules:
//
//	G  the generic type          s  its lane
//	i  int, of as many lanes      u, w  unsigned and signed, of the same width and lanes
//	r  w, but int for a scalar    W  twice as wide
//	h  the lane widened...
//	*x a pointer to x, into any address space but __constant
//	g*x, l*x, k*x, p*x  one into __global, __local, const __global, const __local
//
// and other words are the names of types.
const table = `
WorkItem 100 - - | get_work_dim | uint
WorkItem 100 - - | get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id | size_t uint
WorkItem 110 - - | get_global_offset | size_t uint
WorkItem 200 - - | get_enqueued_local_size | size_t uint
WorkItem 200 - - | get_global_linear_id get_local_linear_id | size_t
WorkItem 200 - - | get_sub_group_size get_max_sub_group_size get_num_sub_groups get_enqueued_num_sub_groups get_sub_group_id get_sub_group_local_id | uint
Math 100 F * | acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 expm1 fabs floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc | G G
Math 100 S * | half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt half_tan native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip native_rsqrt native_sin native_sqrt native_tan | G G
Math 100 S * | half_divide half_powr native_divide native_powr | G G G
Math 100 F * | atan2 atan2pi copysign fdim fmod hypot maxmag minmag nextafter pow powr remainder | G G G
Math 100 F * | fmax fmin | G G G | G G s
Math 100 F * | fma mad | G G G G
Math 100 F * | fract modf sincos | G G *G
Math 100 F * | frexp lgamma_r | G G *i
Math 100 F * | ilogb | i G
Math 100 F * | ldexp | G G i | G G int
Math 100 F * | pown rootn | G G i
Math 100 F * | remquo | G G G *i
Math 100 F * | nan | G u
Integer 100 I * | abs | u G
Integer 100 I * | abs_diff | u G G
Integer 100 I * | add_sat hadd rhadd mul_hi rotate sub_sat | G G G
Integer 100 I * | mad_hi mad_sat | G G G G
Integer 100 I * | clz popcount ctz | G G
Integer 100 H * | upsample | W G u
Integer 100 M * | mad24 | G G G G
Integer 100 M * | mul24 | G G G
Common 100 A * | min max | G G G | G G s
Common 100 A * | clamp | G G G G | G G s s
Common 100 F * | degrees radians sign | G G
Common 100 F * | mix | G G G G | G G G s
Common 100 F * | step | G G G | G s G
Common 100 F * | smoothstep | G G G G | G s s G
Geometric 100 F 34 | cross | G G G
Geometric 100 F g | dot distance | s G G
Geometric 100 F g | length | s G
Geometric 100 F g | normalize | G G
Geometric 100 S g | fast_distance | s G G
Geometric 100 S g | fast_length | s G
Geometric 100 S g | fast_normalize | G G
Relational 100 F * | isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered | r G G
Relational 100 F * | isfinite isinf isnan isnormal signbit | r G
Relational 100 Z * | any all | int G
Relational 100 A * | bitselect | G G G G
Relational 100 A * | select | G G G w | G G G u
Barrier 100 - - | barrier | void uint
Barrier 200 - - | work_group_barrier | void uint | void uint int
Barrier 200 - - | sub_group_barrier | void uint | void uint int
Fence 100 - - | mem_fence read_mem_fence write_mem_fence | void uint
Fence 200 - - | atomic_work_item_fence | void uint int int
Async 100 A * | async_work_group_copy | event_t l*G k*G size_t event_t | event_t g*G p*G size_t event_t
Async 100 A * | async_work_group_strided_copy | event_t l*G k*G size_t size_t event_t | event_t g*G p*G size_t size_t event_t
Async 300 - - | async_work_group_copy_2D2D | event_t l*void size_t k*void size_t size_t size_t size_t size_t size_t event_t | event_t g*void size_t p*void size_t size_t size_t size_t size_t size_t event_t
Async 300 - - | async_work_group_copy_3D3D | event_t l*void size_t k*void size_t size_t size_t size_t size_t size_t size_t size_t size_t event_t | event_t g*void size_t p*void size_t size_t size_t size_t size_t size_t size_t size_t size_t event_t
Async 100 - - | wait_group_events | void int *event_t
Async 100 A * | prefetch | void k*G size_t
Collective 200 - - | work_group_all work_group_any | int int
Collective 200 N 1 | work_group_broadcast | G G size_t | G G size_t size_t | G G size_t size_t size_t
Collective 200 N 1 | work_group_reduce_add work_group_reduce_min work_group_reduce_max work_group_scan_exclusive_add work_group_scan_exclusive_min work_group_scan_exclusive_max work_group_scan_inclusive_add work_group_scan_inclusive_min work_group_scan_inclusive_max | G G
SubGroup 200 - - | sub_group_all sub_group_any sub_group_non_uniform_all sub_group_non_uniform_any | int int
SubGroup 200 - - | sub_group_elect | int
SubGroup 200 A 1 | sub_group_non_uniform_all_equal | int G
SubGroup 200 A * | sub_group_broadcast sub_group_non_uniform_broadcast | G G uint
SubGroup 200 A * | sub_group_broadcast_first | G G
SubGroup 200 A 1 | sub_group_reduce_add sub_group_reduce_min sub_group_reduce_max sub_group_scan_exclusive_add sub_group_scan_exclusive_min sub_group_scan_exclusive_max sub_group_scan_inclusive_add sub_group_scan_inclusive_min sub_group_scan_inclusive_max sub_group_reduce_mul sub_group_scan_exclusive_mul sub_group_scan_inclusive_mul | G G
SubGroup 200 A 1 | sub_group_non_uniform_reduce_add sub_group_non_uniform_reduce_mul sub_group_non_uniform_reduce_min sub_group_non_uniform_reduce_max sub_group_non_uniform_scan_inclusive_add sub_group_non_uniform_scan_inclusive_mul sub_group_non_uniform_scan_inclusive_min sub_group_non_uniform_scan_inclusive_max sub_group_non_uniform_scan_exclusive_add sub_group_non_uniform_scan_exclusive_mul sub_group_non_uniform_scan_exclusive_min sub_group_non_uniform_scan_exclusive_max | G G
SubGroup 200 I 1 | sub_group_non_uniform_reduce_and sub_group_non_uniform_reduce_or sub_group_non_uniform_reduce_xor sub_group_non_uniform_scan_inclusive_and sub_group_non_uniform_scan_inclusive_or sub_group_non_uniform_scan_inclusive_xor sub_group_non_uniform_scan_exclusive_and sub_group_non_uniform_scan_exclusive_or sub_group_non_uniform_scan_exclusive_xor sub_group_reduce_and sub_group_reduce_or sub_group_reduce_xor | G G
SubGroup 200 A 1 | sub_group_clustered_reduce_add sub_group_clustered_reduce_mul sub_group_clustered_reduce_min sub_group_clustered_reduce_max | G G uint
SubGroup 200 I 1 | sub_group_clustered_reduce_and sub_group_clustered_reduce_or sub_group_clustered_reduce_xor | G G uint
SubGroup 200 A * | sub_group_clustered_rotate | G G int uint
SubGroup 200 A * | sub_group_shuffle sub_group_shuffle_xor sub_group_shuffle_up sub_group_shuffle_down | G G uint
SubGroup 200 A * | sub_group_rotate | G G int
SubGroup 200 - - | sub_group_non_uniform_reduce_logical_and sub_group_non_uniform_reduce_logical_or sub_group_non_uniform_reduce_logical_xor sub_group_non_uniform_scan_inclusive_logical_and sub_group_non_uniform_scan_inclusive_logical_or sub_group_non_uniform_scan_inclusive_logical_xor sub_group_non_uniform_scan_exclusive_logical_and sub_group_non_uniform_scan_exclusive_logical_or sub_group_non_uniform_scan_exclusive_logical_xor | int int
SubGroup 200 - - | sub_group_clustered_reduce_logical_and sub_group_clustered_reduce_logical_or sub_group_clustered_reduce_logical_xor | int int uint
SubGroup 200 A * | intel_sub_group_shuffle intel_sub_group_shuffle_xor | G G uint
SubGroup 200 A * | intel_sub_group_shuffle_up intel_sub_group_shuffle_down | G G G uint
SubGroup 200 - - | sub_group_ballot | uint4 int
SubGroup 200 - - | sub_group_inverse_ballot | int uint4
SubGroup 200 - - | sub_group_ballot_bit_extract | int uint4 uint
SubGroup 200 - - | sub_group_ballot_bit_count sub_group_ballot_inclusive_scan sub_group_ballot_exclusive_scan sub_group_ballot_find_lsb sub_group_ballot_find_msb | uint uint4
SubGroup 200 - - | get_sub_group_eq_mask get_sub_group_ge_mask get_sub_group_gt_mask get_sub_group_le_mask get_sub_group_lt_mask | uint4
Enqueue 200 - - | get_default_queue | queue_t
Enqueue 200 - - | enqueue_marker | int queue_t uint clkevents clkevent
Enqueue 200 - - | retain_event release_event | void clk_event_t
Enqueue 200 - - | create_user_event | clk_event_t
Enqueue 200 - - | is_valid_event | bool clk_event_t
Enqueue 200 - - | set_user_event_status | void clk_event_t int
Enqueue 200 - - | capture_event_profiling_info | void clk_event_t int g*void
Enqueue 200 - - | ndrange_1D | ndrange_t size_t | ndrange_t size_t size_t | ndrange_t size_t size_t size_t
PipeAccess 200 - - | is_valid_reserve_id | bool reserve_id_t
Property 100 - - | __assert assert __requires __assume __builtin_assume __builtin_unreachable | void bool
Hint 100 - - | __builtin_expect | long long long
Integer 200 - - | dot_4x8packed_uu_uint | uint uint uint
Integer 200 - - | dot_4x8packed_ss_int dot_4x8packed_us_int dot_4x8packed_su_int | int uint uint
Integer 200 - - | dot_acc_sat_4x8packed_uu_uint | uint uint uint uint
Integer 200 - - | dot_acc_sat_4x8packed_ss_int dot_acc_sat_4x8packed_us_int dot_acc_sat_4x8packed_su_int | int uint uint int
Integer 200 - - | dot_acc_sat | uint uchar4 uchar4 uint | int char4 char4 int | int uchar4 char4 int | int char4 uchar4 int
Integer 200 I * | bit_reverse | G G
Integer 200 I * | bitfield_insert | G G G uint uint
Integer 200 I * | bitfield_extract_signed | w G uint uint
Integer 200 I * | bitfield_extract_unsigned | u G uint uint
Geometric 200 - - | dot | uint uchar4 uchar4 | int char4 char4 | int uchar4 char4 | int char4 uchar4
`

// rule is an overload of a built-in function, or one for each generic type.
type rule struct {
	class  tree.Class
	since  tree.Std
	kinds  []tree.Kind // nil: nothing is generic
	lanes  []int64
	result string
	params []string
}

var classes = map[string]tree.Class{"WorkItem": tree.WorkItem, "Math": tree.Math, "Integer": tree.Integer, "Common": tree.Common, "Geometric": tree.Geometric,
	"Relational": tree.Relational, "Barrier": tree.Barrier, "Fence": tree.Fence, "Async": tree.Async, "Collective": tree.Collective, "SubGroup": tree.SubGroup,
	"Enqueue": tree.Enqueue, "PipeAccess": tree.PipeAccess, "Property": tree.Property, "Hint": tree.Hint}

var (
	integers = []tree.Kind{tree.Char, tree.UChar, tree.Short, tree.UShort, tree.Int, tree.UInt, tree.Long, tree.ULong}
	floats   = []tree.Kind{tree.Half, tree.Float, tree.Double}

	kindsOf = map[string][]tree.Kind{"F": floats, "S": {tree.Float}, "I": integers, "A": append(append([]tree.Kind(nil), integers...), floats...), "M": {tree.Int, tree.UInt},
		"N": {tree.Int, tree.UInt, tree.Long, tree.ULong, tree.Half, tree.Float, tree.Double}, "H": integers[:6], "Z": {tree.Char, tree.Short, tree.Int, tree.Long}}
	lanesNamed = map[string][]int64{"*": {1, 2, 3, 4, 8, 16}, "1": {1}, "v": {2, 3, 4, 8, 16}, "g": {1, 2, 3, 4}, "34": {3, 4}}
)

// rules returns the rules by the names of the functions.
var rules = sync.OnceValue(func() map[string][]*rule {
	m := map[string][]*rule{}
	for line := range strings.Lines(table) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		if len(parts) < 3 {
			continue
		}
		head := strings.Fields(parts[0])
		var since int
		if _, err := fmt.Sscan(head[1], &since); err != nil {
			panic(err)
		}
		for _, name := range strings.Fields(parts[1]) {
			for _, sig := range parts[2:] {
				words := strings.Fields(sig)
				m[name] = append(m[name], &rule{class: classes[head[0]], since: tree.Std(since), kinds: kindsOf[head[2]], lanes: lanesNamed[head[3]], result: words[0], params: words[1:]})
			}
		}
	}
	return m
})
