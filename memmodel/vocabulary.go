package memmodel

// Order is a memory_order (OpenCL C, "Memory order"). NonAtomic marks the
// ordinary accesses of the language, which take no order at all.
type Order uint8

// The memory orders, weakest first.
const (
	NonAtomic Order = iota
	Relaxed
	Acquire
	Release
	AcqRel
	SeqCst
)

var orderNames = [...]string{"non_atomic", "memory_order_relaxed", "memory_order_acquire",
	"memory_order_release", "memory_order_acq_rel", "memory_order_seq_cst"}

// String returns the order's name in OpenCL C.
func (o Order) String() string { return name(orderNames[:], int(o)) }

// Acquires reports whether an operation of this order performs an acquire (rule 3.1).
func (o Order) Acquires() bool { return o == Acquire || o == AcqRel || o == SeqCst }

// Releases reports whether an operation of this order performs a release (rule 3.1).
func (o Order) Releases() bool { return o == Release || o == AcqRel || o == SeqCst }

// Scope is a memory_scope, narrowest first.
type Scope uint8

// The memory scopes (rule 3.2).
const (
	ScopeWorkItem Scope = iota
	ScopeSubGroup
	ScopeWorkGroup
	ScopeDevice
	ScopeAllSVMDevices
	numScopes = iota
)

var scopeNames = [...]string{"memory_scope_work_item", "memory_scope_sub_group",
	"memory_scope_work_group", "memory_scope_device", "memory_scope_all_svm_devices"}

// String returns the scope's name in OpenCL C.
func (s Scope) String() string { return name(scopeNames[:], int(s)) }

// Flags is a cl_mem_fence_flags value: the kinds of memory that a fence or a
// barrier orders.
type Flags uint8

// The fence flags; combine them with |.
const (
	LocalFence Flags = 1 << iota
	GlobalFence
	ImageFence
)

// String returns the flags as OpenCL C writes them.
func (f Flags) String() string {
	s := ""
	for i, n := range [...]string{"CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_IMAGE_MEM_FENCE"} {
		if f&(1<<i) != 0 {
			if s != "" {
				s += " | "
			}
			s += n
		}
	}
	if s == "" {
		return "0"
	}
	return s
}

// Region is the part of memory that a location belongs to, as far as fences
// tell parts apart: each has a happens-before relation of its own (rules 1.1,
// 4.4, 5.5). Private memory is never seen by the memory model.
type Region uint8

// The regions of memory that work-items share.
const (
	Global Region = iota
	Local
	Image // the texels of images: they are in global memory, but have a fence flag of their own
	Pipe  // what pipes consist of: what is done to them orders no other memory, whatever fences are around it
)

// String returns the region's name; for memory that has one, the qualifier.
func (r Region) String() string { return name([]string{"global", "local", "image", "pipe"}, int(r)) }

// Kind says how an object in global memory was allocated, and thereby what
// host and other devices may do with it (rules section 2). Local memory has
// no kind; its value is ignored there.
type Kind uint8

// The kinds of global memory.
const (
	CoarseSVM      Kind = iota // coarse-grained buffer SVM (2.2)
	Buffer                     // a cl_mem buffer without SVM (2.1)
	FineSVM                    // fine-grained buffer SVM without atomics (2.3, 2.5)
	FineSVMAtomics             // fine-grained buffer SVM with CL_MEM_SVM_ATOMICS (2.3, 2.8)
	SystemSVM                  // fine-grained system SVM with atomics (2.3, 2.8)
	ProgramScope               // program-scope global variable (1.5)
)

var kindNames = [...]string{"svm_coarse", "buffer", "svm_fine", "svm_fine_atomics", "svm_system", "program_scope"}

// String returns the kind's name as the //cl:memory directive spells it.
func (k Kind) String() string { return name(kindNames[:], int(k)) }

// ParseKind is the inverse of Kind.String.
func ParseKind(s string) (Kind, bool) {
	for i, n := range kindNames {
		if n == s {
			return Kind(i), true
		}
	}
	return 0, false
}

// Fine reports whether the memory is fine-grained: the host need not map it (rules 2.3, 2.5),
// and device-side enqueue orders updates of it before the child kernel's accesses (rule 12.1).
func (k Kind) Fine() bool { return k == FineSVM || k == FineSVMAtomics || k == SystemSVM }

// SVMAtomics reports whether atomics of the host and of other devices work on
// this memory (rule 2.8). Elsewhere memory_scope_all_svm_devices means
// memory_scope_device (rule 2.4).
func (k Kind) SVMAtomics() bool { return k == FineSVMAtomics || k == SystemSVM }

// Allocated reports whether clSVMAlloc returns such memory.
func (k Kind) Allocated() bool { return k == CoarseSVM || k == FineSVM || k == FineSVMAtomics }

func name(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "invalid"
}
