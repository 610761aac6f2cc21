package clc

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
)

// launcher makes the plan of a kernel file.
type launcher struct {
	unit    *tree.Unit
	opt     Options
	path    string
	found   diag.Diagnostics
	buffers map[string]*code.Buffer // by the names of the arguments that made them, or had them last
	before  map[string]*code.Buffer // buffers, as they were before the launch
	fresh   map[string]*code.Buffer // those of them that the launch makes
	made    []*code.Buffer
	zeros   []string // buffers that were not given
	notes   []string // for the report
	anys    []string // arguments that are any
	// unchecked are assertions of the file that are not about the launches that flags ask for.
	unchecked []string
}

// request is a launch as it was asked for, in flags or in a line.
type request struct {
	kernel                string
	global, local, offset string
	subGroup              string // the size of sub-groups
	args                  []string
	at                    token.Position
	sim                   *simFile
	lacks                 lacking
}

// lacking is what a launch needs and was not given.
type lacking struct {
	local bool         // the local size
	args  []*tree.Var  // scalars
	guess *guessReader // of the kernel, if there is need for it
}

// fault reports what is wrong with a launch.
func (l *launcher) fault(at token.Position, hint, format string, args ...any) {
	d := diag.Diagnostic{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint}
	if at.Line > 0 {
		d.Line = diag.Quote(strings.Split(l.unit.Files[0].Text, "\n"), at.Line)
	}
	l.found = append(l.found, d)
}

// launches returns the launches that flags ask for, or a .sim file, or else the lines of the file.
func (l *launcher) launches(sim *simFile) []*code.Launch {
	whole := token.Position{Filename: l.path}
	requests, asserts := l.directives()
	switch own := requests; {
	case sim != nil:
		requests = []*request{{kernel: sim.kernel, global: sim.global, local: sim.local, at: whole, sim: sim}}
		asserts = l.moved(asserts, own, requests)
	case l.opt.GPUVerify:
		requests = l.headerRequests()
		for _, r := range requests {
			l.complete(r, own)
		}
		return l.all(requests, l.moved(asserts, own, requests))
	case l.opt.Launches():
		requests = []*request{{kernel: l.opt.Kernel, global: l.opt.Global, local: l.opt.Local, offset: l.opt.Offset, args: l.opt.Args, at: whole}}
		l.complete(requests[0], own)
		asserts = l.moved(asserts, own, requests)
	}
	if requests == nil && len(l.unit.Kernels) == 1 { // sizes may stand in its attributes
		requests = []*request{{at: whole}}
	}
	if requests == nil {
		l.fault(whole, "add --kernel NAME --global N --local N, or a line to the file: //clmc:launch NAME global=8 local=4",
			"which kernel is to be launched? The file has %s", l.kernelNames())
		return nil
	}
	return l.all(requests, asserts)
}

