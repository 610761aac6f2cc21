package clc

import (
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// Flags of GPUVerify's in the comment that a file begins with: sizes, values of scalars and macros.
var (
	headerFlag  = regexp.MustCompile(`--(local_size|global_size|num_groups)=(\[[^\]]*\]|\S*)`)
	headerArgs  = regexp.MustCompile(`--kernel-args=\[([^\]]*)\]`)
	headerMacro = regexp.MustCompile(`(?:^|\s)-D\s*([A-Za-z_]\w*(?:=\S*)?)`)
)

// headerLines calls do for the lines of that comment, with their numbers.
func headerLines(source string, do func(n int, line string)) {
	n := 0
	for line := range strings.Lines(source) {
		n++
		text := strings.TrimSpace(line)
		if text != "" && !strings.HasPrefix(text, "//") {
			return
		}
		do(n, line)
	}
}

// headerDefines returns the macros of the header which the flags do not define.
func headerDefines(source string, flags []string) (defines []string) {
	name := func(d string) string { d, _, _ = strings.Cut(d, "="); return d }
	headerLines(source, func(_ int, line string) {
		if !strings.Contains(line, "//--") {
			return
		}
		for _, m := range headerMacro.FindAllStringSubmatch(line, -1) {
			if !slices.ContainsFunc(flags, func(d string) bool { return name(d) == name(m[1]) }) {
				defines = append(defines, m[1])
			}
		}
	})
	return defines
}

// headerValues adds what else is known of a kernel's scalars: what --kernel-args of the header says, of one after the
// other, and what the kernel itself requires one to equal.
func (l *launcher) headerValues(k *tree.Func, args []string) []string {
	give := func(v *tree.Var, value string) {
		if v.Type.IsInteger() && !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, v.Name+"=") }) {
			args = append(args, v.Name+"="+value)
		}
	}
	var scalars []*tree.Var
	for _, v := range k.Params {
		if v.Type.IsArithmetic() {
			scalars = append(scalars, v)
		}
	}
	headerLines(l.unit.Files[0].Text, func(_ int, line string) {
		for _, m := range headerArgs.FindAllStringSubmatch(line, -1) {
			words := strings.FieldsFunc(m[1], func(c rune) bool { return strings.ContainsRune(", \t", c) })
			if len(words) != len(scalars)+1 || words[0] != k.Name {
				continue
			}
			for i, w := range words[1:] {
				if n, err := strconv.ParseInt(w, 0, 64); err == nil { // * is any value
					give(scalars[i], strconv.FormatInt(n, 10))
				}
			}
		}
	})
	for _, s := range k.Body.List {
		e, ok := s.(*tree.ExprStmt)
		if !ok {
			continue
		}
		if c, ok := e.X.(*tree.BuiltinCall); ok && c.Fn.Name == "__requires" && len(c.Args) == 1 {
			equals(c.Args[0], give)
		}
	}
	return args
}

// equals tells the variables that a condition says are equal to a constant.
func equals(cond tree.Expr, tell func(v *tree.Var, value string)) {
	switch x := bare(cond).(type) {
	case *tree.Logic:
		if !x.Or {
			equals(x.X, tell)
			equals(x.Y, tell)
		}
	case *tree.Binary:
		if a, ok := bare(x.X).(*tree.Const); ok && x.Op == tree.Eq {
			x = &tree.Binary{Op: x.Op, X: x.Y, Y: a}
		}
		v, isVar := bare(x.X).(*tree.VarRef)
		if c, ok := bare(x.Y).(*tree.Const); ok && isVar && x.Op == tree.Eq && c.Type().IsInteger() {
			tell(v.Var, strconv.FormatInt(int64(c.Bits), 10))
		}
	}
}

// bare returns what is read and converted in an expression.
func bare(x tree.Expr) tree.Expr {
	for {
		switch y := x.(type) {
		case *tree.Load:
			x = y.X
		case *tree.Convert:
			x = y.X
		default:
			return x
		}
	}
}

