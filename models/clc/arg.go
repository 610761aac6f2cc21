package clc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
)

// leastBuffer is the least number of elements of a buffer that is not given.
const leastBuffer = 64

// argument makes an argument of what was asked for, which is nothing if !given.
func (l *launcher) argument(x *code.Launch, r *request, v *tree.Var, what string, given bool) code.Arg {
	t := v.Type
	if b := l.named(what); b != nil && (t.Kind == tree.Pointer || t.Kind == tree.Image || t.Kind == tree.Pipe) {
		return l.sharedArg(r, v, what, b)
	}
	switch {
	case t.Kind == tree.Pointer && t.To.Space == tree.Local:
		return l.localArg(x, r, v, what, given)
	case t.Kind == tree.Pointer:
		return l.bufferArg(x, r, v, what, given)
	case t.Kind == tree.Image:
		return l.imageArg(x, r, v, what, given)
	case t.Kind == tree.Pipe:
		return l.pipeArg(x, r, v, what, given)
	case t.Kind == tree.Sampler:
		return l.samplerArg(r, v, what, given)
	case !code.Passable(t):
		return code.Arg{} // reported when it is lowered
	case len(code.Leaves(t)) == 0: // a struct without members
		return code.Arg{}
	case !given:
		r.lacks.args = append(r.lacks.args, v)
		return code.Arg{}
	}
	if what == anyWord {
		return code.Arg{Cells: slices.Repeat([]code.Cell{code.Any}, len(code.Leaves(t)))}
	}
	return code.Arg{Cells: l.values(r, v, what)}
}

// named returns the buffer, image or pipe of an argument: that which this launch makes for it, or else that which it had
// before the launch. So a launch may exchange two.
func (l *launcher) named(argument string) *code.Buffer {
	if b := l.fresh[argument]; b != nil {
		return b
	}
	return l.before[argument]
}

// sharedArg gives an argument what another one has: in=out.
func (l *launcher) sharedArg(r *request, v *tree.Var, other string, b *code.Buffer) code.Arg {
	t := v.Type
	fits := false
	switch t.Kind {
	case tree.Pointer:
		fits = t.To.Space != tree.Local && !b.Pipe && b.Image == nil
	case tree.Image:
		fits = len(b.Image) == imageDims(t.Dim)
	case tree.Pipe:
		fits = b.Pipe && b.Elem == t.Elem
	}
	if !fits {
		l.fault(r.at, "", "%s, of type %s, cannot be the same as %s", v.Name, t, other)
		return code.Arg{}
	}
	l.buffers[v.Name] = b
	return code.Arg{Buffer: b}
}

func (l *launcher) localArg(x *code.Launch, r *request, v *tree.Var, what string, given bool) code.Arg {
	n := int(x.Local[0] * x.Local[1] * x.Local[2])
	if given {
		word, count, _, ok := shape(what)
		if !ok || word != "local" || count < 1 {
			l.fault(r.at, fmt.Sprintf("write %s=local[%d]", v.Name, n), "%s points to local memory; %q is not a number of elements", v.Name, what)
			return code.Arg{}
		}
		n = count
	}
	return code.Arg{Local: n}
}

