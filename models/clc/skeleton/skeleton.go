// Package skeleton writes a host program in Go for the kernels of a file in OpenCL C, for its author to go on with: buffers
// and values for all parameters, a launch of each kernel, and a place to say what must hold. It is a model that loads.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package skeleton

import (
	"fmt"
	"go/format"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// writer has what the kernels need.
type writer struct {
	types []string          // declarations, in order
	named map[string]string // the names of the structs that have been declared, by their shape
	vars  []string
	made  map[string]string // the types of variables, by name
}

// Write returns the text of a host program for a kernel file.
func Write(path string, opt clc.Options) ([]byte, error) {
	file, err := clc.Read(path, opt, nil)
	if err != nil {
		return nil, err
	}
	e, err := file.Embed(lower.NewProgram(""))
	if err != nil {
		return nil, err
	}
	if len(e.Kernels) == 0 {
		return nil, fmt.Errorf("%s: the file has no kernel", path)
	}
	w := &writer{named: map[string]string{}, made: map[string]string{}}
	var fields, launches []string
	for _, k := range e.Kernels {
		field, launch, err := w.kernel(k)
		if err != nil {
			return nil, err
		}
		fields, launches = append(fields, field), append(launches, launch)
	}
	return format.Source([]byte(w.text(path, opt, fields, launches)))
}

// text puts the parts together.
func (w *writer) text(path string, opt clc.Options, fields, launches []string) string {
	base := filepath.Base(path)
	var b strings.Builder
	fmt.Fprintf(&b, "// The host program of %s: set sizes and values, and say what must hold.\npackage main\n\nimport \"github.com/clmc/clmc/models/cl\"\n\n", base)
	fmt.Fprintf(&b, "// The kernels of %s.\n//\n//cl:program %s%s\nvar kernels struct {\n%s}\n\n", base, base, options(filepath.Dir(path), opt), strings.Join(fields, ""))
	b.WriteString(strings.Join(w.types, ""))
	b.WriteString("const items = 4 // work-items of a launch; -D items=8 sets another number\n\n")
	if len(w.vars) > 0 {
		fmt.Fprintf(&b, "var (\n%s)\n\n", strings.Join(w.vars, ""))
	}
	fmt.Fprintf(&b, "func main() {\n%scl.Finish()\ncl.Assert(true, \"say here what must hold\")\n}\n", strings.Join(launches, ""))
	return b.String()
}

// options writes how a file in a folder is read.
func options(dir string, opt clc.Options) string {
	s := ""
	if opt.Std != "" {
		s += " -cl-std=" + opt.Std
	}
	for _, d := range opt.Defines {
		s += " -D " + d
	}
	for _, include := range opt.Include {
		if rel, err := filepath.Rel(dir, include); err == nil {
			include = filepath.ToSlash(rel)
		}
		s += " -I " + include
	}
	return s
}

// kernel returns the field of a kernel and its launch.
func (w *writer) kernel(k *clc.Kernel) (field, launch string, err error) {
	name := fieldName(k.Name)
	var params, args []string
	for _, p := range k.Params {
		t, ok := w.typeOf(p.Layout, p.Type)
		if !ok || p.Opaque {
			return "", "", fmt.Errorf("%s: a parameter of type %s cannot be passed from a model in Go", p.Place, p.Type)
		}
		param := safe(p.Name)
		switch {
		case p.Local:
			params = append(params, param+" cl.LocalMem["+t+"]")
			args = append(args, "cl.LocalArg["+t+"](items)")
		case p.Type == "queue_t":
			params = append(params, param+" cl.Queue")
			args = append(args, "cl.GetDefaultQueue()")
		case p.Pipe:
			params = append(params, param+" cl.Pipe["+t+"]")
			args = append(args, w.pipe(k, p.Name, t))
		case p.Pointer:
			params = append(params, param+" []"+t)
			args = append(args, w.variable(k, p.Name, t)+"[:]")
		default:
			params = append(params, param+" "+t)
			args = append(args, zero(p.Layout, t))
		}
	}
	field = fmt.Sprintf("%s func(%s)%s\n", name, strings.Join(params, ", "), tagOf(name, k.Name))
	call := fmt.Sprintf("func() { kernels.%s(%s) }", name, strings.Join(args, ", "))
	launch = fmt.Sprintf("cl.EnqueueNDRangeKernel(%s, %s)\n", call, ndrange(k.ReqdWorkGroupSize))
	return field, launch, nil
}

// ndrange returns two work-groups.
func ndrange(reqd [3]int64) string {
	switch {
	case reqd[0] == 0:
		return "cl.NDRange1D(items, items/2)"
	case reqd[1] == 1 && reqd[2] == 1:
		return fmt.Sprintf("cl.NDRange1D(%d, %d)", 2*reqd[0], reqd[0])
	case reqd[2] == 1:
		return fmt.Sprintf("cl.NDRange2D([2]int{%d, %d}, [2]int{%d, %d})", 2*reqd[0], reqd[1], reqd[0], reqd[1])
	}
	return fmt.Sprintf("cl.NDRange3D([3]int{%d, %d, %d}, [3]int{%d, %d, %d})", 2*reqd[0], reqd[1], reqd[2], reqd[0], reqd[1], reqd[2])
}

// pipe declares the pipe that a parameter is given: kernels share what has one name and type.
func (w *writer) pipe(k *clc.Kernel, name, t string) string {
	return w.declare(k, name, "cl.Pipe["+t+"]", "= cl.NewPipe["+t+"](items)")
}

// variable declares the memory that a pointer parameter is given: kernels share what has one name and type.
func (w *writer) variable(k *clc.Kernel, name, t string) string {
	return w.declare(k, name, t, "[items]"+t)
}

// declare declares a variable, unless one of its name holds the same.
func (w *writer) declare(k *clc.Kernel, name, t, text string) string {
	name = safe(name)
	if was, ok := w.made[name]; ok && was != t {
		name = safe(k.Name) + fieldName(name)
	}
	if _, ok := w.made[name]; !ok {
		w.made[name] = t
		w.vars = append(w.vars, name+" "+text+"\n")
	}
	return name
}

var goTypes = map[ir.Type]string{ir.I8: "int8", ir.U8: "uint8", ir.I16: "int16", ir.U16: "uint16", ir.I32: "int32", ir.U32: "uint32",
	ir.I64: "int64", ir.U64: "uint64", ir.F32: "float32", ir.F64: "float64", ir.Bool: "bool"}

// typeOf returns a type of Go with a shape; false if there is none.
func (w *writer) typeOf(l *ir.Layout, name string) (string, bool) {
	switch {
	case l == nil:
		return "", false
	case l.Elem != nil:
		t, ok := w.typeOf(l.Elem, name)
		return fmt.Sprintf("[%d]%s", l.Len, t), ok
	case l.Fields != nil:
		return w.structOf(l, name)
	}
	t, ok := goTypes[l.Type]
	if l.Atomic {
		t = "cl.Atomic[" + t + "]"
	}
	return t, ok
}

// memberName makes one word of what names a member: of a union it may be a path, ".c[2]".
func memberName(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune(".[] ()", c) }), "_")
}

