package code

import (
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// Passable reports whether a value of type t can be an argument that is passed by value.
func Passable(t *tree.Type) bool {
	switch t.Kind {
	case tree.Struct, tree.Union:
		for _, f := range t.Record.Fields {
			if !Passable(f.Type) {
				return false
			}
		}
		return true
	case tree.Array:
		return Passable(t.Elem)
	}
	return t.Lane().IsArithmetic()
}

// Leaves returns the types of the scalars of a type.
func Leaves(t *tree.Type) []ir.Type {
	s := &shapes{leavesOf: map[*tree.Type][]leaf{}}
	var list []ir.Type
	for _, l := range s.leaves(t) {
		list = append(list, l.t)
	}
	return list
}

// ByteLeaf is a scalar of a type, and where it is in bytes.
type ByteLeaf struct {
	Offset int
	Type   ir.Type
}

// ByteLeaves returns the scalars of a type, in the order of Leaves.
func ByteLeaves(t *tree.Type) (list []ByteLeaf) {
	s := &shapes{leavesOf: map[*tree.Type][]leaf{}}
	for _, l := range s.leaves(t) {
		list = append(list, ByteLeaf{l.off, l.t})
	}
	return list
}

// Step goes from a type into an element, "3", or a member, ".x", and returns the byte where that is.
func Step(t *tree.Type, name string) (at int, part *tree.Type, ok bool) {
	s := &shapes{leavesOf: map[*tree.Type][]leaf{}}
	member, isMember := strings.CutPrefix(name, ".")
	switch {
	case t.Kind == tree.Array && !isMember:
		i, err := strconv.Atoi(name)
		return i * s.size(t.Elem), t.Elem, err == nil && i >= 0 && int64(i) < t.Len
	case (t.Kind == tree.Struct || t.Kind == tree.Union) && isMember:
		i := slices.IndexFunc(t.Record.Fields, func(f tree.Field) bool { return f.Name == member })
		if i < 0 {
			return 0, nil, false
		}
		return s.member(t, i), t.Record.Fields[i].Type, true
	case t.Kind == tree.Vector && isMember:
		i := strings.Index("xyzw", member)
		if len(member) == 2 && (member[0] == 's' || member[0] == 'S') {
			n, err := strconv.ParseInt(member[1:], 16, 8)
			if err != nil {
				return 0, nil, false
			}
			i = int(n)
		}
		return i * s.size(t.Elem), t.Elem, i >= 0 && int64(i) < t.Len
	}
	return 0, nil, false
}
