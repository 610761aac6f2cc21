package clc

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/check"
	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// Open is a kernel of which no launch fixes anything but what is given here.
type Open struct {
	Name    string
	Program *ir.Program
	Func    int // in Program.Funcs
	// Scalars are the arguments that are passed by value, one for each scalar in them, in the order of the function's
	// parameters.
	Scalars []OpenScalar
	Buffers []OpenBuffer
	Local   [3]int64 // 0: any
	Global  [3]int64 // likewise
	Dim     int      // 0: not given
	// Asked is how many dimensions the kernel asks for, or says a local size above 1 of.
	Asked int
	// Required: the kernel itself says its local size.
	Required bool
	// Unknown says why nothing can be said of the kernel, and where; "" if something can.
	Unknown string
	At      ir.Pos // where
}

// OpenScalar is part of an argument that is passed by value.
type OpenScalar struct {
	Name  string // of the argument
	Type  ir.Type
	Parts int // how many scalars the argument has
	Part  int // which of them this one is
	Given *int64
}

// OpenBuffer is an argument that points to memory.
type OpenBuffer struct {
	Name  string
	Elem  string // as an argument names it
	Local bool
	Same  string // the argument whose buffer it has, too
}

// openLen is how many elements stand for a buffer of any length.
const openLen = 1 << 12

// OpenKernels reads a kernel file, and returns its kernels, or the one that the options name. Sizes are those of the options, and
// else of the first line that launches the kernel.
func OpenKernels(path string, text []byte, opt Options) ([]*Open, error) {
	if len(text) > maxFile {
		return nil, tooLong(path)
	}
	std, err := parseStd(opt.Std)
	if err != nil {
		return nil, err
	}
	defines, include := opt.headed(path, text)
	u, _, err := check.Parse(check.Options{Path: path, Source: text, Include: include, Defines: defines, Std: std, Undefined: opt.Undefined, Annotations: opt.GPUVerify})
	if err != nil {
		return nil, err
	}
	l := &launcher{unit: u, opt: opt, path: path, buffers: map[string]*code.Buffer{}}
	requests, _ := l.directives()
	var list []*Open
	for _, k := range u.Kernels {
		if opt.Kernel == "" || k.Name == opt.Kernel {
			list = append(list, l.open(k, requests))
		}
	}
	switch {
	case len(l.found) > 0:
		l.found.Sort()
		return nil, l.found
	case list == nil && opt.Kernel != "":
		return nil, fmt.Errorf("%s: there is no kernel %s; the file has %s", path, opt.Kernel, l.kernelNames())
	case list == nil:
		return nil, fmt.Errorf("%s: there is no kernel in it", path)
	}
	return list, nil
}

// open makes a kernel of which nothing is known but what options and lines give. What is wrong with those is in l.found.
func (l *launcher) open(k *tree.Func, requests []*request) *Open {
	o := &Open{Name: k.Name}
	r := &request{at: token.Position{Filename: l.path}, local: l.opt.Local, global: l.opt.Global, args: l.opt.Args}
	var own []string
	if i := slices.IndexFunc(requests, func(q *request) bool { return q.kernel == k.Name || q.kernel == "" && len(l.unit.Kernels) == 1 }); i >= 0 {
		if own = requests[i].args; r.local == "" && r.global == "" {
			r.local, r.global = l.openSize(o, requests[i], "local", requests[i].local), l.openSize(o, requests[i], "global", requests[i].global)
		}
	}
	if l.opt.GPUVerify && r.local == "" && r.global == "" {
		h := readHeader(l.unit.Files[0].Text)
		o.headerSizes(h)
		r.args = l.headerValues(h, k, slices.Clone(r.args))
	}
	l.openSizes(o, k, r)
	x := &code.Launch{Kernel: k, Dim: 3, Global: [3]int64{1, 1, 1}, Local: [3]int64{1, 1, 1}, Args: make([]code.Arg, len(k.Params))}
	for i, v := range k.Params {
		if why := o.openArg(&x.Args[i], v); why != "" && o.Unknown == "" {
			o.Unknown, o.At = why, ir.Pos{File: v.Pos.File, Line: v.Pos.Line, Col: v.Pos.Col}
		}
	}
	given := l.openGiven(o, x, r, own)
	if len(l.found) == 0 && o.Unknown == "" {
		l.openProgram(o, x, given)
	}
	return o
}

// openSize returns a size of a launch line. One of several is any.
func (l *launcher) openSize(o *Open, r *request, what, s string) string {
	first, _, several := strings.Cut(s, between)
	if !several {
		return s
	}
	if _, dims, ok := l.size(r, what, first); ok {
		o.Dim = max(o.Dim, dims)
	}
	return ""
}

// openSizes finds the sizes that are given.
func (l *launcher) openSizes(o *Open, k *tree.Func, r *request) {
	local, ld, ok1 := l.size(r, "local", r.local)
	global, gd, ok2 := l.size(r, "global", r.global)
	if !ok1 || !ok2 {
		return
	}
	if ld > 0 {
		o.Local = local
	}
	if gd > 0 {
		o.Global = global
	}
	if k.ReqdWorkGroupSize[0] > 0 {
		if ld > 0 && local != k.ReqdWorkGroupSize {
			l.fault(r.at, "leave the local size out", "the local size is %s, but %s has reqd_work_group_size(%s)", sizeText(local, ld), k.Name, sizeText(k.ReqdWorkGroupSize, 3))
			return
		}
		o.Local, o.Required = k.ReqdWorkGroupSize, true
		for d, n := range o.Local {
			if n > 1 {
				o.Asked = d + 1
			}
		}
	}
	o.Dim = max(o.Dim, ld, gd)
	for d := range 3 {
		if ld > 0 && local[d] < 1 || gd > 0 && global[d] < 1 {
			l.fault(r.at, "", "the sizes of a launch must be positive")
			return
		}
	}
}