func (w *writer) structOf(l *ir.Layout, name string) (string, bool) {
	var b strings.Builder
	for _, f := range l.Fields {
		t, ok := w.typeOf(f.Layout, f.Name)
		if !ok {
			return "", false
		}
		fmt.Fprintf(&b, "%s %s\n", safe(memberName(f.Name)), t)
	}
	shape := b.String()
	if t, ok := w.named[shape]; ok {
		return t, true
	}
	words := strings.FieldsFunc(name, func(c rune) bool { return c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') })
	t := "record"
	for _, word := range words { // "__global struct pair *"
		if !strings.HasPrefix(word, "__") && word != "struct" && word != "const" && word != "volatile" && word != "restrict" {
			t = safe(word)
		}
	}
	for _, was := range w.named {
		if was == t {
			t = fmt.Sprintf("%s%d", t, len(w.named)+1)
		}
	}
	w.named[shape] = t
	w.types = append(w.types, fmt.Sprintf("type %s struct {\n%s}\n\n", t, shape))
	return t, true
}

// zero returns a value to begin with: of a whole number that of work-items.
func zero(l *ir.Layout, t string) string {
	switch {
	case l.Elem != nil || l.Fields != nil:
		return t + "{}"
	case l.Type == ir.Bool:
		return "false"
	case l.Type.Float():
		return "1"
	}
	return "items"
}

// fieldName returns the name of a kernel's field: tree_sum is TreeSum.
func fieldName(kernel string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(kernel, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	if s := b.String(); token.IsIdentifier(s) && s != "" {
		return s
	}
	return "K" + b.String()
}

// tagOf returns the tag of a field that does not tell its kernel.
func tagOf(field, kernel string) string {
	if strings.EqualFold(strings.ReplaceAll(kernel, "_", ""), field) {
		return ""
	}
	return " `cl:\"" + kernel + "\"`"
}

// safe returns a name that Go and the rest of the model leave free.
func safe(name string) string {
	switch name {
	case "", "_", "cl", "items", "kernels", "main", "init", "len", "cap", "min", "max", "true", "false", "nil", "iota", "bool",
		"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64":
		return name + "_"
	}
	if token.IsKeyword(name) {
		return name + "_"
	}
	return name
}
