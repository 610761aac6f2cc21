package capture

import "fmt"

// shrink makes the sizes of a launch smaller, and the numbers that depend on them: those that are equal to one, or multiples. Local sizes stay as they are,
// for kernels rely on them.
type shrink struct {
	by     int
	global []int
	sizes  []sizeChange
	tails  []sizeChange // sizes by dimension, and the local size: a bound may be up to that much less
	said   []string
}

// sizeChange is a size that becomes another one.
type sizeChange struct{ from, to, local int }

// fewGroups is how many work-groups are left of more in a dimension.
const fewGroups = 2

// newShrink makes the global size of a launch smaller: by a factor in each dimension, as long as two work-groups are left.
func newShrink(k *launch, by int) *shrink {
	s := &shrink{by: by, global: k.Global}
	if by < 2 {
		return s
	}
	s.global = nil
	from, to, fromGroups, toGroups := 1, 1, 1, 1
	for d, n := range k.Global {
		local := 1
		if d < len(k.Local) && k.Local[d] > 0 {
			local = k.Local[d]
		}
		groups := max(n/local, 1)
		left := max(groups/by, min(fewGroups, groups))
		s.global = append(s.global, left*local+n%local)
		now := s.global[d]
		s.tails = append(s.tails, sizeChange{n, now, local})
		from, to = from*n, to*now
		fromGroups, toGroups = fromGroups*groups, toGroups*left
		if now != n {
			s.said = append(s.said, fmt.Sprintf("global size %d is %d", n, now))
		}
	}
	s.sizes = append(s.sizes, sizeChange{from: from, to: to})
	s.sizes = append(s.sizes, s.tails...)
	if len(k.Global) == 3 {
		s.sizes = append(s.sizes, sizeChange{from: k.Global[0] * k.Global[1], to: s.global[0] * s.global[1]})
	}
	s.sizes = append(s.sizes, sizeChange{from: fromGroups, to: toGroups})
	return s
}

// smallest is the least number that is taken for a size.
const smallest = 4

// exactly returns what becomes of a number that is a size, and else the number.
func (s *shrink) exactly(what string, n int) int {
	for _, c := range s.sizes {
		if n == c.from && n >= smallest {
			return s.change(what, n, c.to)
		}
	}
	return n
}

// number returns what becomes of a scalar: also of one that is a little less than a size, as a bound of work-items is, or a multiple.
func (s *shrink) number(what string, n int) int {
	if m := s.exactly(what, n); m != n {
		return m
	}
	if m := s.almost(what, n); m != n {
		return m
	}
	return s.multiple(what, n)
}

// almost returns what becomes of a number that is less than a size by less than a work-group.
func (s *shrink) almost(what string, n int) int {
	for _, c := range s.tails {
		if n < c.from && n > c.from-c.local && c.to > c.from-n {
			return s.change(what, n, c.to-(c.from-n))
		}
	}
	return n
}

// length returns what becomes of the number of elements of a buffer. One that is too long does no harm, so that multiples stay.
func (s *shrink) length(what string, n int) int {
	what = "the length of " + what
	if m := s.exactly(what, n); m != n {
		return m
	}
	return s.almost(what, n)
}

// A multiple of a size is one of up to so many times a size of at least so many.
const (
	mostTimes    = 64
	leastDivided = 16
)

func (s *shrink) multiple(what string, n int) int {
	for _, c := range s.sizes {
		if c.from >= leastDivided && n > c.from && n%c.from == 0 && n/c.from <= mostTimes {
			return s.change(what, n, n/c.from*c.to)
		}
	}
	return n
}

func (s *shrink) change(what string, from, to int) int {
	if from != to {
		s.said = append(s.said, fmt.Sprintf("%s %d is %d", what, from, to))
	}
	return to
}
