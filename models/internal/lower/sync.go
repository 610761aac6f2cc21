package lower

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Sync is how an atomic access, a fence or a barrier orders memory.
type Sync struct {
	Op          ir.Op
	Order, Fail memmodel.Order // Fail: of a failed compare-exchange
	Scope       memmodel.Scope
	Flags       memmodel.Flags // of fences and barriers
	SubGroup    bool           // of barriers: that of the sub-group
	Host        bool           // the host calls it
}

// Illegal is a combination of arguments that OpenCL C rules out.
type Illegal struct {
	Message string // with the rule and the section
	Hint    string // what to write instead, in OpenCL C's names
}

// Check returns what is wrong with the combination (rules 3.3, 4.1 to 4.5), or nil.
func (s *Sync) Check() *Illegal {
	switch {
	case s.Op == ir.OpFence || s.Op == ir.OpBarrier:
		return s.checkFence()
	case s.Op == ir.OpLoad && (s.Order == memmodel.Release || s.Order == memmodel.AcqRel):
		return &Illegal{"a load cannot have order " + s.Order.String() + " (rule 4.1; OpenCL C 6.15.12, atomic_load)", "write instead: memory_order_acquire"}
	case s.Op == ir.OpStore && (s.Order == memmodel.Acquire || s.Order == memmodel.AcqRel):
		return &Illegal{"a store cannot have order " + s.Order.String() + " (rule 4.1; OpenCL C 6.15.12, atomic_store)", "write instead: memory_order_release"}
	case s.Op == ir.OpCmpXchg && (s.Fail == memmodel.Release || s.Fail == memmodel.AcqRel):
		return &Illegal{"a failed compare-exchange is a load and cannot have order " + s.Fail.String() + " (rule 4.2; OpenCL C 6.15.12, atomic_compare_exchange)", "write instead: memory_order_acquire or memory_order_relaxed"}
	case s.Op == ir.OpCmpXchg && !atLeast(s.Order, s.Fail):
		return &Illegal{"the order of failure, " + s.Fail.String() + ", is stronger than that of success, " + s.Order.String() + " (rule 4.2; OpenCL C 6.15.12, atomic_compare_exchange)", "weaken the order of failure or strengthen that of success"}
	case s.Scope == memmodel.ScopeWorkItem && s.Op.Access():
		return s.imagesOnly()
	}
	return nil
}

func (s *Sync) checkFence() *Illegal {
	barrier := s.Op == ir.OpBarrier
	switch {
	case s.Host && s.Flags != memmodel.GlobalFence:
		return &Illegal{"the host reaches global memory only (rule 1.2; OpenCL API 3.3.1)", "write instead: CLK_GLOBAL_MEM_FENCE"}
	case !barrier && s.Flags == 0:
		return &Illegal{"the flags of a fence cannot be 0 (rule 4.3; OpenCL C 6.15.12, atomic_work_item_fence)", "write instead: CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE or both"}
	case s.Scope == memmodel.ScopeWorkItem && (barrier || s.Flags != memmodel.ImageFence):
		return s.imagesOnly()
	case barrier && !s.SubGroup && s.Flags&memmodel.ImageFence != 0 && s.Scope != memmodel.ScopeWorkGroup:
		return &Illegal{"a barrier on images has memory_scope_work_group (rule 4.5; OpenCL C 6.15.8)", "leave the scope out"}
	}
	return nil
}

func (s *Sync) imagesOnly() *Illegal {
	return &Illegal{"memory_scope_work_item is for fences on images only (rule 3.3; OpenCL C 6.15.12, memory_scope)", "write instead: memory_scope_work_group or wider"}
}

// Effective returns the scope that counts: that of a barrier of work-groups matters for
// global memory only (rule 4.5).
func (s *Sync) Effective() memmodel.Scope {
	if s.Op == ir.OpBarrier && !s.SubGroup && s.Flags&memmodel.GlobalFence == 0 {
		return memmodel.ScopeWorkGroup
	}
	return s.Scope
}

// atLeast reports whether b, an order of a load, is not stronger than order a.
// Acquire and release are not comparable.
func atLeast(a, b memmodel.Order) bool {
	switch b {
	case memmodel.Acquire:
		return a != memmodel.Relaxed
	case memmodel.SeqCst:
		return a == memmodel.SeqCst
	}
	return true
}
