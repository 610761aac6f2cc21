package mend

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// modernNames are the functions with an order that those of OpenCL 1.x stand for, but for their prefix.
var modernNames = map[string]string{"add": "fetch_add", "sub": "fetch_sub", "inc": "fetch_add", "dec": "fetch_sub", "min": "fetch_min", "max": "fetch_max",
	"and": "fetch_and", "or": "fetch_or", "xor": "fetch_xor", "xchg": "exchange"}

// modernTypes are the atomic types of what they are applied to.
var modernTypes = map[ir.Type]string{ir.I32: "atomic_int", ir.U32: "atomic_uint", ir.I64: "atomic_long", ir.U64: "atomic_ulong", ir.F32: "atomic_float"}

// Modern writes an atomic function of OpenCL 1.x as the one that has an order, and is relaxed as that is.
func Modern(text string, site *ir.Site, t ir.Type, in memmodel.Flags) ([]Edit, error) {
	at, ok := offset(text, site.ID.Line, site.ID.Col)
	if !ok || at >= len(text) {
		return nil, fmt.Errorf("the place is not in the text")
	}
	name, to := word(text, at)
	_, short, ok := strings.Cut(name, "_")
	if !ok || !strings.HasPrefix(name, "atom") {
		return nil, fmt.Errorf("%q stands there, which is no atomic function: what a macro contains is not rewritten", name)
	}
	by := modernNames[short]
	if by == "" {
		return nil, fmt.Errorf("%s is not rewritten: with an order it is no expression", name)
	}
	open := blank(text, to)
	if open >= len(text) || text[open] != '(' {
		return nil, fmt.Errorf("%s is not called there", name)
	}
	args, end, ok := callArguments(text, open+1)
	if !ok || len(args) == 0 || modernTypes[t] == "" {
		return nil, fmt.Errorf("the arguments of %s are not understood", name)
	}
	space := map[memmodel.Flags]string{memmodel.LocalFence: "local ", memmodel.GlobalFence: "global "}[in]
	tail := ""
	if len(args) == 1 {
		tail = ", 1"
	}
	p := args[0]
	return []Edit{
		{at, to, "atomic_" + by + "_explicit"},
		{p.from, p.to, "(volatile " + space + modernTypes[t] + " *)(" + text[p.from:p.to] + ")"},
		{end, end, tail + ", " + memmodel.Relaxed.String() + ", " + site.Scope.String()},
	}, nil
}
