package clc

import (
	"cmp"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/check"
	"github.com/clmc/clmc/models/clc/internal/tree"
)

// header is what the comment that a file begins with says to GPUVerify: sizes, values of scalars and macros.
type header struct {
	sizes   map[string]string // by option; * is any size
	args    [][]string        // of --kernel-args: a kernel and values
	defines []string
	include []string
	idle    []string // what leaves out checks
	line    int      // of the first of these words, 0 if there is none
	faults  []headerFault
}

// headerFault is a word that is refused.
type headerFault struct {
	line      int
	word, why string
}

// sizeOption is the name that a size has here.
var sizeOption = map[string]string{"--local_size": "local_size", "--blockDim": "local_size", "--num_groups": "num_groups", "--gridDim": "num_groups",
	"--global_size": "global_size", "--global_offset": "global_offset"}

// optionLine matches a line of such a comment that has options: they begin it, or stand behind another word.
var optionLine = regexp.MustCompile(`^//\s*(-.*)$|^//.*?(--(?:local_size|global_size|num_groups|blockDim|gridDim|kernel-args)=.*)$`)

// readHeader reads that comment.
func readHeader(source string) *header {
	h := &header{sizes: map[string]string{}}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(source, byteOrderMark)) {
		n++
		text := strings.TrimSpace(line)
		if text != "" && !strings.HasPrefix(text, "//") {
			break
		}
		if m := optionLine.FindStringSubmatch(text); m != nil {
			h.options(n, optionWords(m[1]+m[2]))
		}
	}
	return h
}

// optionWords splits at blanks that are not in square brackets or quotes.
func optionWords(s string) (list []string) {
	word, depth, quote := "", 0, rune(0)
	for _, c := range s + " " {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
				continue
			}
		case c == '"' || c == '\'':
			quote = c
			continue
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth <= 0 && (c == ' ' || c == '\t'):
			if word != "" {
				list = append(list, word)
			}
			word = ""
			continue
		}
		word += string(c)
	}
	if word = strings.TrimSpace(word); word != "" { // a bracket is open
		list = append(list, word)
	}
	return list
}

// options takes in the words of a line.
func (h *header) options(line int, words []string) {
	if h.line == 0 {
		h.line = line
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if (w == "-D" || w == "-I") && i+1 < len(words) {
			i++
			w += words[i]
		}
		h.option(line, w)
	}
}

// option takes in one word.
func (h *header) option(line int, w string) {
	refuse := func(why string) { h.faults = append(h.faults, headerFault{line, w, why}) }
	name, value, isSet := strings.Cut(w, "=")
	if rest, ok := strings.CutPrefix(w, "-D"); ok {
		if rest == "" {
			refuse("it does not name a macro")
		}
		h.defines = append(h.defines, rest)
		return
	} else if rest, ok := strings.CutPrefix(w, "-I"); ok {
		h.include = append(h.include, rest)
		return
	}
	row, known := check.Find(HeaderWords, name)
	if whole, ok := check.Find(HeaderWords, w); ok {
		row, known = whole, true
	}
	switch {
	case !known:
		refuse("clmc does not know this option of GPUVerify, which may change the meaning")
	case row.Do == check.Refused:
		refuse(row.Why)
	case sizeOption[name] != "":
		size := sizeOption[name]
		if _, twice := h.sizes[size]; twice {
			refuse("it is given twice")
		}
		if !isSet {
			refuse("it has no size")
		}
		h.sizes[size] = strings.Join(strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune("[], \t", c) }), ",")
	case name == "--kernel-args":
		h.args = append(h.args, strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune("[], \t", c) }))
	case name == "--clang-opt":
		if !strings.HasPrefix(value, "-D") && !strings.HasPrefix(value, "-I") {
			refuse("clmc knows -D and -I of clang's options")
			return
		}
		h.options(line, optionWords(value))
	case strings.HasPrefix(name, "--only") || strings.HasSuffix(name, "-checks") || name == "--no-warp":
		h.idle = append(h.idle, name)
	}
}

// headerDefines returns the macros of the header which the flags do not define.
func (h *header) headerDefines(flags []string) (defines []string) {
	name := func(d string) string { d, _, _ = strings.Cut(d, "="); return d }
	for _, d := range h.defines {
		if !slices.ContainsFunc(flags, func(f string) bool { return name(f) == name(d) }) {
			defines = append(defines, d)
		}
	}
	return defines
}

