package check

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// attributes are what __attribute__ says; the words of OpenCL C come as attributes, too.
type attributes struct {
	space        tree.Space
	hasSpace     bool
	spacePos     tree.Pos
	access       tree.Access
	hasAccess    bool
	kernel       bool
	pipe         bool
	overloadable bool
	packed       bool
	aligned      int64
	lanes        int64 // ext_vector_type
	vectorBytes  int64 // vector_size
	reqd         [3]int64
	hint         [3]int64
	subGroup     int64
}

// attribute takes in a list of attributes.
func (c *checker) attribute(a *attributes, list *cc.AttributeSpecifierList) {
	for ; list != nil; list = list.AttributeSpecifierList {
		for v := list.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
			if v.AttributeValue != nil {
				c.attributeValue(a, v.AttributeValue)
				c.noneLost(v.AttributeValue, v.AttributeValueList)
			}
		}
	}
}

// noneLost refuses three attributes and more in one list, of which cc's parser keeps the first and the last.
func (c *checker) noneLost(v *cc.AttributeValue, next *cc.AttributeValueList) {
	end := v.Token.Seq()
	if v.Case == cc.AttributeValueExpr {
		end = v.Token3.Seq()
	}
	if next != nil && next.Token.Seq() != end+1 {
		c.fail(c.pos(v), "Write __attribute__((...)) for each.", "more than two attributes in one list")
	}
}

func (c *checker) attributeValue(a *attributes, v *cc.AttributeValue) {
	name := strings.Trim(v.Token.SrcStr(), "_")
	args := func(n int) []int64 { return c.attributeArgs(v, name, n) }
	switch name {
	case "cl_as":
		c.inSpace(a, v, tree.Space(args(1)[0]))
	case "cl_access":
		access := tree.Access(args(1)[0])
		if a.hasAccess && a.access != access {
			c.fail(c.pos(v), "", "both %s and %s", a.access, access)
		}
		a.access, a.hasAccess = access, true
	case "cl_kernel":
		a.kernel = true
	case "cl_pipe":
		a.pipe = true
	case "overloadable":
		a.overloadable = true
	case "packed":
		a.packed = true
	case "aligned":
		a.aligned = 16
		if v.Case == cc.AttributeValueExpr {
			a.aligned = args(1)[0]
			if a.aligned < 1 || a.aligned > 1<<20 || a.aligned&(a.aligned-1) != 0 {
				c.fail(c.pos(v), "", "an alignment is a power of two, not %d", a.aligned)
			}
		}
	case "ext_vector_type":
		a.lanes = args(1)[0]
		if a.lanes == 0 {
			a.lanes = -1
		}
	case "vector_size":
		if a.vectorBytes = args(1)[0]; a.vectorBytes < 1 || a.vectorBytes > 1<<10 {
			c.fail(c.pos(v), "", "a vector of %d bytes", a.vectorBytes)
		}
	case "reqd_work_group_size":
		a.reqd = c.sizes(v, args(3))
	case "work_group_size_hint":
		a.hint = c.sizes(v, args(3))
	case "intel_reqd_sub_group_size", "reqd_sub_group_size":
		a.subGroup = args(1)[0]
	case "qcom_reqd_sub_group_size":
		a.subGroup = c.wave(v)
	case "opencl_global", "opencl_local", "opencl_constant", "opencl_private", "opencl_generic":
		c.inSpace(a, v, clangSpaces[name])
	case "":
	default:
		c.unheeded(v, name)
	}
}

// clangSpaces are the names that clang has for address spaces beside those of OpenCL C.
var clangSpaces = map[string]tree.Space{"opencl_global": tree.Global, "opencl_local": tree.Local, "opencl_constant": tree.Constant,
	"opencl_private": tree.Private, "opencl_generic": tree.Generic}

// inSpace takes in an address space.
func (c *checker) inSpace(a *attributes, v *cc.AttributeValue, space tree.Space) {
	if a.hasSpace && a.space != space {
		c.fail(c.pos(v), "", "two address spaces, %s and %s", a.space, space)
	}
	a.space, a.hasSpace, a.spacePos = space, true, c.pos(v)
}

// sizes checks the sizes of a work-group.
func (c *checker) sizes(v *cc.AttributeValue, n []int64) (sizes [3]int64) {
	for i, size := range n {
		if size < 1 || size > 1<<31 {
			c.fail(c.pos(v), "", "%s wants sizes of at least 1, not %d", v.Token.SrcStr(), size)
		}
		sizes[i] = size
	}
	return sizes
}

// wave returns the size of sub-groups that Qualcomm's attribute names: its devices have waves of 128 work-items, and can halve them.
func (c *checker) wave(v *cc.AttributeValue) int64 {
	var size string
	if e := v.ArgumentExpressionList; e != nil && e.ArgumentExpressionList == nil {
		if d, ok := c.rvalue(e.AssignmentExpression).(*tree.Decay); ok {
			if s, ok := d.X.(*tree.StringLit); ok {
				size = s.Value
			}
		}
	}
	switch size {
	case "full":
		return 128
	case "half":
		return 64
	}
	c.fail(c.pos(v), "", `qcom_reqd_sub_group_size wants "full" or "half"`)
	return 0
}

// attributeArgs returns the values of an attribute's arguments.
func (c *checker) attributeArgs(v *cc.AttributeValue, name string, n int) []int64 {
	var list []int64
	for e := v.ArgumentExpressionList; e != nil; e = e.ArgumentExpressionList {
		x := c.rvalue(e.AssignmentExpression)
		k, ok := x.(*tree.Const)
		if !ok || !k.T.IsInteger() {
			c.fail(c.pos(e), "", "%s wants an integer constant", name)
		}
		list = append(list, int64(k.Bits))
	}
	if len(list) != n {
		c.fail(c.pos(v), "", "%s wants %d arguments, not %d", name, n, len(list))
	}
	return list
}
