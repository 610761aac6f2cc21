package clc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
)

// leastImage is the least size, in each dimension, of an image that is not given.
const leastImage = 4

// maxTexels bounds the elements of an image.
const maxTexels = 1 << 18

// imageArg makes an image: img=image[8,8], with content in braces, four numbers an element.
func (l *launcher) imageArg(x *code.Launch, r *request, v *tree.Var, what string, given bool) code.Arg {
	dims := imageDims(v.Type.Dim)
	if !given {
		if b := l.buffers[v.Name]; b != nil && len(b.Image) == dims {
			return code.Arg{Buffer: b}
		}
		var size []int
		var words []string
		for d := range dims {
			size = append(size, max(leastImage, int(x.Global[min(d, 2)])))
			words = append(words, strconv.Itoa(size[d]))
		}
		l.zeros = append(l.zeros, fmt.Sprintf("%s=image[%s]", v.Name, strings.Join(words, ",")))
		return l.newImage(v, size, nil)
	}
	hint := "write " + v.Name + "=image[" + strings.TrimSuffix(strings.Repeat("4,", dims), ",") + "], and its contents in braces"
	head, content, _ := strings.Cut(what, "{")
	sizes, ok := strings.CutPrefix(head, "image[")
	if !ok || !strings.HasSuffix(sizes, "]") || strings.Contains(what, "{") && !strings.HasSuffix(what, "}") {
		l.fault(r.at, hint, "%q does not describe an image", what)
		return code.Arg{}
	}
	var size []int
	all := 1
	for _, s := range strings.Split(strings.TrimSuffix(sizes, "]"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 || n > maxTexels/all {
			l.fault(r.at, hint, "%q is not the size of an image", s)
			return code.Arg{}
		}
		all *= n
		size = append(size, n)
	}
	if len(size) != dims {
		l.fault(r.at, hint, "%s, of type %s, has %d sizes, not %d", v.Name, v.Type, dims, len(size))
		return code.Arg{}
	}
	var cells []code.Cell
	if content = strings.TrimSuffix(content, "}"); strings.TrimSpace(content) != "" {
		cells, _ = l.list(r, v, what, l.texel(v), all)
	}
	return l.newImage(v, size, cells)
}

func (l *launcher) newImage(v *tree.Var, size []int, cells []code.Cell) code.Arg {
	n := 1
	for _, s := range size {
		n *= s
	}
	arg := l.newBuffer(v.Name, l.texel(v), n, cells)
	arg.Buffer.Image = size
	return arg
}

// imageDims returns how many sizes an image type has, arrays counted.
func imageDims(dim string) int {
	n := int(dim[0] - '0')
	if strings.Contains(dim, "array") {
		n++
	}
	return n
}

// texel is the type of the elements: that of the functions that the file calls for images, if they agree.
func (l *launcher) texel(v *tree.Var) *tree.Type {
	kinds := map[string]bool{}
	for _, f := range l.unit.Funcs {
		tree.Walk(f.Body, func(n any) {
			if c, ok := n.(*tree.BuiltinCall); ok && c.Fn.Class == tree.ImageAccess && !strings.HasPrefix(c.Fn.Name, "get") {
				kinds[c.Fn.Name[strings.Index(c.Fn.Name, "image")+len("image"):]] = true
			}
		})
	}
	elem := tree.TFloat
	switch {
	case len(kinds) == 1 && kinds["i"]:
		elem = tree.TInt
	case len(kinds) == 1 && kinds["ui"]:
		elem = tree.TUInt
	}
	return tree.VectorOf(elem, 4)
}

// samplers are the words for samplers, and what stands for them.
var samplers = map[string]int64{"none": 0, "clamp_to_edge": 2, "clamp": 4, "repeat": 6, "mirrored_repeat": 8, "normalized": 1, "nearest": 0x10, "linear": 0x20}

// defaultSampler is clamp|nearest, for integer coordinates.
const defaultSampler = 0x14

// samplerArg makes a sampler: s=clamp_to_edge|linear|normalized.
func (l *launcher) samplerArg(r *request, v *tree.Var, what string, given bool) code.Arg {
	bits := int64(0)
	if !given {
		bits = defaultSampler
		l.zeros = append(l.zeros, v.Name+"=clamp|nearest")
	}
	for _, word := range strings.Split(what, "|") {
		b, ok := samplers[strings.TrimSpace(word)]
		if !ok && given {
			l.fault(r.at, "write words such as clamp_to_edge|linear|normalized", "%q is not a property of a sampler", word)
		}
		bits |= b
	}
	return code.Arg{Cells: []code.Cell{{bits}}}
}