// headerValues adds what else is known of a kernel's scalars: what --kernel-args of the header says, of one after the
// other, and what the kernel itself requires one to equal.
func (l *launcher) headerValues(h *header, k *tree.Func, args []string) []string {
	give := func(v *tree.Var, value string) {
		if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, v.Name+"=") }) {
			args = append(args, v.Name+"="+value)
		}
	}
	var scalars []*tree.Var
	for _, v := range k.Params {
		if v.Type.IsArithmetic() {
			scalars = append(scalars, v)
		}
	}
	for _, words := range h.args {
		if len(words) == 0 || words[0] != k.Name {
			continue
		}
		if len(words) != len(scalars)+1 {
			l.fault(l.headerAt(h), "", "--kernel-args has %d values for %s, which has %d scalars", len(words)-1, k.Name, len(scalars))
			continue
		}
		for i, w := range words[1:] {
			if w != "*" { // any value
				give(scalars[i], w)
			}
		}
	}
	for _, s := range k.Body.List {
		e, ok := s.(*tree.ExprStmt)
		if !ok {
			continue
		}
		if c, ok := e.X.(*tree.BuiltinCall); ok && c.Fn.Name == "__requires" && len(c.Args) == 1 {
			equals(c.Args[0], func(v *tree.Var, value string) {
				if v.Type.IsInteger() {
					give(v, value)
				}
			})
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
	h := readHeader(l.unit.Files[0].Text)
	at := l.headerAt(h)
	for _, f := range h.faults {
		l.fault(token.Position{Filename: at.Filename, Line: f.line, Column: 1}, "remove it if it does not matter; docs/opencl-c.md lists the options that clmc knows", "the header has %s: %s", f.word, f.why)
	}
	if len(h.sizes) == 0 {
		l.fault(token.Position{Filename: l.path}, "begin the file with a line such as //--local_size=[4,4] --num_groups=[2,2], or leave --gpuverify-header out", "the file has no header for GPUVerify")
	}
	sizes := l.headerSizes(h, at)
	if len(l.found) > 0 {
		return nil
	}
	for _, k := range l.unit.Kernels {
		if l.opt.Kernel != "" && l.opt.Kernel != k.Name {
			continue
		}
		r := *sizes
		r.kernel = k.Name
		r.args = l.headerValues(h, k, l.argsFor(k))
		requests = append(requests, &r)
	}
	if requests == nil {
		l.fault(at, "", "there is no kernel to launch; the file has %s", l.kernelNames())
	}
	if len(h.idle) > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%s in the header leaves out checks; clmc makes them nevertheless.", strings.Join(h.idle, " ")))
	}
	return requests
}

// headerAt is the place of the header.
func (l *launcher) headerAt(h *header) token.Position {
	return token.Position{Filename: l.unit.Files[0].Name, Line: h.line, Column: 1}
}

// headerSizes are the sizes that the flags and, where they say nothing, the header have.
func (l *launcher) headerSizes(h *header, at token.Position) *request {
	r := &request{global: l.opt.Global, local: l.opt.Local, offset: l.opt.Offset, at: at}
	r.local, r.offset = cmp.Or(r.local, h.sizes["local_size"]), cmp.Or(r.offset, h.sizes["global_offset"])
	groups := h.sizes["num_groups"]
	switch {
	case r.global != "":
	case groups != "" && h.sizes["global_size"] != "":
		l.fault(at, "leave one of them out", "the header has both --num_groups and --global_size")
	case strings.Contains(groups, "*"):
		r.global = "*"
	case groups != "" && !strings.Contains(r.local, "*"):
		var ok bool
		if r.global, ok = product(groups, r.local); !ok {
			l.fault(at, "write the same number of sizes in both, as in --local_size=[4,4] --num_groups=[2,2], or give --global", "--num_groups=%s does not fit the local size %s", groups, r.local)
		}
	default:
		r.global = h.sizes["global_size"]
	}
	for _, size := range []struct{ flag, text string }{{"--global", r.global}, {"--local", r.local}, {"--offset", r.offset}} {
		if strings.Contains(size.text, "*") {
			l.fault(at, "add "+size.flag+" N", "the header leaves a size open (*)")
			break
		}
	}
	return r
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

// product multiplies two sizes.
func product(a, b string) (string, bool) {
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == 'x' })
	}
	x, y := split(a), split(b)
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
