package load

import (
	"go/types"
	"strings"
)

// maxDistance is the number of letters in which a name may differ from the one
// that was probably meant.
const maxDistance = 2

// suggest returns the name of the vocabulary that was probably meant by one that
// it does not have, "" if none is near. OpenCL's own spelling counts as right:
// atomic_fetch_add for AtomicFetchAdd.
func suggest(scope *types.Scope, name string) string {
	best, distance := "", maxDistance+1
	for _, known := range scope.Names() {
		if scope.Lookup(known).Exported() {
			if d := distanceOf(plainName(known), plainName(name)); d < distance {
				best, distance = known, d
			}
		}
	}
	return best
}

// plainName is a name without what OpenCL's spelling and Go's differ in.
func plainName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// distanceOf is the number of letters to be inserted, removed or replaced to
// make one word of the other (Levenshtein).
func distanceOf(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			corner, row[j+1] = row[j+1], min(corner+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
