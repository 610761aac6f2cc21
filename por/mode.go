package por

import "fmt"

// Mode selects a reduction.
type Mode uint8

const (
	// DPOR tries one reader at a time, and the others only where a write of
	// what it reads, that does not depend on the reading, is met below.
	DPOR Mode = iota
	// Sleep runs what reads nothing at once, tries one reader alone where
	// nobody else can write what it reads, and keeps sleep sets.
	Sleep
	// None tries every step of every unit: the reference for the others.
	None
)

// String returns the mode's name on the command line.
func (m Mode) String() string { return [...]string{"dpor", "sleep", "none"}[m] }

// Modes lists the reductions, the default first.
func Modes() []Mode { return []Mode{DPOR, Sleep, None} }

// ParseMode is the inverse of Mode.String.
func ParseMode(s string) (Mode, error) {
	for _, m := range Modes() {
		if m.String() == s {
			return m, nil
		}
	}
	return 0, fmt.Errorf("unknown reduction %q: want dpor, sleep or none", s)
}
