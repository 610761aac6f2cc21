package clc

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// The local size of a launch that is guessed, from what the text of the kernel says.

// mostLocal bounds the work-items of a guessed work-group.
const mostLocal = 1024

// local returns the local size: that of an attribute; or what local arrays are made for; or what local ids are compared with; or a few work-items. In
// a dimension in which the kernel does not ask which work-item it is there is one.
func (r *guessReader) local() [3]int64 {
	for _, size := range [][3]int64{r.kernel.ReqdWorkGroupSize, r.kernel.WorkGroupSizeHint} {
		if size[0] > 0 && size[0]*size[1]*size[2] <= mostLocal {
			r.fixed = true
			return size
		}
	}
	if n := r.ofSubGroups(); n > 0 {
		r.fixed = true
		return [3]int64{n * cmp.Or(r.kernel.ReqdSubGroupSize, ir.DefaultSubGroupSize), 1, 1}
	}
	if n := 2 * r.minus; n > 0 && r.minus == r.least && !r.flexible && r.dims() == 1 && n <= mostTile { // two halves
		r.fixed = true
		return [3]int64{n, 1, 1}
	}
	if size, ok := r.ofSteps(); ok {
		r.fixed = true
		return size
	}
	if size, ok := r.ofIndices(); ok {
		r.fixed = true
		return size
	}
	if size, ok := r.ofTiles(); ok {
		r.fixed = true
		return size
	}
	if size, ok := r.ofArrays(); ok && !r.flexible {
		r.fixed = true
		return size
	}
	few := map[int]int64{1: 4, 2: 2, 3: 2}[r.dims()]
	if r.least > 0 && (!r.flexible || r.forAll(r.below)) {
		r.fixed = true
		few = max(4, powerAbove(r.least-1))
	}
	if r.stretch > 0 && !r.flexible && r.dims() == 1 && r.least <= r.stretch && r.arrays == nil && r.toLocal() {
		r.fixed = true
		few = r.stretch
	}
	size := [3]int64{1, 1, 1}
	for d := range 3 {
		if r.items[d] {
			size[d] = max(few, r.high[d])
		}
	}
	if r.items[0] {
		size[0] = max(size[0], r.leastItems())
	}
	return size
}

// ofSubGroups returns how many sub-groups a group of one dimension has, or 0 if the text does not tell: as many as the number of the group is multiplied by, where that of the
// sub-group is added; or one, if work-items know their place in the sub-group alone, and have nothing in common with others.
func (r *guessReader) ofSubGroups() int64 {
	switch {
	case !r.subGroups || r.items[1] || r.items[2] || r.kernel.ReqdSubGroupSize > ir.MaxItems:
	case r.subs > 0:
		return r.subs
	case !r.beyond && !r.meets && r.arrays == nil && !r.toLocal():
		return 1
	}
	return 0
}

// ofSteps returns the local size of a kernel whose work-items share loops, in each dimension in which they are told apart.
func (r *guessReader) ofSteps() (size [3]int64, ok bool) {
	for d := range 3 {
		if r.items[d] && r.step[d] == 0 {
			return size, false
		}
		size[d] = max(r.step[d], 1)
		ok = ok || r.step[d] > 0
	}
	return size, ok && !r.flexible && size[0]*size[1]*size[2] <= mostLocal
}

// ofIndices returns the local size of a kernel of several dimensions whose local ids index local arrays as they are; or that has a sub-group for each row, where it
// asks for its place in the sub-group and for the row.
func (r *guessReader) ofIndices() (size [3]int64, ok bool) {
	size = [3]int64{1, 1, 1}
	if r.dims() < 2 || !r.items[0] {
		return size, false
	}
	if r.subGroups && r.items[1] && !r.linear {
		size[0] = cmp.Or(r.kernel.ReqdSubGroupSize, ir.DefaultSubGroupSize)
		for d := 1; d < 3; d++ {
			if r.items[d] {
				size[d] = max(2, r.high[d])
			}
		}
		return size, true
	}
	n := int64(1)
	for d := range 3 {
		if r.items[d] && r.direct[d] < 2 {
			return size, false
		}
		size[d] = max(r.direct[d], 1)
		n *= size[d]
	}
	return size, n <= mostTile
}

