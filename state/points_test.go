package state

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/load"
)

// However many cl.Reachable calls there are, each is reached by itself.
func TestManyPoints(t *testing.T) {
	const points = 200
	var b strings.Builder
	b.WriteString("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nfunc main() {\n	v := cl.Choose(200)\n")
	for i := range points {
		fmt.Fprintf(&b, "	if v == %d {\n		cl.Reachable(\"point %d\")\n	}\n", i, i)
	}
	b.WriteString("}\n")
	p, err := load.Source("points.go", []byte(b.String()), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMachine(p, memmodel.Specs[0])
	for _, v := range []int{0, 1, 63, 64, 65, 128, 199} {
		s := m.Initial()
		choices := m.Choices(s, 0, nil)
		i := slices.IndexFunc(choices, func(c Choice) bool { return int(c.Back) == v })
		m.Do(s, 0, choices[i])
		back := State{}
		if err := m.Decode(&back, s.Append(nil)); err != nil || !slices.Equal(back.reached, s.reached) {
			t.Errorf("%d points reached, decoded %v: %v", s.reached, back.reached, err)
		}
		before := len(m.Notes().Unreached())
		if m.Notes().Reached(s); len(m.Notes().Unreached()) != before-1 {
			t.Errorf("with %d, %d points are reached", v, before-len(m.Notes().Unreached()))
		}
	}
}

// Kernel-instances have numbers of their own, however many a search meets.
func TestManyKernels(t *testing.T) {
	p, err := load.Source("empty.go", []byte("package main\n\nfunc main() {\n}\n"), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMachine(p, memmodel.Specs[0])
	seen := map[memmodel.Place]string{}
	for i := range 70_000 {
		path := fmt.Sprint(i)
		at := memmodel.Place{Kernel: m.kernelNumber(path)}
		if other, ok := seen[at]; ok {
			t.Fatalf("the kernel-instances of commands %s and %s are both %d", other, path, at.Kernel)
		}
		seen[at] = path
	}
}