func (l *launcher) bufferArg(x *code.Launch, r *request, v *tree.Var, what string, given bool) code.Arg {
	elem := v.Type.Elem
	if elem.Kind == tree.Void {
		elem = tree.TUChar
	}
	bytes := elem.Kind == tree.Char || elem.Kind == tree.UChar
	if !given {
		if b := l.buffers[v.Name]; b != nil && (b.Elem == elem || bytes && !b.Pipe && b.Image == nil) {
			return code.Arg{Buffer: b}
		}
		n := max(leastBuffer, int(x.Global[0]*x.Global[1]*x.Global[2]))
		l.zeros = append(l.zeros, fmt.Sprintf("%s=zero[%d]", v.Name, n))
		arg := l.newBuffer(v.Name, elem, n, nil)
		arg.Buffer.Origin = fmt.Sprintf(", which holds %d zeros because no --arg %s=... gives its contents,", n, v.Name)
		return arg
	}
	if what == "null" {
		return code.Arg{}
	}
	word, n, content, ok := shape(what)
	if !ok {
		l.fault(r.at, fmt.Sprintf("write %s=zero[64], or %[1]s=%s[4]{1,2,3,4}, or the name of an argument that has a buffer already", v.Name, laneName(elem)), "%q does not describe the contents of a buffer", what)
		return code.Arg{}
	}
	if word == "local" {
		l.fault(r.at, fmt.Sprintf("write %s=zero[%d]", v.Name, max(n, 1)), "%s points to %s memory", v.Name, v.Type.To.Space)
		return code.Arg{}
	}
	if name, ok := strings.CutPrefix(word, "atomic_"); ok && (bytes || name == elem.String()) { // memory that the host allocates may hold atomic objects
		if t := tree.Named(name); t != nil && (t.IsInteger() || t.IsFloating()) && t.Size() >= 4 {
			elem = tree.AtomicOf(t)
		}
	} else if t := tree.Named(word); bytes && t != nil {
		elem = t // which the kernel sees as it likes
	}
	leaves := code.Leaves(elem)
	if word == anyWord && content == "" {
		return l.anyBuffer(r, v, elem, n)
	}
	if word != "" && word != "zero" && word != elem.String() && word != elemName(elem) {
		if word != laneName(elem) {
			l.fault(r.at, fmt.Sprintf("write %s=%s[...]", v.Name, elemName(elem)), "%s points to %s, not to %s", v.Name, elem, word)
			return code.Arg{}
		}
		n = (n + len(leaves) - 1) / max(len(leaves), 1) // counted in lanes
	}
	var cells []code.Cell
	if content != "" {
		var given int
		if cells, given = l.list(r, v, what, elem, n); n == 0 {
			n = given
		}
	}
	if n < 1 {
		l.fault(r.at, "write a positive number", "the buffer has no elements")
		return code.Arg{}
	}
	return l.newBuffer(v.Name, elem, n, cells)
}

// elemName is the type of what a buffer's elements are, as an argument names it: without blanks, and so without struct.
func elemName(t *tree.Type) string {
	switch {
	case t.Record == nil:
		return t.String()
	case t.Record.Name == "":
		return "zero"
	}
	return t.Record.Name
}

// laneName is the type of what a buffer's scalars are, as an argument names it; of a struct only if they are all of one type.
func laneName(t *tree.Type) string {
	switch t.Kind {
	case tree.Array, tree.Atomic:
		return laneName(t.Elem)
	case tree.Struct:
		names := map[string]bool{}
		for _, f := range t.Record.Fields {
			names[laneName(f.Type)] = true
		}
		for name := range names {
			if len(names) == 1 {
				return name
			}
		}
	}
	return elemName(t.Lane())
}

func (l *launcher) newBuffer(name string, elem *tree.Type, n int, cells []code.Cell) code.Arg {
	b := &code.Buffer{Name: name, Elem: elem, Len: n, Cells: cells}
	l.buffers[name], l.fresh[name] = b, b
	l.made = append(l.made, b)
	return code.Arg{Buffer: b}
}

// shape splits word[n]{content}, of which parts may be missing.
func shape(s string) (word string, n int, content string, ok bool) {
	if i := strings.IndexByte(s, '{'); i >= 0 {
		if !strings.HasSuffix(s, "}") {
			return "", 0, "", false
		}
		content, s = s[i+1:len(s)-1], s[:i]
		if strings.TrimSpace(content) == "" {
			return "", 0, "", false
		}
	}
	word = s
	if i := strings.IndexByte(s, '['); i >= 0 {
		var err error
		if n, err = strconv.Atoi(strings.TrimSuffix(s[i+1:], "]")); err != nil || !strings.HasSuffix(s, "]") || n < 1 || n > 1<<20 {
			return "", 0, "", false
		}
		word = s[:i]
	} else if content == "" {
		return "", 0, "", false
	}
	return word, n, content, true
}
