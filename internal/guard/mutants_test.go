package guard

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks, in one way after the other, what ends a wait.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", m.Tell, "-timeout", "1m", ".")
	})
}

// Each mutant breaks something that is there.
func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

var mutants = mutant.List([][5]string{
	{"what nobody waits for is begun", "internal/guard/await.go",
		"	if ctx.Err() != nil {\n		return *new(T), Left(ctx)\n", "	if false {\n		return *new(T), Left(ctx)\n", "^TestAwait$"},
	{"it is waited for what takes long", "internal/guard/await.go",
		"	case <-ctx.Done():\n", "	case <-(chan int)(nil):\n", "^TestAwait$"},
	{"a limit is taken for an interrupt", "internal/guard/await.go",
		"errors.Is(ctx.Err(), context.DeadlineExceeded)", "false", "^TestAwait$"},
	{"what takes too much memory is waited for", "internal/guard/await.go",
		"			if memory.over(1) {\n", "			if false {\n", "^TestAwaitMemory$"},
	{"garbage counts as memory in use", "internal/guard/memory.go",
		"	return g.more(living) >= most\n", "	return true\n", "^TestAwaitMemory$"},
	{"who is given up for want of time is not told", "internal/guard/await.go",
		"		case <-ctx.Done():\n			spent.Store(true)\n", "		case <-ctx.Done():\n", "^TestAnalyse$"},
	{"who is given up for want of memory is not told", "internal/guard/await.go",
		"			if memory.over(1) {\n				spent.Store(true)\n", "			if memory.over(1) {\n", "^TestAnalyse$"},
	{"a search goes on with more memory than it may have", "internal/guard/memory.go",
		"				if memory.over(1) {\n					cancel(", "				if memory == nil {\n					cancel(", "^TestWithin$"},
	{"want of memory is taken for an interrupt", "internal/guard/await.go",
		" || errors.Is(cause, ErrMemory) {", " {", "^TestWithin$"},
	{"what was garbage at first counts as memory in use then", "internal/guard/memory.go",
		"	g.from = min(g.from, now)\n", "", "^Test(AwaitMemory|Analyse|Within)$"},
	{"a panic is lost", "internal/guard/await.go",
		"		if r.crash != nil {\n", "		if false {\n", "^TestAwait$"},
})