// headerSizes takes the sizes that a header for GPUVerify gives; * is any.
func (o *Open) headerSizes(h *header) {
	read := func(s string) (list [3]int64, dims int) {
		list = [3]int64{1, 1, 1}
		for i, w := range strings.Split(strings.Trim(s, "[]"), ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(w), 0, 32)
			if err != nil || n < 1 {
				n = 0
			}
			if i < len(list) {
				list[i], dims = n, i+1
			}
		}
		return list, dims
	}
	if s := h.sizes["local_size"]; s != "" {
		o.Local, o.Dim = read(s)
	}
	if s := h.sizes["global_size"]; s != "" {
		o.Global, _ = read(s)
	}
	if s := h.sizes["num_groups"]; s != "" {
		groups, n := read(s)
		o.Dim = max(o.Dim, n)
		for d := range groups {
			o.Global[d] = groups[d] * o.Local[d]
		}
	}
}

// openArg makes the argument of a parameter, or says why that cannot be done.
func (o *Open) openArg(a *code.Arg, v *tree.Var) string {
	t := v.Type
	switch {
	case t.Kind == tree.Pointer && t.To.Space == tree.Local:
		a.Local = openLen
		o.Buffers = append(o.Buffers, OpenBuffer{Name: v.Name, Local: true})
	case t.Kind == tree.Pointer:
		elem := t.Elem
		if elem.Kind == tree.Void {
			elem = tree.TUChar
		}
		a.Buffer = &code.Buffer{Name: v.Name, Elem: elem, Len: max(4*openLen/max(len(code.Leaves(elem)), 4), 1)}
		o.Buffers = append(o.Buffers, OpenBuffer{Name: v.Name, Elem: elemName(elem)})
	case t.Kind == tree.Image:
		return "images have sizes that are not known"
	case t.Kind == tree.Pipe:
		return "pipes order work-items by what is in them"
	case t.Kind == tree.Sampler, !code.Passable(t):
		return "an argument has type " + t.String()
	default:
		for range code.Leaves(t) {
			a.Cells = append(a.Cells, code.Cell{0})
		}
	}
	return ""
}

// openGiven reads the arguments that are given: values of scalars, and which pointers are the same. What buffers hold makes
// no difference. Of the arguments of a line, only the pointers are taken.
func (l *launcher) openGiven(o *Open, x *code.Launch, r *request, own []string) map[string][]code.Cell {
	given := map[string][]code.Cell{}
	take := func(list []string, scalars bool) {
		for _, a := range list {
			name, what, ok := strings.Cut(a, "=")
			i := slices.IndexFunc(x.Kernel.Params, func(v *tree.Var) bool { return v.Name == name })
			if i < 0 || !ok {
				if scalars {
					l.fault(r.at, "write NAME=VALUE; the parameters are: "+paramNames(x.Kernel), "%s has no parameter %s", x.Kernel.Name, name)
				}
				continue
			}
			v := x.Kernel.Params[i]
			j := slices.IndexFunc(x.Kernel.Params, func(w *tree.Var) bool { return w.Name == what && w != v })
			switch {
			case j >= 0 && x.Args[i].Buffer != nil && x.Args[j].Buffer != nil:
				x.Args[i].Buffer = x.Args[j].Buffer
				o.buffer(name).Same = what
			case scalars && len(x.Args[i].Cells) > 0 && what != "any":
				given[name] = l.values(r, v, what)
			}
		}
	}
	take(own, false)
	take(r.args, true)
	return given
}

func (o *Open) buffer(name string) *OpenBuffer {
	return &o.Buffers[slices.IndexFunc(o.Buffers, func(b OpenBuffer) bool { return b.Name == name })]
}

// openProgram makes the program of an open kernel. One that cannot be made is told as not understood.
func (l *launcher) openProgram(o *Open, x *code.Launch, given map[string][]code.Cell) {
	made, err := openBuild(l.unit, x, &l.opt)
	if err != nil {
		o.Unknown = err.Error()
		return
	}
	o.Program, o.Func, o.Asked = made.Program, made.Func, max(o.Asked, made.Asked)
	parts, at := map[string]int{}, map[string]int{}
	for i := range made.Scalars {
		parts[made.Scalars[i].Name]++
	}
	for i := range made.Scalars {
		s := &made.Scalars[i]
		c := OpenScalar{Name: s.Name, Type: s.Type, Parts: parts[s.Name], Part: at[s.Name]}
		at[s.Name]++
		if cells := given[s.Name]; c.Part < len(cells) && len(cells[c.Part]) == 1 {
			c.Given = &cells[c.Part][0]
		}
		o.Scalars = append(o.Scalars, c)
	}
}

// openBuild lowers and links; a panic there is a bug of clmc, and told as one.
func openBuild(u *tree.Unit, x *code.Launch, opt *Options) (o *code.Open, err error) {
	defer func() {
		if r := recover(); r != nil {
			o, err = nil, internal(u.Files[0].Name, r)
		}
	}()
	o, found := code.BuildOpen(u, x, opt.legacyScope())
	if found != nil {
		return nil, found
	}
	o.Program.Link()
	if err := o.Program.Verify(); err != nil {
		return nil, internal(u.Files[0].Name, err)
	}
	return o, nil
}
