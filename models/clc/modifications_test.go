package clc_test

import (
	"fmt"
	"testing"

	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

// TestModifications loads a kernel with the function of OpenCL C for all that a read-modify-write can do. Two packages must know the
// function: check, which refuses others (specials), and code, which says what it does (fetchOps).
func TestModifications(t *testing.T) {
	t.Parallel()
	for _, a := range ir.Modifications() {
		name := "fetch_" + a.String()
		switch a {
		case ir.Pipe: // functions of pipes do this
			continue
		case ir.Xchg:
			name = "exchange"
		}
		text := fmt.Sprintf("//clmc:launch k global=1 local=1 x=zero[1]\nkernel void k(global atomic_int *x) { atomic_%s_explicit(x, 1, memory_order_relaxed); }\n", name)
		p, err := clc.Source("k.cl", []byte(text), clc.Options{})
		if err != nil {
			t.Errorf("%v: %v", a, err)
			continue
		}
		found := false
		for _, f := range p.Funcs {
			for i := range f.Code {
				found = found || f.Code[i].Op == ir.OpRMW && f.Code[i].Alu == a
			}
		}
		if !found {
			t.Errorf("%v: atomic_%s_explicit does something else", a, name)
		}
	}
}
