package load

import (
	"go/constant"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/state/ir"
)

// constBits returns a constant as registers of type t hold it.
func constBits(c *ssa.Const, t ir.Type) int64 {
	switch c.Value.Kind() {
	case constant.Bool:
		if constant.BoolVal(c.Value) {
			return 1
		}
		return 0
	case constant.String:
		return 0
	}
	if t.Float() {
		if t == ir.F32 {
			v, _ := constant.Float32Val(c.Value)
			return int64(math.Float32bits(v))
		}
		v, _ := constant.Float64Val(c.Value)
		return int64(math.Float64bits(v))
	}
	whole := constant.ToInt(c.Value)
	if v, ok := constant.Int64Val(whole); ok {
		return ir.Wrap(t, v)
	}
	v, _ := constant.Uint64Val(whole)
	return ir.Wrap(t, int64(v))
}

// stringOf returns the text of a string constant.
func stringOf(c *ssa.Const) string {
	if c.Value != nil && c.Value.Kind() == constant.String {
		return constant.StringVal(c.Value)
	}
	return ""
}
