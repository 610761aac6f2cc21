package check

import (
	"math"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// namedConstant is a constant of the specification.
type namedConstant struct {
	t     *tree.Type
	bits  uint64
	f     float64
	since tree.Std
}

// constants are those of the specification by name, but for those of the prelude.
var constants = func() map[string]namedConstant {
	m := map[string]namedConstant{}
	ints := func(t *tree.Type, since tree.Std, list map[string]int64) {
		for name, v := range list {
			m[name] = namedConstant{t: t, bits: uint64(v), since: since}
		}
	}
	ints(tree.TInt, tree.CL20, map[string]int64{"memory_order_relaxed": tree.OrderRelaxed, "memory_order_acquire": tree.OrderAcquire, "memory_order_release": tree.OrderRelease,
		"memory_order_acq_rel": tree.OrderAcqRel, "memory_order_seq_cst": tree.OrderSeqCst,
		"memory_scope_work_item": tree.ScopeWorkItem, "memory_scope_work_group": tree.ScopeWorkGroup, "memory_scope_sub_group": tree.ScopeSubGroup,
		"memory_scope_device": tree.ScopeDevice, "memory_scope_all_svm_devices": tree.ScopeAllSVMDevices, "memory_scope_all_devices": tree.ScopeAllSVMDevices,
		"CLK_ENQUEUE_FLAGS_NO_WAIT": 0, "CLK_ENQUEUE_FLAGS_WAIT_KERNEL": 1, "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP": 2, "CLK_PROFILING_COMMAND_EXEC_TIME": 1,
		"CLK_SUCCESS": 0, "CLK_ENQUEUE_FAILURE": -101, "CLK_INVALID_QUEUE": -102, "CLK_INVALID_NDRANGE": -160, "CLK_INVALID_EVENT_WAIT_LIST": -57,
		"CLK_DEVICE_QUEUE_FULL": -161, "CLK_INVALID_ARG_SIZE": -51, "CLK_EVENT_ALLOCATION_FAILURE": -100, "CLK_OUT_OF_RESOURCES": -5,
		"CL_COMPLETE": 0, "CL_RUNNING": 1, "CL_SUBMITTED": 2, "CL_QUEUED": 3})
	ints(tree.TUInt, 0, map[string]int64{"CLK_LOCAL_MEM_FENCE": tree.FenceLocal, "CLK_GLOBAL_MEM_FENCE": tree.FenceGlobal})
	ints(tree.TUInt, tree.CL20, map[string]int64{"CLK_IMAGE_MEM_FENCE": tree.FenceImage})
	ints(tree.TInt, 0, map[string]int64{"CLK_ADDRESS_NONE": 0, "CLK_ADDRESS_CLAMP_TO_EDGE": 2, "CLK_ADDRESS_CLAMP": 4, "CLK_ADDRESS_REPEAT": 6, "CLK_ADDRESS_MIRRORED_REPEAT": 8,
		"CLK_NORMALIZED_COORDS_FALSE": 0, "CLK_NORMALIZED_COORDS_TRUE": 1, "CLK_FILTER_NEAREST": 0x10, "CLK_FILTER_LINEAR": 0x20,
		"FP_ILOGB0": math.MinInt32, "FP_ILOGBNAN": math.MaxInt32})
	for i, name := range []string{"SNORM_INT8", "SNORM_INT16", "UNORM_INT8", "UNORM_INT16", "UNORM_SHORT_565", "UNORM_SHORT_555", "UNORM_INT_101010",
		"SIGNED_INT8", "SIGNED_INT16", "SIGNED_INT32", "UNSIGNED_INT8", "UNSIGNED_INT16", "UNSIGNED_INT32", "HALF_FLOAT", "FLOAT", "UNORM_INT24", "UNORM_INT_101010_2"} {
		m["CLK_"+name] = namedConstant{t: tree.TInt, bits: 0x10D0 + uint64(i)}
	}
	for i, name := range []string{"R", "A", "RG", "RA", "RGB", "RGBA", "BGRA", "ARGB", "INTENSITY", "LUMINANCE", "Rx", "RGx", "RGBx", "DEPTH", "DEPTH_STENCIL",
		"sRGB", "sRGBx", "sRGBA", "sBGRA", "ABGR"} {
		m["CLK_"+name] = namedConstant{t: tree.TInt, bits: 0x10B0 + uint64(i)}
	}
	for name, t := range map[string]*tree.Type{"CLK_NULL_QUEUE": tree.TQueue, "CLK_NULL_EVENT": tree.TClkEvent, "CLK_NULL_RESERVE_ID": tree.TReserveID} {
		m[name] = namedConstant{t: t, since: tree.CL20}
	}
	numbers(m)
	return m
}()

// numbers adds the floating constants.
func numbers(m map[string]namedConstant) {
	for name, v := range map[string]float64{"E": math.E, "LOG2E": math.Log2E, "LOG10E": math.Log10E, "LN2": math.Ln2, "LN10": math.Ln10, "PI": math.Pi, "PI_2": math.Pi / 2,
		"PI_4": math.Pi / 4, "1_PI": 1 / math.Pi, "2_PI": 2 / math.Pi, "2_SQRTPI": 2 / math.Sqrt(math.Pi), "SQRT2": math.Sqrt2, "SQRT1_2": 1 / math.Sqrt2} {
		m["M_"+name] = namedConstant{t: tree.TDouble, f: v}
		m["M_"+name+"_F"] = namedConstant{t: tree.TFloat, f: v}
		m["M_"+name+"_H"] = namedConstant{t: tree.THalf, f: v}
	}
	f := func(t *tree.Type, list map[string]float64) {
		for name, v := range list {
			m[name] = namedConstant{t: t, f: v}
		}
	}
	f(tree.TFloat, map[string]float64{"MAXFLOAT": math.MaxFloat32, "HUGE_VALF": math.Inf(1), "INFINITY": math.Inf(1), "NAN": math.NaN(),
		"FLT_MAX": math.MaxFloat32, "FLT_MIN": 0x1p-126, "FLT_EPSILON": 0x1p-23})
	f(tree.TDouble, map[string]float64{"HUGE_VAL": math.Inf(1), "DBL_MAX": math.MaxFloat64, "DBL_MIN": 0x1p-1022, "DBL_EPSILON": 0x1p-52})
	f(tree.THalf, map[string]float64{"HALF_MAX": 65504, "HALF_MIN": 0x1p-14, "HALF_EPSILON": 0x1p-10})
}

// constantNamed returns the constant of a name, or nil.
func constantNamed(std tree.Std, name string, pos tree.Pos) tree.Expr {
	k, ok := constants[name]
	if !ok || k.since > std {
		return nil
	}
	return &tree.Const{Node: tree.Node{T: k.t, P: pos}, Bits: k.bits, F: roundTo(k.f, k.t.Kind)}
}
