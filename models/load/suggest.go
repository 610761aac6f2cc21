package load

import (
	"go/types"
	"strings"

	"github.com/clmc/clmc/models/internal/words"
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
			if d := words.Distance(plainName(known), plainName(name)); d < distance {
				best, distance = known, d
			}
		}
	}
	return best
}

// plainName is a name without what OpenCL's spelling and Go's differ in.
func plainName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
