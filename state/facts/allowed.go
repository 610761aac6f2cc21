package facts

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Passable reports whether a promise to write to a region may be made before an
// operation and kept after it: not across a barrier (rule 11.4) nor a release
// fence of that region, which publishes through the stores after it, nor a command.
func Passable(in *ir.Instr, r memmodel.Region) bool {
	switch {
	case in.Op == ir.OpEnd:
		return false
	case in.Op == ir.OpFence:
		return memmodel.PassesFence(r, in.Flags, in.Order)
	}
	return !in.Op.Visible() || in.Op.Access() || in.Op == ir.OpChoose
}

// Narrower reports whether fewer work-items reach what a pointer points to than
// reach a region: stored there, it would mean nothing to the others.
func Narrower(ptr int64, r memmodel.Region) bool {
	segment := ptr & ir.SegMask
	return segment == ir.SegPrivate || segment == ir.SegGroup && r == memmodel.Global
}
