package gen

import (
	"iter"
	"strings"
)

// Systematic yields every combination of a shape, a style for each thread
// (uniform where there are more than two), a scope, a placement, regions and,
// where there are fences or barriers, their flags. The order is fixed.
func Systematic() iter.Seq[Test] {
	return func(yield func(Test) bool) {
		for _, s := range shapes {
			for c := range s.combinations() {
				if !yield(c.test()) {
					return
				}
			}
		}
	}
}

// combination is a shape and everything else that makes it a test.
type combination struct {
	shape     shape
	styles    []style // of each thread
	scope     string
	placement string
	regions   string // of each location
	flags     string // of fences and barriers; empty when there are none
}

// combinations yields those of a shape that make sense.
func (s shape) combinations() iter.Seq[combination] {
	return func(yield func(combination) bool) {
		n := len(s.parse())
		locs, _ := s.locations()
		for _, styles := range s.styleChoices(n) {
			for _, scope := range []string{"wg", "dev", "all"} {
				for _, placement := range placements(n) {
					for _, regions := range regionChoices(len(locs)) {
						for _, flags := range s.flagChoices(styles) {
							c := combination{s, styles, scope, placement, regions, flags}
							if c.sensible() && !yield(c) {
								return
							}
						}
					}
				}
			}
		}
	}
}

// styleChoices returns the styles of n threads.
func (s shape) styleChoices(n int) [][]style {
	var list [][]style
	if !s.hasOrders() {
		return [][]style{make([]style, n)}
	}
	for _, first := range styles {
		for _, second := range styles {
			switch {
			case n == 2:
				list = append(list, []style{first, second})
			case first.name == second.name:
				uniform := make([]style, n)
				for i := range uniform {
					uniform[i] = first
				}
				list = append(list, uniform)
			}
		}
	}
	return list
}

// placements returns where n threads may be, as scopeTree reads it: in one
// work-group, the first two together, in work-groups or on devices of their own.
func placements(n int) []string {
	letters := strings.Split("abcd"[:n], "")
	list := []string{strings.Join(letters, "")}
	if n > 2 {
		list = append(list, "ab,"+strings.Join(letters[2:], ","), "ab/"+strings.Join(letters[2:], "/"))
	}
	if n > 1 {
		list = append(list, strings.Join(letters, ","), strings.Join(letters, "/"))
	}
	return list
}

// regionChoices returns the regions of n locations: uniform ones, and those
// where one location differs.
func regionChoices(n int) []string {
	list := []string{strings.Repeat("g", n), strings.Repeat("l", n), strings.Repeat("f", n)}
	for i := range n {
		if n > 1 {
			mixed := []byte(strings.Repeat("g", n))
			mixed[i] = 'l'
			list = append(list, string(mixed))
		}
	}
	return list
}

// flagChoices returns the flags for fences and barriers, if there are any.
func (s shape) flagChoices(styles []style) []string {
	used := s.hasBarrier()
	for i, list := range s.parse() {
		used = used || styles[i].fence != "" && len(list) > 1
	}
	if used {
		return []string{"L", "G", "LG"}
	}
	return []string{""}
}

// sensible leaves out local memory seen from several work-groups, barriers
// that others cannot reach, and fine-grained memory without its scope.
func (c combination) sensible() bool {
	together := !strings.ContainsAny(c.placement, ",/")
	switch {
	case strings.Contains(c.regions, "l") && !together:
		return false
	case c.shape.hasBarrier() && !strings.HasPrefix(c.placement, "ab"):
		return false
	case strings.Contains(c.regions, "f") && c.scope != "all":
		return false
	case strings.Contains(c.placement, "/") && c.scope != "all":
		return false
	}
	return true
}

// test writes the combination out.
func (c combination) test() Test {
	names, plain := c.shape.locations()
	p := &program{name: c.name(), tree: scopeTree(c.placement), condition: c.shape.condition}
	for i, name := range names {
		p.locs = append(p.locs, location{name: name, region: regionNames[c.regions[i]], atomic: !plain[name]})
	}
	for i, list := range c.shape.parse() {
		s := surroundings{c.styles[i], scopeNames[c.scope], flagNames[c.flags]}
		p.threads = append(p.threads, s.thread(list))
	}
	return p.test()
}

// name joins what the combination consists of.
func (c combination) name() string {
	parts := []string{c.shape.name}
	if c.shape.hasOrders() {
		var list []string
		for _, s := range c.styles {
			list = append(list, s.name)
		}
		parts = append(parts, strings.Join(list, "."))
	}
	parts = append(parts, c.scope, c.placement, c.regions)
	if c.flags != "" {
		parts = append(parts, c.flags)
	}
	return strings.Join(parts, "+")
}
