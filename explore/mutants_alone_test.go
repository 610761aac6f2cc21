package explore

import (
	"testing"

	"github.com/clmc/clmc/explore/mutant"
)

// TestMutantsOfAlone forgets something of that by which what a unit can do alone is remembered.
func TestMutantsOfAlone(t *testing.T) {
	mutant.Try(t, aloneMutants, func(t *testing.T, m mutant.Mutant) (string, bool) {
		return m.Survives(t, "-run", "^TestAlone$", "-seeds", "400", ".")
	})
}

var aloneMutants = mutant.List([][5]string{
	{"values", "memmodel/alone.go", "		b = binary.AppendVarint(b, q.val)\n		b = append(b, bit(q.rmw)|bit(q.na)<<1)\n", "		b = append(b, bit(q.rmw)|bit(q.na)<<1)\n"},
	{"what has been modified", "memmodel/alone.go", "		b = append(b, bit(q.rmw)|bit(q.na)<<1)\n", "		b = append(b, bit(q.na)<<1)\n"},
	{"what is owed", "memmodel/alone.go", "			b = m.appendOwed(b, u, p)\n", ""},
})
