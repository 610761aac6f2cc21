package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutantsOfEstimates breaks estimates of how large a search is in one way after the other, and sees their tests fail.
func TestMutantsOfEstimates(t *testing.T) {
	mutant.Try(t, estimateMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestEstimate.*)$", ".")
	})
}

var estimateMutants = mutant.List([][5]string{
	{"estimates: children after the first are smaller", "explore/estimate.go",
		"	return min(y*math.Pow(size/x, max(0, min(power, 1))), size)\n", "	return max(y*math.Pow(size/x, max(0, min(power, 1))), size)\n", ""},
	{"estimates: a state may have more children in the end than at first", "explore/estimate.go",
		"			return l.Begun / l.Known\n", "			return 1\n", ""},
	{"estimates: what earlier runs have stored is there", "explore/estimate.go",
		"		total += float64(e.Path[0].Began) // in earlier runs\n", "		total += 0\n", ""},
	{"estimates: the range is wider than what was guessed", "explore/estimate.go",
		"		High:   whole(max(margin*high, now.States)),\n", "		High:   whole(max(low/margin, now.States)),\n", ""},
})
