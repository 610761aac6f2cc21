package clc

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/state/ir"
)

// dataOf lists the data that a program is given, with what depends on them. What is given several times, to several launches
// or as the scalars of a vector, is listed once, and decides if it does so once.
func dataOf(p *ir.Program, needs *code.Needs, buffers []*code.Buffer) (list []ir.Datum) {
	add := func(d ir.Datum) {
		i := slices.IndexFunc(list, func(o ir.Datum) bool { return o.Name == d.Name && o.Scalar == d.Scalar })
		switch {
		case i < 0:
			list = append(list, d)
			return
		case !list[i].Decides && d.Decides:
			list[i].Decides, list[i].Why, list[i].At = true, d.Why, d.At
		}
		list[i].Addresses = list[i].Addresses || d.Addresses
		if list[i].Value != d.Value {
			list[i].Value = ""
		}
	}
	for _, b := range buffers {
		if n := &needs.Buffers[b.Object()]; n.Used() && (n.Decides() || n.Read()) { // what assertions alone look at is a result, and no input
			add(ir.Datum{Name: b.Name, Decides: n.Decides(), Addresses: n.Addresses(), Why: n.Why, At: p.Positions[n.At]})
		}
	}
	seen := map[string]int{}
	for i := range needs.Scalars {
		s := &needs.Scalars[i]
		d := ir.Datum{Name: s.Name, Scalar: true, Decides: s.Decides, Addresses: s.Addresses, Why: s.Why, At: s.At}
		if seen[s.Name]++; len(s.Values) == 1 {
			d.Value = Numeral(s.Type, s.Values[0])
		}
		add(d)
	}
	slices.SortFunc(list, func(a, b ir.Datum) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(index(a.Scalar), index(b.Scalar)))
	})
	for i := range list {
		if list[i].Scalar && seen[list[i].Name] > 1 { // a vector, or several launches: no single number
			list[i].Value = ""
		}
	}
	return list
}

// Numeral writes a value of a scalar type.
func Numeral(t ir.Type, v int64) string {
	switch {
	case t.Float():
		return strconv.FormatFloat(t.Number(v), 'g', -1, 64)
	case t == ir.U64:
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}

// ValuesNote says on what content of buffers and which values of arguments the result does and does not depend, or
// nothing. One search answers for all values that nothing needs: any other would have been moved about and computed with in
// the same way.
func ValuesNote(p *ir.Program) string {
	var names [2][2][]string // by Scalar and Decides
	for i := range p.Data {
		d := &p.Data[i]
		text := d.Name
		if d.Decides {
			text = fmt.Sprintf("%s (%s at %s:%d)", d.Name, d.Why, p.Sources[d.At.File].Name, d.At.Line)
		}
		of := &names[index(d.Scalar)][index(d.Decides)]
		*of = append(*of, text)
	}
	part := func(scalar, decides bool, prefix string) string {
		return prefixed(prefix, strings.Join(names[index(scalar)][index(decides)], ", "))
	}
	return strings.TrimSpace(sentence(holdsFor, part(false, false, "every content of "), part(true, false, "every value of ")) +
		" " + sentence(holdsOnlyFor, part(false, true, "the given content of "), part(true, true, "the given ")))
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
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
