package clc

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/check"
	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// KernelFile is a kernel file that has been read, for models in another language that call its kernels.
type KernelFile struct {
	Notes []string // warnings
	unit  *tree.Unit
	opt   Options
	known *code.Survey
}

// Read reads a kernel file. Options say how; the files are those of read or, if that is nil, of the disk.
func Read(path string, opt Options, read func(string) ([]byte, error)) (*KernelFile, error) {
	std, err := parseStd(opt.Std)
	if err != nil {
		return nil, err
	}
	source, err := readKernel(path, read)
	if err != nil {
		return nil, err
	}
	if len(source) > maxFile {
		return nil, tooLong(path)
	}
	u, warnings, err := check.Parse(check.Options{Path: path, Source: source, Include: opt.Include, Defines: opt.Defines, Std: std, Undefined: opt.Undefined, Read: read})
	if err != nil {
		return nil, err
	}
	s := &KernelFile{unit: u, opt: opt}
	for _, w := range warnings {
		s.Notes = append(s.Notes, warning(w))
	}
	return s, nil
}

// Embedding is a kernel file within a program that is being made.
type Embedding struct {
	Kernels []*Kernel
	source  *KernelFile
	code    *code.Embedded
}

// Kernel is a kernel of an embedding.
type Kernel struct {
	Name   string
	Params []Param
	// ReqdWorkGroupSize is what the attribute says, or zeros.
	ReqdWorkGroupSize [3]int64
	in                *Embedding
	f                 *tree.Func
}

// Param is a parameter of a kernel. Of a pointer, the layout is that of what it points to, of a pipe that of its packets. Images
// have none: they cannot be passed.
type Param struct {
	Name    string
	Type    string // as OpenCL C writes it
	Pointer bool
	Local   bool // a pointer into local memory
	Opaque  bool // an image or the like
	Void    bool // a pointer to void, which may be passed any numbers; the layout is that of those that it is cast to
	Pipe    bool
	Layout  *ir.Layout
	Place   string // file and line
}

// The site of a call, and its arguments.
type (
	Site     = code.Site
	Argument = code.Argument
)

// Embed adds the variables and sources of a kernel file to a program.
func (s *KernelFile) Embed(p *lower.Program) (*Embedding, error) {
	e := &Embedding{source: s}
	var found diag.Diagnostics
	if e.code, found = code.Embed(s.unit, p, s.opt.legacyScope(), s.known); found != nil {
		return nil, found
	}
	for _, f := range s.unit.Kernels {
		e.Kernels = append(e.Kernels, e.kernel(f))
	}
	return e, nil
}

// Learn takes note of how the calls so far see memory. Then the program is to be made once more, with the same
// source: only what is made then is complete.
func (e *Embedding) Learn() error {
	known, found := e.code.Survey()
	if found != nil {
		return found
	}
	e.source.known = known
	return nil
}

func tooLong(path string) error {
	return fmt.Errorf("%s: more than %d bytes; split the program", path, maxFile)
}

func (e *Embedding) kernel(f *tree.Func) *Kernel {
	k := &Kernel{Name: f.Name, ReqdWorkGroupSize: f.ReqdWorkGroupSize, in: e, f: f}
	for _, v := range f.Params {
		p := Param{Name: v.Name, Type: v.Type.String(), Pointer: v.Type.Kind == tree.Pointer, Pipe: v.Type.Kind == tree.Pipe,
			Local: v.Type.Kind == tree.Pointer && v.Type.To.Space == tree.Local, Place: fmt.Sprintf("%s:%d", e.source.unit.Files[v.Pos.File].Name, v.Pos.Line)}
		t := v.Type
		if p.Pointer || p.Pipe {
			t = t.Elem
		}
		switch {
		case t.Kind == tree.Queue: // cl.Queue
			p.Layout = &ir.Layout{Fields: []ir.Field{{Name: "id", Layout: e.code.Layout(t)}}}
		case p.Pointer && t.Kind == tree.Void:
			p.Void, p.Layout = true, e.code.Layout(seenAs(f, v))
		case !p.Pointer && !p.Pipe && !code.Passable(t):
			p.Opaque = true
		default:
			p.Layout = e.code.Layout(t)
		}
		k.Params = append(k.Params, p)
	}
	return k
}

// Signature writes the kernel as OpenCL C does, without qualifiers.
func (k *Kernel) Signature() string {
	var list []string
	for _, p := range k.Params {
		list = append(list, p.Type+" "+p.Name)
	}
	return k.Name + "(" + strings.Join(list, ", ") + ")"
}

// Call lowers a call of the kernel at the end of a function; the error is a diag.Diagnostics.
func (k *Kernel) Call(fn *lower.Func, args []Argument, at Site) error {
	if found := k.in.code.Call(fn, k.f, args, at); found != nil {
		return found
	}
	return nil
}

// seenAs returns what a parameter of type void * points to by the first cast of it, or of an address made from it, that is not to bytes.
func seenAs(f *tree.Func, v *tree.Var) *tree.Type {
	seen := tree.TUChar
	tree.Walk(f.Body, func(n any) {
		c, ok := n.(*tree.Convert)
		if !ok || seen != tree.TUChar || c.T.Kind != tree.Pointer || !c.T.Elem.Lane().IsArithmetic() || c.T.Elem.Lane().Size() == 1 {
			return
		}
		tree.Walk(c.X, func(n any) {
			if r, ok := n.(*tree.VarRef); ok && r.Var == v {
				seen = c.T.Elem
			}
		})
	})
	return seen
}
