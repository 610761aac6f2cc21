package checks

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks, one after the other, what keeps a trouble of the system's
// from costing a search, and sees tests fail.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestGoOn|TestGone|TestNight.*|TestPrune|TestTroubles|TestMove|TestSecond|TestInterruptedCreate)$", ".", "../../../../store/disk")
	})
}

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"what Badger hands on as text is known", "store/disk/errors.go",
		"			if strings.HasSuffix(line, text) {\n", "			if strings.HasSuffix(line, text) && false {\n"},
	{"what the system says is no damage", "store/disk/errors.go",
		"	case known && !ownErrnos[cause]:\n", "	case known && full(cause):\n"},
	{"what is missing is damage", "store/disk/errors.go",
		"	case known && !ownErrnos[cause]:\n", "	case known:\n"},
	{"a database that another has is in use", "store/disk/errors.go",
		"	case known && cause == lockedErrno:\n", "	case false && cause == lockedErrno:\n"},
	{"a full disk is known as one", "store/disk/errors.go",
		"	case full(err):\n", "	case full(err) && false:\n"},
	{"a store that is in use is not moved", "store/disk/open.go",
		"	l, err := acquire(dir)\n	if err != nil {\n		return err\n	}\n	defer l.release()\n	if err := os.Rename(", "	if err := os.Rename("},
	{"only a search that is lost begins again", "cmd/clmc/internal/checks/searches.go",
		"	case !lost(err):\n", "	case err == nil:\n"},
	{"a search of another format is lost", "cmd/clmc/internal/checks/searches.go",
		" || errors.Is(err, store.ErrFormat)", ""},
	{"what is lost is moved, not removed", "cmd/clmc/internal/checks/searches.go",
		"	aside, moveErr := SetAside(dir)\n", "	aside, moveErr := dir, disk.Remove(dir)\n"},
	{"a search that another run has is unfinished", "cmd/clmc/internal/checks/searches.go",
		" || errors.Is(err, store.ErrInUse)", ""},
	{"a search that another run has ended begins anew", "cmd/clmc/internal/checks/searches.go",
		"	case errors.Is(err, store.ErrNone) && !disk.Exists(dir):", "	case false: //"},
	{"what was moved aside goes when it is old", "cmd/clmc/internal/checks/prune.go",
		"(aside || !inUse[key])", "(aside && false || !inUse[key])"},
	{"a search that takes long goes on in the store", "cmd/clmc/internal/checks/night.go",
		"|| !keep || !r.Paused ||", "|| !keep || r.Paused ||"},
	{"a check that panics is alone in it", "cmd/clmc/internal/checks/night.go",
		"			j.fail(n.Desk.Crashed(j, p, debug.Stack()))\n", "			n.Desk.Crashed(j, p, debug.Stack())\n			panic(p)\n"},
	{"a disk that is full fails no check", "cmd/clmc/internal/checks/night.go",
		"		if Unfinished(err) {\n", "		if Unfinished(err) && false {\n"},
})
