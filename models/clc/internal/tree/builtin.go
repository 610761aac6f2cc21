package tree

// Class groups the built-in functions by what they need from a machine.
type Class uint8

// The classes.
const (
	WorkItem     Class = iota // get_global_id ..., also those of sub-groups; the argument is uint
	Math                      // sin, fma, native_exp, half_sqrt ...
	Integer                   // mul_hi, clz, mad_sat, rotate ...
	Common                    // clamp, mix, min, max of any type, sign ...
	Geometric                 // dot, cross, length ...
	Relational                // isequal, any, select, bitselect ...
	ConvertTo                 // convert_int4_sat_rte: Name is "convert"; see Builtin
	AsType                    // as_int4: Name is "as_type"; the bits stay
	VectorData                // vload, vstore, vload_half, vstorea_half ..., shuffle, shuffle2, vec_step
	Barrier                   // barrier, work_group_barrier, sub_group_barrier
	Fence                     // mem_fence, read_mem_fence, write_mem_fence, atomic_work_item_fence
	Address                   // to_global, to_local, to_private, get_fence
	AtomicC11                 // atomic_init, atomic_load_explicit ..., atomic_flag_*
	AtomicLegacy              // atomic_add, atomic_cmpxchg ... on plain objects; atom_add is the same function by another name
	Async                     // async_work_group_copy, wait_group_events, prefetch
	ImageAccess               // read_imagef, write_imagei, get_image_width ...
	Collective                // work_group_reduce_add, work_group_broadcast, work_group_all ...
	SubGroup                  // sub_group_reduce_add, sub_group_shuffle, sub_group_ballot ...
	Enqueue                   // enqueue_kernel, ndrange_1D, create_user_event, get_default_queue ...
	PipeAccess                // read_pipe, reserve_read_pipe ...
	Print                     // printf
	Property                  // __assert, assert, __requires, __assume, __builtin_assume
	Outcome                   // __observe: the first argument is a StringLit, decayed
	Hint                      // __builtin_expect: the first argument is the value
)

// Builtin is a built-in function, one for each name and, for convert and vload and the like, each way of rounding.
type Builtin struct {
	// Name is the name as the specification has it, but for families: "convert" for
	// convert_T[_sat][_rt?], "as_type" for as_T, "vload", "vstore" without the number of lanes
	// (it is that of the result, or of the first argument), "vload_half", "vstore_half", "vloada_half",
	// "vstorea_half" without lanes and rounding; and "atomic_add" for atom_add and so on.
	Name  string
	Class Class
	Sat   bool  // convert
	Round Round // convert, vstore_half, vstorea_half
}

// Round is a way of rounding.
type Round uint8

// The ways of rounding. RoundDefault is to nearest even, and towards zero in a conversion to an
// integer.
const (
	RoundDefault Round = iota
	RoundEven
	RoundZero
	RoundUp
	RoundDown
)

// The values that the constants of the specification have here, in arguments and in kernels that
// store them. They are those of clang.
const (
	OrderRelaxed = 0
	OrderAcquire = 2
	OrderRelease = 3
	OrderAcqRel  = 4
	OrderSeqCst  = 5

	ScopeWorkItem      = 0
	ScopeWorkGroup     = 1
	ScopeDevice        = 2
	ScopeAllSVMDevices = 3 // also memory_scope_all_devices
	ScopeSubGroup      = 4

	FenceLocal  = 1
	FenceGlobal = 2
	FenceImage  = 4
)