func (l *launcher) kernelNames() string {
	var names []string
	for _, k := range l.unit.Kernels {
		names = append(names, k.Name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (l *launcher) all(requests []*request, asserts []assertLine) []*code.Launch {
	var list []*code.Launch
	for i, r := range requests {
		r.subGroup = cmp.Or(l.opt.SubGroup, r.subGroup)
		if x := l.launch(r); x != nil {
			list = append(list, x)
			for _, a := range asserts {
				if a.after == i {
					l.apply(x, a)
				}
			}
		}
	}
	return list
}

// launch turns a request into a launch, in which the kernel has one end of each pipe (rule 14.2).
func (l *launcher) launch(r *request) *code.Launch {
	k := l.kernel(r)
	if k == nil {
		return nil
	}
	x, r, others := l.alternatives(k, r)
	if x == nil {
		return nil
	}
	l.before, l.fresh = maps.Clone(l.buffers), map[string]*code.Buffer{}
	given := map[string]string{}
	for _, a := range r.args {
		name, what, ok := strings.Cut(a, "=")
		if !ok {
			l.fault(r.at, "write NAME=VALUE, as in n=8 or a=int[8]{1,2}", "argument %q has no value", a)
			return nil
		}
		if _, twice := given[name]; twice {
			l.fault(r.at, "leave one of them out", "argument %s is given twice", name)
		}
		if isAny(what) {
			what = l.late(r, name, what)
		}
		given[name] = what
	}
	for _, v := range k.Params {
		if _, given := given[v.Name]; !given && v.Name == "offset" && r.offset != "" && r.at.Line > 0 {
			l.fault(r.at, "write --arg offset="+r.offset, "offset means the global offset here, but %s has a parameter of this name", k.Name)
			return nil
		}
		if _, given := given[v.Name]; !given && v.Name == "sub_group" && r.subGroup != "" && r.at.Line > 0 && l.opt.SubGroup == "" {
			l.fault(r.at, "write --arg sub_group="+r.subGroup, "sub_group means the size of sub-groups here, but %s has a parameter of this name", k.Name)
			return nil
		}
	}
	x.Args = make([]code.Arg, len(k.Params))
	for _, later := range []bool{false, true} { // an argument may be what another one is, whichever stands first
		for i, v := range k.Params {
			what, ok := given[v.Name]
			other := ok && r.sim == nil && slices.ContainsFunc(k.Params, func(w *tree.Var) bool { return w != v && w.Name == what })
			switch {
			case other != later:
			case r.sim != nil:
				x.Args[i] = l.simArgument(r.sim, i, v)
			default:
				x.Args[i] = l.argument(x, r, v, what, ok)
			}
		}
	}
	l.likewise(x, others, given)
	for _, v := range k.Params {
		delete(given, v.Name)
	}
	l.oneEnd(x, r)
	l.lack(x, r)
	for name := range given {
		l.fault(r.at, "the parameters are: "+paramNames(k), "%s has no parameter %s", k.Name, name)
	}
	return x
}

// lack reports all that a launch lacks at once, with what to add and the whole line for the file, as far as it can be guessed.
func (l *launcher) lack(x *code.Launch, r *request) {
	if !r.lacks.local && len(r.lacks.args) == 0 {
		return
	}
	if r.lacks.guess == nil {
		r.lacks.guess = readGuess(x.Kernel)
	}
	g := r.lacks.guess.guess(Options{}, guessShape{global: x.Global, local: x.Local}, 0)
	var needs, add []string
	if r.lacks.local {
		needs, add = append(needs, "a local size, on which the verdict may depend"), append(add, "--local "+g.Options.Local)
	}
	for _, v := range r.lacks.args {
		needs = append(needs, fmt.Sprintf("a value for its argument %s, of type %s", v.Name, v.Type))
		for _, a := range g.Options.Args {
			name, _, _ := strings.Cut(a, "=")
			switch {
			case name != v.Name:
			case r.at.Line > 0: // only a shell needs quotes
				add = append(add, "--arg "+a)
			default:
				add = append(add, "--arg "+shell.Word(a))
			}
		}
	}
	l.fault(r.at, fmt.Sprintf("add: %s\nor write a line such as this one into the file, with the sizes that the kernel is for:\n%s", strings.Join(add, " "), g.Line()),
		"%s needs %s", x.Kernel.Name, strings.Join(needs, "; "))
}

func paramNames(k *tree.Func) string {
	var names []string
	for _, v := range k.Params {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// kernel finds the kernel of a request.
func (l *launcher) kernel(r *request) *tree.Func {
	if r.kernel == "" && len(l.unit.Kernels) == 1 {
		return l.unit.Kernels[0]
	}
	for _, k := range l.unit.Kernels {
		if k.Name == r.kernel {
			return k
		}
	}
	switch {
	case len(l.unit.Kernels) == 0:
		l.fault(r.at, "a kernel is a function that is declared with __kernel or kernel", "there is no kernel in the file")
	case r.kernel == "":
		l.fault(r.at, "add --kernel NAME", "which kernel is to be launched? The file has %s", l.kernelNames())
	default:
		l.fault(r.at, "", "there is no kernel %s; the file has %s", r.kernel, l.kernelNames())
	}
	return nil
}

// directives reads the //clmc: lines of the kernel file.
func (l *launcher) directives() (requests []*request, asserts []assertLine) {
	count := 0
	for i, line := range strings.Split(strings.TrimPrefix(l.unit.Files[0].Text, byteOrderMark), "\n") {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "//clmc:")
		if !ok {
			continue
		}
		at := token.Position{Filename: l.unit.Files[0].Name, Line: i + 1, Column: strings.Index(line, "//") + 1}
		if count++; count > maxDirectives {
			l.fault(at, "split the file", "the file has more than %d //clmc: lines, the limit of clmc", maxDirectives)
			return requests, nil
		}
		word, rest, _ := strings.Cut(text, " ")
		switch word {
		case "launch":
			requests = append(requests, l.launchLine(at, rest))
		case "assert":
			asserts = append(asserts, assertLine{text: strings.TrimSpace(rest), at: at, after: max(len(requests)-1, 0)})
		case "expect", "outcomes", "known", "unreachable", "fixed", "free", "weight": // which others read
		default:
			l.fault(at, "the lines are: //clmc:launch, //clmc:assert, //clmc:expect, //clmc:outcomes, //clmc:known, //clmc:unreachable, //clmc:fixed, //clmc:free, //clmc:weight", "clmc does not know the line //clmc:%s", word)
		}
	}
	return requests, asserts
}

// maxDirectives bounds the lines of a file that say something to clmc.
const maxDirectives = 1000

// HasLaunch reports whether a kernel file has a line that launches a kernel.
func HasLaunch(text []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte(byteOrderMark))) {
		if rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("//clmc:launch")); ok && (len(rest) == 0 || rest[0] == ' ') {
			return true
		}
	}
	return false
}

// launchLine reads what follows //clmc:launch: a kernel, sizes and arguments, of which each has no
// blanks outside braces. What follows --arg is an argument, also if it is called as a size is.
func (l *launcher) launchLine(at token.Position, s string) *request {
	r := &request{at: at}
	sizes := map[string]*string{"global": &r.global, "local": &r.local, "offset": &r.offset, "sub_group": &r.subGroup}
	list, balanced := words(s)
	if !balanced {
		l.fault(at, "write a } for each {", "the braces of the line are not balanced")
	}
	for i := 0; i < len(list); i++ {
		name, v, isSet := strings.Cut(list[i], "=")
		size := sizes[name]
		switch {
		case name == "--arg" && isSet:
			r.args = append(r.args, v)
		case name == "--arg" && i+1 < len(list):
			i++
			r.args = append(r.args, list[i])
		case !isSet && i == 0:
			r.kernel = name
		case !isSet || size == nil:
			r.args = append(r.args, list[i])
		case *size != "":
			l.fault(at, "leave one of them out, or write --arg "+list[i]+" if it is an argument", "%s is given twice", name)
		default:
			*size = v
		}
	}
	return r
}

// words splits at blanks that are not in braces, and reports whether each brace has its other one.
func words(s string) (list []string, balanced bool) {
	depth, word := 0, ""
	balanced = true
	for _, c := range s {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
			balanced = balanced && depth >= 0
		case depth <= 0 && (c == ' ' || c == '\t' || c == '\r'):
			if word != "" {
				list = append(list, word)
			}
			word = ""
			continue
		}
		word += string(c)
	}
	if word != "" {
		list = append(list, word)
	}
	return list, balanced && depth == 0
}
