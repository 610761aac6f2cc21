package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
)

// Analyses is a set of what the search relies on to explore less: each finds states or executions that need not be
// explored. The argument for each is in docs/exploration.md.
type Analyses uint16

// The analyses.
const (
	Buffering Analyses = 1 << iota // where promises can make a difference
	Symmetry                       // which units can be exchanged
	Reduction                      // which interleavings lead to the same executions
	Relaxing                       // which kernels only count, so that the order of their atomic operations makes no difference
	Messages                       // and the parts of the canonical form of states: see memmodel.Keep
	Locations
	Views
	Records
	Registers
	Releases
	Orders
	Owners

	AllAnalyses = Owners<<1 - 1
)

var analysisNames = []string{"buffering", "symmetry", "reduction", "relaxing", "messages", "locations", "views", "records", "registers", "releases", "orders", "owners"}

// AnalysisNames returns the names of all analyses.
func AnalysisNames() []string { return slices.Clone(analysisNames) }

// ParseAnalyses reads a list of analyses, separated by commas: names, or all, or none; a name after a minus is taken away.
func ParseAnalyses(text string) (set Analyses, err error) {
	for i, word := range strings.Split(text, ",") {
		name, minus := strings.CutPrefix(word, "-")
		if minus && i == 0 {
			set = AllAnalyses
		}
		var named Analyses
		switch k := slices.Index(analysisNames, name); {
		case name == "all":
			named = AllAnalyses
		case k >= 0:
			named = 1 << k
		case name != "none":
			return 0, fmt.Errorf("%q is no analysis: want all, none, or some of %s, separated by commas; -NAME leaves one out", word, strings.Join(analysisNames, ", "))
		}
		if minus {
			set &^= named
		} else {
			set |= named
		}
	}
	return set, nil
}

// String returns the names of the analyses, as ParseAnalyses reads them.
func (a Analyses) String() string {
	switch a {
	case 0:
		return "none"
	case AllAnalyses:
		return "all"
	}
	var names []string
	for k, name := range analysisNames {
		if a&(1<<k) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// without returns the options of a search that does without the analyses that Without names.
func (o Options) without() Options {
	if o.Without&Reduction != 0 {
		o.POR = por.None
	}
	o.NoSymmetry = o.NoSymmetry || o.Without&Symmetry != 0
	o.everywhere = o.everywhere || o.Without&Buffering != 0
	o.Keep |= memmodel.Keep(o.Without / Messages)
	return o
}
