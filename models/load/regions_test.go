package load_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/load"
	"github.com/clmc/clmc/state"
)

// This file compares commands on regions of buffers, sub-buffers and images with a definition that works
// element by element: which elements each command reads and writes (API 5.2.2, 5.3.3, 5.3.4), that two
// commands which nothing orders race if one writes what the other touches (rule 9.1), and what is in memory if they do not.

// lengths are the sizes of the memory that the commands work on; img is an image of 4 by 5.
var lengths = map[string]int{"a": 40, "b": 40, "h": 40, "img": 20}

const imageWidth = 4

// regionCommand is a command: what it writes where, from element to element, or from nothing.
type regionCommand struct {
	text     string // the call, up to its options
	src, dst string // src is "" if it fills
	from, to []int  // the elements, in order
	fill     int
}

// region is a part of memory seen as having three dimensions.
type region struct {
	origin     [3]int
	row, slice int // pitches as they are written: 0 is that of a region without gaps
}

// elements lists what the region is made of, as the API defines it.
func (r region) elements(size [3]int) (list []int) {
	row, slice := r.row, r.slice
	if row == 0 {
		row = size[0]
	}
	if slice == 0 {
		slice = size[1] * row
	}
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				list = append(list, (r.origin[2]+z)*slice+(r.origin[1]+y)*row+r.origin[0]+x)
			}
		}
	}
	return list
}

func triple(v [3]int) string { return fmt.Sprintf("[3]int{%d, %d, %d}", v[0], v[1], v[2]) }

// drawRegion draws a place for a region of a size within a length.
func drawRegion(rng *rand.Rand, size [3]int, length int) region {
	for {
		r := region{origin: [3]int{rng.IntN(3), rng.IntN(3), rng.IntN(2)}}
		if rng.IntN(2) == 0 {
			r.row = size[0] + rng.IntN(3)
		}
		if row := max(r.row, size[0]); rng.IntN(2) == 0 {
			r.slice = row * (size[1] + rng.IntN(2))
		}
		if all := r.elements(size); all[len(all)-1] < length {
			return r
		}
	}
}

// drawTexels draws a region of the image.
func drawTexels(rng *rand.Rand) (r region, size [3]int) {
	size = [3]int{1 + rng.IntN(3), 1 + rng.IntN(3), 1}
	return region{origin: [3]int{rng.IntN(imageWidth - size[0] + 1), rng.IntN(5 - size[1] + 1), 0}, row: imageWidth}, size
}

func drawCommand(rng *rand.Rand, fill int) regionCommand {
	size := [3]int{1 + rng.IntN(3), 1 + rng.IntN(2), 1 + rng.IntN(2)}
	other := []string{"a", "b"}[rng.IntN(2)]
	switch kind := rng.IntN(9); kind {
	case 0, 1, 2: // to the host, from the host, between buffers
		name := [...]string{"EnqueueReadBufferRect", "EnqueueWriteBufferRect", "EnqueueCopyBufferRect"}[kind]
		p, q := other, "h"
		if kind == 2 {
			q = map[string]string{"a": "b", "b": "a"}[p]
		}
		r, s := drawRegion(rng, size, lengths[p]), drawRegion(rng, size, lengths[q])
		c := regionCommand{src: p, from: r.elements(size), dst: q, to: s.elements(size)}
		if kind == 1 {
			c = regionCommand{src: q, from: c.to, dst: p, to: c.from}
		}
		c.text = fmt.Sprintf("cl.%s(%s[:], cl.CLNonBlocking, %s, %s, %s, %d, %d, %d, %d, %s[:]", name, p, triple(r.origin), triple(s.origin), triple(size), r.row, r.slice, s.row, s.slice, q)
		if kind == 2 {
			c.text = fmt.Sprintf("cl.%s(%s[:], %s[:], %s, %s, %s, %d, %d, %d, %d", name, p, q, triple(r.origin), triple(s.origin), triple(size), r.row, r.slice, s.row, s.slice)
		}
		return c
	case 3: // a part of a sub-buffer
		at, n := rng.IntN(20), 8+rng.IntN(8)
		off, count := rng.IntN(4), 1+rng.IntN(4)
		return regionCommand{text: fmt.Sprintf("cl.EnqueueFillBuffer(cl.CreateSubBuffer(%s[:], %d, %d), %d, %d, %d", other, at, n, fill, off, count),
			dst: other, to: region{origin: [3]int{at + off}}.elements([3]int{count, 1, 1}), fill: fill}
	case 4:
		r, size := drawTexels(rng)
		return regionCommand{text: fmt.Sprintf("cl.EnqueueFillImage(img, %d, %s, %s", fill, triple(r.origin), triple(size)), dst: "img", to: r.elements(size), fill: fill}
	case 5, 6:
		r, size := drawTexels(rng)
		pitch := 0
		if rng.IntN(2) == 0 {
			pitch = size[0] + rng.IntN(3)
		}
		host := region{row: pitch}.elements(size)
		if kind == 5 {
			return regionCommand{text: fmt.Sprintf("cl.EnqueueReadImage(img, cl.CLNonBlocking, %s, %s, %d, 0, h[:]", triple(r.origin), triple(size), pitch), src: "img", from: r.elements(size), dst: "h", to: host}
		}
		return regionCommand{text: fmt.Sprintf("cl.EnqueueWriteImage(img, cl.CLNonBlocking, %s, %s, %d, 0, h[:]", triple(r.origin), triple(size), pitch), src: "h", from: host, dst: "img", to: r.elements(size)}
	}
	r, size := drawTexels(rng)
	off := rng.IntN(20)
	flat := region{origin: [3]int{off}}.elements([3]int{size[0] * size[1], 1, 1})
	if rng.IntN(2) == 0 {
		return regionCommand{text: fmt.Sprintf("cl.EnqueueCopyImageToBuffer(img, %s[:], %s, %s, %d", other, triple(r.origin), triple(size), off), src: "img", from: r.elements(size), dst: other, to: flat}
	}
	return regionCommand{text: fmt.Sprintf("cl.EnqueueCopyBufferToImage(%s[:], img, %d, %s, %s", other, off, triple(r.origin), triple(size)), src: other, from: flat, dst: "img", to: r.elements(size)}
}

