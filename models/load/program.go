package load

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/state/ir"
)

// programDirective is a //cl:program directive: a kernel file, and the variable whose fields are its kernels.
type programDirective struct {
	pos  token.Pos
	path string
	opt  clc.Options
	file *clc.KernelFile // once read
}

const programWord = directivePrefix + "program"

// declaredProgram applies a //cl:program directive above a variable declaration.
func (m *model) declaredProgram(g *ast.GenDecl, used map[*ast.Comment]bool) {
	for _, s := range g.Specs {
		spec := s.(*ast.ValueSpec)
		for _, doc := range []*ast.CommentGroup{g.Doc, spec.Doc} {
			if doc == nil {
				continue
			}
			for _, c := range doc.List {
				rest, ok := strings.CutPrefix(c.Text, programWord+" ")
				if !ok || used[c] {
					continue
				}
				used[c] = true
				if len(g.Specs) != 1 || len(spec.Names) != 1 {
					m.errorf(c.Pos(), "give it a variable of its own", "//cl:program stands above several variables")
					continue
				}
				m.program(spec.Names[0], c.Pos(), strings.Fields(rest))
			}
		}
	}
}

// program checks what the directive says and the type of the variable.
func (m *model) program(id *ast.Ident, pos token.Pos, words []string) {
	v, ok := m.info.Defs[id].(*types.Var)
	if !ok {
		return
	}
	t, isStruct := v.Type().Underlying().(*types.Struct)
	for i := 0; isStruct && i < t.NumFields(); i++ {
		f, isFunc := t.Field(i).Type().Underlying().(*types.Signature)
		isStruct = isFunc && f.Results().Len() == 0 && !f.Variadic()
	}
	if !isStruct {
		m.errorf(id.Pos(), "write: var kernels struct { Reduce func(in, out []int32, n uint32) }", "the variable of //cl:program is a struct of functions without results, one for each kernel")
		return
	}
	d := &programDirective{pos: pos}
	dir := filepath.Dir(m.fset.PositionFor(pos, false).Filename)
	d.path, d.opt, ok = m.programOptions(pos, dir, words)
	if ok {
		d.opt.LegacyWorkGroup = m.opt.LegacyWorkGroup
		m.programs[v] = d
	}
}

// programOptions reads the words of the directive: the file, and options as OpenCL's clBuildProgram takes them.
func (m *model) programOptions(pos token.Pos, dir string, words []string) (path string, opt clc.Options, ok bool) {
	const hint = "write: //cl:program FILE.cl -cl-std=CL2.0 -DNAME=VALUE -I FOLDER"
	inside := func(name string) string {
		if !filepath.IsLocal(name) {
			m.errorf(pos, "name one in the folder of the model", "%s is outside the folder of the model", name)
		}
		return filepath.Join(dir, name)
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		flag := w[:min(2, len(w))]
		value := w[len(flag):]
		if (w == "-D" || w == "-I") && i+1 < len(words) {
			i++
			value = words[i]
		}
		switch {
		case strings.HasPrefix(w, "-cl-std="):
			opt.Std = strings.TrimPrefix(w, "-cl-std=")
		case w == "-cl-fast-relaxed-math":
			opt.Defines = append(opt.Defines, "__FAST_RELAXED_MATH__")
		case flag != "-D" && flag != "-I" && w[0] == '-':
			if idle, why := clc.IdleOption(w); !idle {
				m.errorf(pos, cmp.Or(why, hint), "//cl:program does not know the option %q", w)
				return "", opt, false
			}
		case flag == "-D" && value != "":
			opt.Defines = append(opt.Defines, value)
		case flag == "-I" && value != "":
			opt.Include = append(opt.Include, inside(value))
		case w[0] == '-' || path != "" || filepath.Ext(w) != clc.Ext:
			m.errorf(pos, hint, "//cl:program does not know the option %q", w)
			return "", opt, false
		default:
			path = inside(w)
		}
	}
	if path == "" {
		m.errorf(pos, hint, "//cl:program names no file")
	}
	return path, opt, path != ""
}

// embedPrograms puts the kernel files into the program, and finds the kernels of the fields. It reports whether all of them
// are there.
func (l *lowering) embedPrograms() bool {
	before := len(l.found)
	for v, d := range l.inOrder() {
		e, err := l.embed(d)
		if err != nil {
			l.refused(d.pos, err)
			continue
		}
		l.embeddings = append(l.embeddings, e)
		t := v.Type().Underlying().(*types.Struct)
		kernels := make([]*clc.Kernel, t.NumFields())
		for i := range kernels {
			kernels[i] = l.kernelOf(e, t.Field(i), t.Tag(i))
		}
		l.embedded[v] = kernels
	}
	return len(l.found) == before
}

func (l *lowering) embed(d *programDirective) (e *clc.Embedding, err error) {
	if d.file == nil {
		if d.file, err = clc.Read(d.path, d.opt, l.texts); err != nil {
			return nil, err
		}
	}
	l.p.Notes = append(l.p.Notes, d.file.Notes...)
	return d.file.Embed(l.p)
}

// refused reports what package clc has found.
func (l *lowering) refused(pos token.Pos, err error) {
	var list diag.Diagnostics
	if errors.As(err, &list) {
		l.found = append(l.found, list...)
		return
	}
	l.errorf(pos, "", "%s", err)
}

// inOrder goes through the directives by position.
func (l *lowering) inOrder() func(func(*types.Var, *programDirective) bool) {
	var vars []*types.Var
	for v := range l.programs {
		vars = append(vars, v)
	}
	slices.SortFunc(vars, func(a, b *types.Var) int { return int(a.Pos() - b.Pos()) })
	return func(yield func(*types.Var, *programDirective) bool) {
		for _, v := range vars {
			if !yield(v, l.programs[v]) {
				return
			}
		}
	}
}

