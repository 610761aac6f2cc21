package model

import (
	"regexp"
	"strings"

	"github.com/clmc/clmc/state/ir"
)

// What the text of a program tells of the values that its outcomes have.

// nth is what the name of a value ends with that is observed once more under the same name.
var nth = regexp.MustCompile(`#\d+$`)

// named tells of each place of the program that gives outcomes a value whether it is an unsigned integer of 64 bits,
// if the value may have a name.
func (m *Model) named(name string, tell func(unsigned bool)) {
	p := m.Program
	for _, f := range p.Final {
		if f.Name == name {
			tell(p.Unsigned(-1, f.Addr))
		}
	}
	label := nth.ReplaceAllString(name, "")
	for _, f := range p.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Op != ir.OpObserve {
				continue
			}
			if text := p.Strings[in.Str]; label == text || name == text || strings.HasSuffix(label, ":"+text) || strings.HasSuffix(name, ":"+text) {
				tell(p.Unsigned(in.Str, 0))
			}
		}
	}
}

// Observes reports whether some execution might have a value of that name in its outcome.
func (m *Model) Observes(name string) (some bool) {
	m.named(name, func(bool) { some = true })
	return some
}

// Unsigned reports whether values of that name are unsigned integers of 64 bits.
func (m *Model) Unsigned(name string) bool {
	some, all := false, true
	m.named(name, func(unsigned bool) { some, all = true, all && unsigned })
	return some && all
}