// clash reports whether one of two commands writes what the other touches.
func (c regionCommand) clash(d regionCommand) bool {
	meet := func(p string, x []int, q string, y []int) bool {
		seen := map[int]bool{}
		for _, i := range x {
			seen[i] = true
		}
		for _, i := range y {
			if p == q && seen[i] {
				return true
			}
		}
		return false
	}
	return meet(c.dst, c.to, d.dst, d.to) || meet(c.dst, c.to, d.src, d.from) || meet(d.dst, d.to, c.src, c.from)
}

// perform does what the command does.
func (c regionCommand) perform(memory map[string][]int) {
	for i, to := range c.to {
		v := c.fill
		if c.src != "" {
			v = memory[c.src][c.from[i]]
		}
		memory[c.dst][to] = v
	}
}

func TestRegions(t *testing.T) {
	races := 0
	programs := thorough.Of(100, 250)
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 0x7265)) // the same on all days
		c, d := drawCommand(rng, 7), drawCommand(rng, 8)
		ordered := rng.IntN(4) == 0
		memory := map[string][]int{}
		var b strings.Builder
		b.WriteString("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\nvar a, b, h [40]int32\nvar see [20]int32\nvar img = cl.NewImage2D[int32](4, 5)\n\nfunc main() {\n\tq := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)\n")
		for k, name := range []string{"a", "b", "h", "img"} {
			for i := range lengths[name] {
				v := 100*(k+1) + i
				if name == "img" {
					v = 0
				}
				memory[name] = append(memory[name], v)
			}
			if name != "img" {
				fmt.Fprintf(&b, "\tfor i := range int32(40) {\n\t\t%s[i] = %d + i\n\t}\n", name, 100*(k+1))
			}
		}
		wait := ""
		if ordered {
			wait = ", cl.EventWaitList(e)"
		}
		fmt.Fprintf(&b, "\te := %s, cl.OnQueue(q))\n\t%s, cl.OnQueue(q)%s)\n\tcl.WaitForEvents(e)\n\tcl.Finish(q)\n", c.text, d.text, wait)
		c.perform(memory)
		d.perform(memory)
		b.WriteString("\tcl.EnqueueReadImage(img, cl.CLBlocking, [3]int{}, [3]int{4, 5, 1}, 0, 0, see[:])\n")
		for name, as := range map[string]string{"a": "a", "b": "b", "h": "h", "img": "see"} {
			for i, v := range memory[name] {
				fmt.Fprintf(&b, "\tcl.Assert(%s[%d] == %d, \"%s[%d]\")\n", as, i, v, name, i)
			}
		}
		b.WriteString("}\n")
		p, err := load.Source("m.go", []byte(b.String()), load.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, b.String())
		}
		want := !ordered && c.clash(d)
		if want {
			races++
		}
		r := explore.Run(context.Background(), p, explore.Options{})
		if r.Has(state.DataRace) != want || !want && r.Verdict != explore.Verified {
			t.Errorf("seed %d: %v %v, want a race: %v\n%s\n%s", seed, r.Verdict, r.Violations, want, c.text, d.text)
		}
	}
	if races < programs/10 || races > programs*9/10 {
		t.Errorf("%d of %d programs race", races, programs)
	}
}
