package randprog

import (
	_ "embed"
	"strings"

	"github.com/clmc/clmc/state/ir"
)

//go:embed named.txt
var named string

// Named returns the hand-written litmus tests: the classic shapes, and one for
// each rule and each trap of the memory model.
func Named() []*ir.Program {
	var all []*ir.Program
	for _, text := range strings.Split(named, "\n\n")[1:] {
		p, err := Parse(text)
		if err != nil {
			panic(err)
		}
		all = append(all, p)
	}
	return all
}