// kernelOf finds the kernel of a field, and sees that their parameters agree.
func (l *lowering) kernelOf(e *clc.Embedding, f *types.Var, tag string) *clc.Kernel {
	want := reflect.StructTag(tag).Get("cl")
	var names []string
	for _, k := range e.Kernels {
		names = append(names, k.Name)
		if k.Name == want || want == "" && strings.EqualFold(strings.ReplaceAll(k.Name, "_", ""), f.Name()) {
			l.agree(k, f)
			return k
		}
	}
	l.errorf(f.Pos(), "name it as the kernel, with a capital letter and without underscores, or add a tag: `cl:\"kernel_name\"`",
		"the file has no kernel for %s; it has %s", f.Name(), strings.Join(names, ", "))
	return nil
}

// agree compares the parameters of a field with those of its kernel.
func (l *lowering) agree(k *clc.Kernel, f *types.Var) {
	params := f.Type().Underlying().(*types.Signature).Params()
	if params.Len() != len(k.Params) {
		l.errorf(f.Pos(), "the kernel is "+k.Signature(), "%s has %d parameters; the model declares %d", k.Name, len(k.Params), params.Len())
		return
	}
	for i, p := range k.Params {
		t := params.At(i).Type()
		slice, isSlice := t.Underlying().(*types.Slice)
		elem, isPipe := packetOf(t)
		if isSlice {
			elem = slice.Elem()
		}
		layout, bad := l.layout(elem)
		if isSlice != p.Pointer || isPipe != p.Pipe || bad != nil || !p.Void && (p.Layout == nil || !sameShape(layout, p.Layout)) {
			l.errorf(params.At(i).Pos(), "the kernel is "+k.Signature(), "%s: parameter %d is %s; the model declares %s", p.Place, i+1, p.Type, types.TypeString(t, l.qualifier))
		}
	}
}

// qualifier writes package cl in the types of messages.
func (l *lowering) qualifier(p *types.Package) string {
	if p == l.model.pkg {
		return ""
	}
	return p.Name()
}

// sameShape reports whether two shapes are made of the same cells in the same way; the names of members do not matter.
func sameShape(a, b *ir.Layout) bool {
	switch {
	case a.Elem != nil || b.Elem != nil:
		return a.Elem != nil && b.Elem != nil && a.Len == b.Len && sameShape(a.Elem, b.Elem)
	case a.Fields != nil || b.Fields != nil:
		return a.Fields != nil && b.Fields != nil && slices.EqualFunc(a.Fields, b.Fields, func(x, y ir.Field) bool { return sameShape(x.Layout, y.Layout) })
	}
	return a.Type == b.Type && a.Atomic == b.Atomic
}

// onlyKernel returns the kernel of a //cl:program that is all that a function calls, or nil.
func (l *lowering) onlyKernel(fn *ssa.Function) (only *clc.Kernel) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if a, ok := in.(*ssa.FieldAddr); ok {
				if k, ok := l.kernelField(a); ok && only == nil {
					only = k
				} else if ok {
					return nil
				}
			}
		}
	}
	return only
}

// kernelField returns the kernel that a field of a //cl:program variable stands for.
func (l *lowering) kernelField(v *ssa.FieldAddr) (*clc.Kernel, bool) {
	g, ok := v.X.(*ssa.Global)
	if !ok {
		return nil, false
	}
	obj, _ := g.Object().(*types.Var)
	list, ok := l.embedded[obj]
	if !ok {
		return nil, false
	}
	return list[v.Field], true
}

// onlyCalled sees that a kernel of a //cl:program is called, and nothing else is done with it.
func (f *frame) onlyCalled(v *ssa.UnOp, k value) value {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.Call:
			if r.Common().Value == v && !slices.Contains(r.Common().Args, ssa.Value(v)) {
				continue
			}
		}
		f.fault(v.Pos(), "write: func() { kernels.Name(...) }", "a kernel of //cl:program can only be called, not used as a value")
		break
	}
	return k
}

// callKernel lowers the call of a kernel of a //cl:program.
func (f *frame) callKernel(c *ssa.Call, k *clc.Kernel) value {
	if f.where != inKernel {
		f.fault(c.Pos(), "write: cl.EnqueueNDRangeKernel(func() { kernels.Name(...) }, cl.NDRange1D(8, 4))", "only an enqueued function can call a kernel")
		return value{}
	}
	var args []clc.Argument
	for _, a := range c.Common().Args {
		arg := clc.Argument{Cells: f.regs(a)}
		if slice, ok := a.Type().Underlying().(*types.Slice); ok {
			arg.Elem, _ = f.layout(slice.Elem())
		}
		args = append(args, arg)
	}
	if f.failed() {
		return value{}
	}
	at := f.At
	back := f.calling(k.Name)
	err := k.Call(f.Func, args, clc.Site{Call: f.in, Path: " called at " + f.site(c.Pos()) + f.path, Loops: f.around(c.Pos())})
	back()
	f.At = at
	if err != nil {
		f.refused(c.Pos(), err)
	}
	return value{}
}

// textsOf returns what reads a file that a model has besides its Go files, or nil if they are on the disk.
func textsOf(files []source) func(string) ([]byte, error) {
	if len(files) == 0 {
		return nil
	}
	return func(name string) ([]byte, error) {
		for _, s := range files {
			if s.name == name {
				return s.text, nil
			}
		}
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
}
