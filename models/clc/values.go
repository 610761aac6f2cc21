package clc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/state/ir"
)

// dependence is on which data the result depends, by their names: those that decide, with where they do, and those
// that do not.
type dependence struct {
	bound map[string]string
	free  map[string]bool
}

func (d *dependence) add(name string, decides bool, reason string) {
	switch {
	case !decides && d.bound[name] == "":
		d.free[name] = true
	case decides && d.bound[name] == "":
		d.bound[name] = reason
		delete(d.free, name)
	}
}

// join lists the names of those that do not decide, and of those that do with their reasons.
func (d *dependence) join() (free, bound string) {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(d.bound)) {
		list = append(list, name+" ("+d.bound[name]+")")
	}
	return strings.Join(slices.Sorted(maps.Keys(d.free)), ", "), strings.Join(list, ", ")
}

// valuesNote says on what content of buffers and which values of arguments the result does and does not depend, or
// nothing. One search answers for all values that nothing needs: any other would have been moved about and computed with in
// the same way.
func valuesNote(p *ir.Program, needs *code.Needs, buffers []*code.Buffer) string {
	reason := func(why string, at ir.Pos) string {
		return fmt.Sprintf("%s at %s:%d", why, p.Sources[at.File].Name, at.Line)
	}
	contents := dependence{map[string]string{}, map[string]bool{}}
	for _, b := range buffers {
		if n := &needs.Buffers[b.Object()]; n.Used() && (n.Decides() || n.Read()) { // what assertions alone look at is a result, and no input
			contents.add(b.Name, n.Decides(), reason(n.Why, p.Positions[n.At]))
		}
	}
	values := dependence{map[string]string{}, map[string]bool{}}
	for _, s := range needs.Scalars {
		values.add(s.Name, s.Decides, reason(s.Why, s.At))
	}
	freeContents, boundContents := contents.join()
	freeValues, boundValues := values.join()
	return strings.TrimSpace(sentence(holdsFor, prefixed("every content of ", freeContents), prefixed("every value of ", freeValues)) +
		" " + sentence(holdsOnlyFor, prefixed("the given content of ", boundContents), prefixed("the given ", boundValues)))
}

// How the note on data begins, or its second half if that stands alone.
const (
	holdsFor     = "The result holds for "
	holdsOnlyFor = "It holds only for "
)

// OnData reports whether a note of a program says on which data the result depends: of a violation that says nothing.
func OnData(note string) bool {
	return strings.HasPrefix(note, holdsFor) || strings.HasPrefix(note, holdsOnlyFor)
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// sentence makes one of two parts, each of which may be missing.
func sentence(begin, a, b string) string {
	switch {
	case a == "" && b == "":
		return ""
	case a == "" || b == "":
		return begin + a + b + "."
	}
	return begin + a + ", and for " + b + "."
}
