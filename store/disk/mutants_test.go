package disk

import (
	"testing"

	"github.com/clmc/clmc/explore/mutant"
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
})