// forAll reports whether a local array has as many elements as a number that local ids are less than: each of these work-items has one.
func (r *guessReader) forAll(n int64) bool {
	return n >= leastRow && n <= mostTile && slices.ContainsFunc(r.arrays, func(t *tree.Type) bool { return t.Elem.Kind != tree.Array && t.Len == n })
}

// toLocal reports whether the kernel is given local memory.
func (r *guessReader) toLocal() bool {
	return slices.ContainsFunc(r.kernel.Params, func(v *tree.Var) bool { return v.Type.Kind == tree.Pointer && v.Type.To.Space == tree.Local })
}

// leastItems is how many work-items a group needs for what the kernel does with parts of it, and for two sub-groups.
func (r *guessReader) leastItems() int64 {
	n := max(r.parts, 1)
	if r.subGroups && r.kernel.ReqdSubGroupSize <= ir.MaxItems {
		n = max(n, 2*cmp.Or(r.kernel.ReqdSubGroupSize, ir.DefaultSubGroupSize))
	}
	return min(n, mostTile)
}

// ofTiles returns the local size that the numbers in indices are for: a group that has elements of its own has a work-item for each, or
// for some at a distance.
func (r *guessReader) ofTiles() (size [3]int64, ok bool) {
	size = [3]int64{1, 1, 1}
	if n := r.tile[0]; r.linear && r.items[1] && !r.items[2] && n >= 4 && n&(n-1) == 0 {
		size[1] = powerBelow(1 << (bits.Len64(uint64(n)) / 2))
		size[0] = n / size[1]
		return size, true
	}
	for d := range r.dims() {
		n := cmp.Or(r.tile[d], r.row[d])
		if d == 0 && r.each > 1 && r.tile[0] > r.each && n%r.each == 0 {
			n /= r.each
		}
		if d == 0 && r.distance > 0 && r.least == 0 && (n == 0 || n%r.distance == 0) && r.divides(r.distance) {
			n = r.distance
		}
		if n == 0 && r.items[d] {
			return size, false
		}
		if r.items[d] {
			size[d], ok = n, true
		}
	}
	n := size[0] * size[1] * size[2]
	return size, ok && n >= 4 && n <= mostTile
}

// divides reports whether the lengths of all local arrays of one dimension, of which there are some, are multiples of a number.
func (r *guessReader) divides(n int64) bool {
	for _, t := range r.arrays {
		if t.Elem.Kind != tree.Array && t.Len%n != 0 {
			return false
		}
	}
	return len(r.arrays) > 0
}

// ofArrays returns the local size that local arrays are made for: the least of their lengths, rounded down to a power of two, by dimension.
func (r *guessReader) ofArrays() (size [3]int64, ok bool) {
	size = [3]int64{1, 1, 1}
	for _, t := range r.arrays {
		var lens []int64 // from the innermost
		for ; t.Kind == tree.Array; t = t.Elem {
			lens = append([]int64{powerBelow(t.Len)}, lens...)
		}
		if r.items[1] && !r.items[2] && len(lens) == 1 { // one array for all of two dimensions
			half := powerBelow(1 << (bits.Len64(uint64(lens[0])) / 2))
			lens = []int64{half, lens[0] / half}
		}
		found := [3]int64{1, 1, 1}
		n := int64(1)
		for d := range min(3, len(lens)) {
			if r.items[d] {
				found[d] = lens[d]
				n *= lens[d]
			}
		}
		if n < 4 || n > mostLocal {
			continue // a flag, or more than there are work-items
		}
		if was := size[0] * size[1] * size[2]; !ok || n < was {
			size, ok = found, true
		}
	}
	return size, ok
}

func powerBelow(n int64) int64 { return 1 << (bits.Len64(uint64(max(n, 1))) - 1) }

func powerAbove(n int64) int64 { return 1 << bits.Len64(uint64(n)) }

func (r *guessReader) sizeText(s [3]int64) string {
	text := sizeText(s, r.dims())
	return strings.ReplaceAll(text, ", ", ",")
}
