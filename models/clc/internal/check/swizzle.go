package check

import (
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// swizzle checks v.name.
func (c *checker) swizzle(x tree.Expr, name string, pos tree.Pos) tree.Expr {
	t := x.Type()
	if s, ok := x.(*tree.Swizzle); ok {
		lanes, wrong := lanesOf(t.Len, name)
		c.laneError(t, name, wrong, pos)
		for i, n := range lanes {
			if n < len(s.Lanes) {
				lanes[i] = s.Lanes[n]
			} else {
				lanes[i] = 3 // beyond a three-vector that was swizzled: undefined
			}
		}
		return &tree.Swizzle{Node: tree.Node{T: tree.VectorOf(t.Elem, int64(len(lanes))), P: pos}, X: s.X, Lanes: lanes}
	}
	lanes, wrong := lanesOf(t.Len, name)
	c.laneError(t, name, wrong, pos)
	return &tree.Swizzle{Node: tree.Node{T: tree.VectorOf(t.Elem, int64(len(lanes))), P: pos}, X: x, Lanes: lanes}
}

func (c *checker) laneError(t *tree.Type, name, wrong string, pos tree.Pos) {
	if wrong != "" {
		c.fail(pos, "Lanes are .x to .w, .s0 to .sf, .lo, .hi, .even and .odd.", "%s has no lanes .%s: %s", t, name, wrong)
	}
}

// lanesOf returns the lanes that a name means for a vector of n, or what is wrong with it.
func lanesOf(n int64, name string) (lanes []int, wrong string) {
	half := int((n + 1) / 2)
	switch name {
	case "lo":
		return count(0, 1, half), ""
	case "hi":
		return count(half, 1, half), ""
	case "even":
		return count(0, 2, half), ""
	case "odd":
		return count(1, 2, half), ""
	}
	letters := "xyzw"
	digits := name
	if name[0] == 's' || name[0] == 'S' {
		letters, digits = "0123456789abcdef", strings.ToLower(name[1:])
	} else if strings.ContainsAny(name, "rgba") {
		letters = "rgba"
	}
	for _, r := range digits {
		i := strings.IndexRune(letters, r)
		switch {
		case i < 0:
			return nil, "that is not the name of a lane"
		case int64(i) >= n:
			return nil, "it has too few"
		}
		lanes = append(lanes, i)
	}
	switch len(lanes) {
	case 1, 2, 3, 4, 8, 16:
		return lanes, ""
	}
	return nil, "vectors have 2, 3, 4, 8 or 16 lanes"
}

// count returns n numbers from a first one on.
func count(first, step, n int) []int {
	lanes := make([]int, n)
	for i := range lanes {
		lanes[i] = first + i*step
	}
	return lanes
}
