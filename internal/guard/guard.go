// Package guard starts goroutines. A panic in one that nobody recovers ends the
// process as Go sees fit, which a caller takes for the verdict of some exit code;
// one that was started here is told like any other internal error.
package guard

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Crashed is told of a panic in a goroutine, by its name, and does not return. Set
// it before any is started.
var Crashed = func(name string, cause any, stack []byte) {
	panic(fmt.Sprintf("%s: %v\n\n%s", name, cause, stack))
}

// Fault, if set, is called in each goroutine as it starts. Tests let it panic.
var Fault func(name string)

// Go runs f in a goroutine of a name that says what it is for.
func Go(name string, f func()) { go run(name, f) }

// Group is a sync.WaitGroup of such goroutines.
type Group struct{ wait sync.WaitGroup }

// Go runs f in a goroutine of the group.
func (g *Group) Go(name string, f func()) { g.wait.Go(func() { run(name, f) }) }

// Wait waits until all of the group have ended.
func (g *Group) Wait() { g.wait.Wait() }

func run(name string, f func()) {
	debug.SetPanicOnFault(true) // in memory that is mapped: it holds for this goroutine alone
	defer func() {
		if cause := recover(); cause != nil {
			Crashed(name, cause, debug.Stack())
		}
	}()
	if Fault != nil {
		Fault(name)
	}
	f()
}
