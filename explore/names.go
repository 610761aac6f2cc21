package explore

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/state"
)

// Names tell the values of outcomes apart. A value has a short name and a long one, which no
// other value of its outcome has. It is listed under the short one, unless in some execution two
// values have that. A condition may always use the long one.
type Names struct {
	long   map[string][]string // by short name: the long ones, in order
	shared map[string]bool     // short names that two values of one outcome have
	// Names, short and long, of values that are unsigned integers of 64 bits.
	unsigned map[string]bool
}

// note takes note of the values of an outcome.
func (n *Names) note(values []state.Value) {
	if n.long == nil {
		n.long, n.shared, n.unsigned = map[string][]string{}, map[string]bool{}, map[string]bool{}
	}
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		if at, found := slices.BinarySearch(n.long[v.Name], v.Long); !found {
			n.long[v.Name] = slices.Insert(n.long[v.Name], at, v.Long)
		}
		if seen[v.Name] {
			n.shared[v.Name] = true
		}
		seen[v.Name] = true
		if v.Unsigned {
			n.unsigned[v.Name], n.unsigned[v.Long] = true, true
		}
	}
}

// Numbers returns an outcome as people and programs read it: its values are as their types have them.
func (n *Names) Numbers(o map[string]int64) map[string]json.Number {
	out := make(map[string]json.Number, len(o))
	for name, v := range o {
		if out[name] = json.Number(strconv.FormatInt(v, 10)); n != nil && n.unsigned[name] {
			out[name] = json.Number(strconv.FormatUint(uint64(v), 10))
		}
	}
	return out
}

// Text returns an outcome as a text, like OutcomeKey, which tells outcomes apart, with values as their types have them.
func (n *Names) Text(o map[string]int64) string { return TextOf(n.Numbers(o)) }

// TextOf returns the text of an outcome whose numbers are given.
func TextOf(o map[string]json.Number) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		words = append(words, name+"="+string(o[name]))
	}
	return strings.Join(words, " ")
}

// Bits returns the values of an outcome whose numbers are given.
func Bits(o map[string]json.Number) map[string]int64 {
	out := make(map[string]int64, len(o))
	for name, v := range o {
		bits, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			large, _ := strconv.ParseUint(string(v), 10, 64)
			bits = int64(large)
		}
		out[name] = bits
	}
	return out
}

// NamesOf returns what is known of the names of an outcome whose numbers are given: Numbers undoes Bits with them.
func NamesOf(o map[string]json.Number) *Names {
	n := &Names{unsigned: map[string]bool{}}
	for name, v := range o {
		if _, err := strconv.ParseInt(string(v), 10, 64); err != nil {
			n.unsigned[name] = true
		}
	}
	return n
}

// of returns the name under which a value is listed.
func (n *Names) of(v state.Value) string {
	if n.shared[v.Name] {
		return v.Long
	}
	return v.Name
}

// Listed gives the values of an outcome the names under which they are listed.
func (n *Names) Listed(values []state.Value) map[string]int64 {
	o := make(map[string]int64, len(values))
	for _, v := range values {
		o[n.of(v)] = v.Value
	}
	return o
}

// Value returns what a name stands for in an outcome: a long one, or a short one that does not
// stand for several values.
func (n *Names) Value(values []state.Value, name string) (int64, bool) {
	for _, v := range values {
		if name == v.Long && v.Long != "" || name == n.of(v) {
			return v.Value, true
		}
	}
	return 0, false
}

// Of returns the long names of the values that a name stands for: none if no execution has shown
// such a value, and several if the name tells too little.
func (n *Names) Of(name string) []string {
	if long, ok := n.long[name]; ok {
		if !n.shared[name] {
			return []string{name}
		}
		return long
	}
	for _, long := range n.long {
		if slices.Contains(long, name) {
			return []string{name}
		}
	}
	return nil
}

// All returns the names under which values are listed, in order.
func (n *Names) All() []string {
	all := map[string]bool{}
	for short, long := range n.long {
		if !n.shared[short] {
			long = []string{short}
		}
		for _, name := range long {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// outcomeSet holds the outcomes that a search has come to, by Machine.OutcomeKey, and the names of their values.
type outcomeSet struct {
	values map[string][]state.Value // by key
	names  *Names                   // short where no two are called the same
}

func newOutcomes() outcomeSet { return outcomeSet{map[string][]state.Value{}, &Names{}} }

func (o *outcomeSet) has(key []byte) bool {
	_, ok := o.values[string(key)]
	return ok
}

func (o *outcomeSet) add(key string, values []state.Value) {
	o.values[key] = values
	o.names.note(values)
}
