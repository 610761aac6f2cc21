package check

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// nothing are macros for what other compilers do not know: assertions are computed and not looked at, assumptions are not even computed.
const nothing = `#ifndef assert
#define assert(x) ((void)(x))
#endif
#define __assert(x) ((void)(x))
#define __requires(x) ((void)0)
#define __assume(x) ((void)0)
#define __builtin_assume(x) ((void)0)
`

// unseen removes what is observed.
const unseen = "#define __observe(name, x) ((void)(x))\n"

// seen stores what is observed, for each work-item and name behind the number of values: so many as there is room for.
const seen = `void clmc_observe(global long *seen, int name, long value)
{
  size_t i = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);
  global long *at = seen + (i * %d + name) * %d;
  if (at[0] < %d)
    at[at[0] + 1] = value;
  at[0]++;
}
#define __observe(name, x) clmc_observe(clmc_seen, name, (long)(x))
`

// SeenRoom is how many values of a work-item are kept of one name.
const SeenRoom = 15

// Compilable is a kernel file as the compilers of devices take it.
type Compilable struct {
	Text string
	// Names are what the kernel observes, by their numbers: its last parameter, clmc_seen, has room for SeenRoom+1 values of
	// each in each work-item.
	Names  []string
	Unseen string // why what is observed is not stored; "" if it is
}

// ForCompiler returns a kernel file for the compilers of devices. Assertions and annotations do nothing there. With observe,
// what that kernel observes is stored.
func ForCompiler(u *tree.Unit, o Options, observe *tree.Func) (*Compilable, error) {
	c := &Compilable{}
	head := &strings.Builder{}
	head.WriteString("#pragma OPENCL FP_CONTRACT OFF\n")
	defines, ok := (&checker{o: o}).defines()
	if !ok {
		return nil, fmt.Errorf("clmc cannot pass the macros of -D on")
	}
	text := string(o.Source)
	if o.Annotations {
		text, _, _ = annotations(text)
	}
	head.WriteString(nothing + defines)
	calls := observations(u)
	switch {
	case len(calls) == 0:
		head.WriteString(unseen)
	case observe == nil:
		c.Unseen = "they do so in functions, in several launches, or in one of several sizes"
		head.WriteString(unseen)
	default:
		if text, c.Unseen = c.observing(u, text, observe, calls); c.Unseen != "" {
			c.Names = nil
			head.WriteString(unseen)
		} else {
			fmt.Fprintf(head, seen, len(c.Names), SeenRoom+1, SeenRoom)
		}
	}
	c.Text = fmt.Sprintf("%s#line 1 %q\n%s\n", head, u.Files[0].Name, text)
	return c, nil
}

// The kernels that copy variables of program scope.
const (
	Fetch = "clmc_fetch"
	Reset = "clmc_reset"
)

// Copiers are these kernels, for variables that lie side by side in a buffer.
func Copiers(list []*tree.Var) string {
	if len(list) == 0 {
		return ""
	}
	var fetch, reset strings.Builder
	at := int64(0)
	for _, v := range list {
		loop := fmt.Sprintf("  for (int i = 0; i < %d; i++)\n    ", v.Type.Size())
		fmt.Fprintf(&fetch, "%sto[%d + i] = ((global uchar *)&%s)[i];\n", loop, at, v.Name)
		fmt.Fprintf(&reset, "%s((global uchar *)&%s)[i] = from[%d + i];\n", loop, v.Name, at)
		at += v.Type.Size()
	}
	return fmt.Sprintf("kernel void %s(global uchar *to)\n{\n%s}\nkernel void %s(global const uchar *from)\n{\n%s}\n", Fetch, &fetch, Reset, &reset)
}

// observation is a call of __observe, and who makes it.
type observation struct {
	fn   *tree.Func
	name *tree.StringLit
}

func observations(u *tree.Unit) (list []observation) {
	for _, f := range u.Funcs {
		tree.Walk(f.Body, func(n any) {
			call, ok := n.(*tree.BuiltinCall)
			if !ok || call.Fn.Class != tree.Outcome {
				return
			}
			if d, ok := call.Args[0].(*tree.Decay); ok {
				if s, ok := d.X.(*tree.StringLit); ok {
					list = append(list, observation{f, s})
				}
			}
		})
	}
	return list
}

// observing numbers the names in a text, and gives the kernel its parameter; or it says why not.
func (c *Compilable) observing(u *tree.Unit, text string, kernel *tree.Func, calls []observation) (_, why string) {
	lines := strings.SplitAfter(text, "\n")
	numbers := map[string]int{}
	for _, call := range calls {
		at, word := call.name.P, `"`+call.name.Value+`"`
		if call.fn != kernel {
			return text, fmt.Sprintf("%s observes, too", call.fn.Name)
		}
		if n := int(at.Line) - 1; at.File != 0 || n < 0 || n >= len(lines) || int(at.Col) < 1 || int(at.Col) > len(lines[n]) || !strings.HasPrefix(lines[n][at.Col-1:], word) {
			return text, "a macro calls __observe"
		}
		number, known := numbers[call.name.Value]
		if !known {
			number = len(c.Names)
			numbers[call.name.Value], c.Names = number, append(c.Names, call.name.Value)
		}
		l := lines[at.Line-1] // a number is no longer than a name in quotes, so that nothing else moves
		lines[at.Line-1] = l[:at.Col-1] + fmt.Sprintf("%*d", len(word), number) + l[int(at.Col)-1+len(word):]
	}
	text = strings.Join(lines, "")
	w := &rewriter{in: []byte(text), code: strip(text)}
	found := regexp.MustCompile(`\b`+regexp.QuoteMeta(kernel.Name)+`\s*\(`).FindAllIndex(w.code, -1)
	if len(found) != 1 {
		return text, fmt.Sprintf("%s is named more than once", kernel.Name)
	}
	end := w.match(found[0][1] - 1)
	if end < 0 {
		return text, "the parameters have no end"
	}
	switch inside := strings.TrimSpace(string(w.code[found[0][1]:end])); inside {
	case "", "void":
		return text[:found[0][1]] + "global long *clmc_seen" + text[end:], ""
	}
	return text[:end] + ", global long *clmc_seen" + text[end:], ""
}