// headerRequests reads the header of a file as GPUVerify takes it,
//
//	//--local_size=[4,4] --num_groups=[2,2]
//
// and launches the kernel that the flags name, or each of the file. Flags of clmc come first.
func (l *launcher) headerRequests() (requests []*request) {
	sizes, at := l.header()
	if sizes == nil {
		return nil
	}
	global := sizes["global_size"]
	if groups, ok := sizes["num_groups"]; ok {
		if global != "" {
			l.fault(at, "leave one of them out", "the header has both --num_groups and --global_size")
			return nil
		}
		if global, ok = product(groups, sizes["local_size"]); !ok {
			l.fault(at, "write as many numbers in both, as in --local_size=[4,4] --num_groups=[2,2]", "--num_groups=%s does not fit --local_size=%s", groups, sizes["local_size"])
			return nil
		}
	}
	for _, k := range l.unit.Kernels {
		if l.opt.Kernel != "" && l.opt.Kernel != k.Name {
			continue
		}
		r := &request{kernel: k.Name, global: global, local: sizes["local_size"], offset: l.opt.Offset, at: at}
		if l.opt.Global != "" {
			r.global = l.opt.Global
		}
		if l.opt.Local != "" {
			r.local = l.opt.Local
		}
		r.args = l.headerValues(k, l.argsFor(k))
		requests = append(requests, r)
	}
	if requests == nil {
		l.fault(at, "", "there is no kernel to launch; the file has %s", l.kernelNames())
	}
	return requests
}

// argsFor returns the arguments of the flags that are for a kernel: with one kernel all of them, so that
// what none has is an error.
func (l *launcher) argsFor(k *tree.Func) (args []string) {
	taken := func(by *tree.Func, arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.ContainsFunc(by.Params, func(v *tree.Var) bool { return v.Name == name })
	}
	for _, arg := range l.opt.Args {
		others := l.opt.Kernel == "" && slices.ContainsFunc(l.unit.Kernels, func(by *tree.Func) bool { return taken(by, arg) })
		if taken(k, arg) || !others {
			args = append(args, arg)
		}
	}
	return args
}

// header returns the sizes of the header.
func (l *launcher) header() (sizes map[string]string, at token.Position) {
	twice := ""
	headerLines(l.unit.Files[0].Text, func(n int, line string) {
		for _, m := range headerFlag.FindAllStringSubmatch(line, -1) {
			if sizes == nil {
				sizes = map[string]string{}
				at = token.Position{Filename: l.unit.Files[0].Name, Line: n, Column: 1 + strings.Index(line, "//")}
			}
			if _, ok := sizes[m[1]]; ok {
				twice = m[1]
			}
			sizes[m[1]] = strings.Join(strings.FieldsFunc(m[2], func(c rune) bool { return strings.ContainsRune("[], \t", c) }), ",")
		}
	})
	if twice != "" {
		l.fault(at, "leave one of them out", "the header has --%s twice", twice)
		return nil, at
	}
	if sizes == nil {
		l.fault(token.Position{Filename: l.path}, "begin the file with a line as //--local_size=[4,4] --num_groups=[2,2], or leave --gpuverify-header out", "the file has no header of GPUVerify's")
	}
	return sizes, at
}

// product multiplies two sizes.
func product(a, b string) (string, bool) {
	x, y := strings.Split(a, ","), strings.Split(b, ",")
	if len(x) != len(y) {
		return "", false
	}
	for i := range x {
		m, err1 := strconv.ParseInt(x[i], 10, 32)
		n, err2 := strconv.ParseInt(y[i], 10, 32)
		if err1 != nil || err2 != nil || m < 1 || n < 1 || m*n > 1<<31-1 {
			return "", false
		}
		x[i] = strconv.FormatInt(m*n, 10)
	}
	return strings.Join(x, ","), true
}
