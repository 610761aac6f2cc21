package disk

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks what a store on a failing disk rests on, and sees tests fail.
func TestMutants(t *testing.T) { mutant.TryTests(t, mutants) }

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"what was given up is left out", "store/disk/mend.go",
		"	if len(kept) < len(all) {\n", "	if false {\n", "^TestGivenUp$"},
	{"only what was given up is left out", "store/disk/mend.go",
		"!slices.Contains(givenUp, x.Id) || !slices.Contains(gone, x.Id)", "false", "^TestGivenUp$"},
	{"the numbers of what was given up may be used again", "store/disk/mend.go",
		"	return os.Remove(filepath.Join(d.dir, givenUpName)) // their numbers may be used again\n", "	return nil\n", "^TestGivenUp$"},
	{"large files are not read", "store/disk/mend.go",
		"info.Size() > most:", "false:", "^TestLargeFiles$"},
	{"a store is opened where there is room for compactions", "store/disk/open.go",
		" + d.compactions()\n", "\n", "^TestRoomForCompactions$"},
	{"what logs hold is compacted, too", "store/disk/space.go",
		"levels[0].tables+len(logs) < compactAt", "levels[0].tables+0*len(logs) < compactAt", "^TestCompactions$"},
	{"the first level below is written anew", "store/disk/space.go",
		"			moving = levels[0].bytes + l.bytes\n", "			moving = levels[0].bytes\n", "^TestCompactions$"},
})
