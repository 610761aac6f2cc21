package gen

import "strings"

// shape is a pattern of accesses. Threads are separated by |. Wx1 writes 1 to
// x, Rx reads x, B is a barrier; a star marks a plain access, and a question
// mark one that is made only if the thread's last read returned 1.
type shape struct {
	name    string
	threads string
	// condition is the outcome of interest. Reads set r0, r1, ... of their thread.
	condition string
}

// shapes lists the patterns; the names are those of the literature.
var shapes = []shape{
	{"CoRR", "Wx1 | Rx Rx", `1:r0=1 /\ 1:r1=0`},
	{"CoWW", "Wx1 Wx2", `x=1`},
	{"CoRW1", "Rx Wx1", `0:r0=1`},
	{"CoRW", "Rx Wx1 | Wx2", `0:r0=2 /\ x=2`},
	{"CoWR", "Wx1 Rx | Wx2", `0:r0=2 /\ x=1`},
	{"CoRR2", "Wx1 | Wx2 | Rx Rx | Rx Rx", `2:r0=1 /\ 2:r1=2 /\ 3:r0=2 /\ 3:r1=1`},
	{"MP", "Wx1 Wy1 | Ry Rx", `1:r0=1 /\ 1:r1=0`},
	{"SB", "Wx1 Ry | Wy1 Rx", `0:r0=0 /\ 1:r0=0`},
	{"LB", "Rx Wy1 | Ry Wx1", `0:r0=1 /\ 1:r0=1`},
	{"S", "Wx2 Wy1 | Ry Wx1", `1:r0=1 /\ x=2`},
	{"R", "Wx1 Wy1 | Wy2 Rx", `y=2 /\ 1:r0=0`},
	{"2+2W", "Wx1 Wy2 | Wy1 Wx2", `x=1 /\ y=1`},
	{"MPg", "Wx1* Wy1 | Ry ?Rx*", `1:r0=1 /\ 1:r1=0`},
	{"WRC", "Wx1 | Rx Wy1 | Ry Rx", `1:r0=1 /\ 2:r0=1 /\ 2:r1=0`},
	{"WWC", "Wx2 | Rx Wy1 | Ry Wx1", `1:r0=2 /\ 2:r0=1 /\ x=2`},
	{"RWC", "Wx1 | Rx Ry | Wy1 Rx", `1:r0=1 /\ 1:r1=0 /\ 2:r0=0`},
	{"WRW+WR", "Wx1 | Rx Wy1 | Wy2 Rx", `1:r0=1 /\ y=2 /\ 2:r0=0`},
	{"WRR+2W", "Wx2 | Rx Ry | Wy1 Wx1", `1:r0=2 /\ 1:r1=0 /\ x=2`},
	{"WRW+2W", "Wx2 | Rx Wy1 | Wy2 Wx1", `1:r0=2 /\ x=2 /\ y=2`},
	{"ISA2", "Wx1 Wy1 | Ry Wz1 | Rz Rx", `1:r0=1 /\ 2:r0=1 /\ 2:r1=0`},
	{"ISA2g", "Wx1* Wy1 | Ry ?Wz1 | Rz ?Rx*", `1:r0=1 /\ 2:r0=1 /\ 2:r1=0`},
	{"Z6.3", "Wx1 Wy1 | Wy2 Wz1 | Rz Rx", `y=2 /\ 2:r0=1 /\ 2:r1=0`},
	{"W+RWC", "Wx1 Wy1 | Ry Rz | Wz1 Rx", `1:r0=1 /\ 1:r1=0 /\ 2:r0=0`},
	{"3.SB", "Wx1 Ry | Wy1 Rz | Wz1 Rx", `0:r0=0 /\ 1:r0=0 /\ 2:r0=0`},
	{"3.LB", "Rx Wy1 | Ry Wz1 | Rz Wx1", `0:r0=1 /\ 1:r0=1 /\ 2:r0=1`},
	{"3.2W", "Wx1 Wy2 | Wy1 Wz2 | Wz1 Wx2", `x=1 /\ y=1 /\ z=1`},
	{"IRIW", "Wx1 | Wy1 | Rx Ry | Ry Rx", `2:r0=1 /\ 2:r1=0 /\ 3:r0=1 /\ 3:r1=0`},
	{"BMP", "Wx1* B | B Rx*", `1:r0=0`},
	{"BSB", "Wx1* B Ry* | Wy1* B Rx*", `0:r0=0 /\ 1:r0=0`},
	{"Bcum", "Wx1* B | B Wy1 | Ry ?Rx*", `2:r0=1 /\ 2:r1=0`},
	{"Bown", "Wx1* B Wy1 | B | Ry ?Rx*", `2:r0=1 /\ 2:r1=0`},
}

// access is one element of a thread of a shape.
type access struct {
	kind    byte // W, R or B
	loc     string
	value   string // written
	plain   bool
	guarded bool
}

// parse returns the accesses of each thread.
func (s shape) parse() [][]access {
	var threads [][]access
	for _, text := range strings.Split(s.threads, "|") {
		var list []access
		for _, word := range strings.Fields(text) {
			var a access
			word, a.guarded = strings.CutPrefix(word, "?")
			word, a.plain = strings.CutSuffix(word, "*")
			a.kind = word[0]
			if a.kind != 'B' {
				a.loc, a.value = word[1:2], word[2:]
			}
			list = append(list, a)
		}
		threads = append(threads, list)
	}
	return threads
}

// locations returns the locations of a shape in order of their names, and
// which of them are only accessed plainly.
func (s shape) locations() (names []string, plain map[string]bool) {
	plain = map[string]bool{}
	for _, name := range []string{"x", "y", "z"} {
		used, atomic := false, false
		for _, t := range s.parse() {
			for _, a := range t {
				used = used || a.loc == name
				atomic = atomic || a.loc == name && !a.plain
			}
		}
		if used {
			names = append(names, name)
			plain[name] = !atomic
		}
	}
	return names, plain
}

func (s shape) hasBarrier() bool { return strings.Contains(s.threads, "B") }

// hasOrders reports whether some thread makes an access that styles apply to.
func (s shape) hasOrders() bool {
	_, plain := s.locations()
	for _, p := range plain {
		if !p {
			return true
		}
	}
	return false
}
