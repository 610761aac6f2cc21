package clc

import (
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/clc/internal/check"
	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// Guess is a launch of a kernel that nobody has asked for: sizes and arguments are guessed from the kernel's text.
type Guess struct {
	Options Options  // the launch, whole
	Bounds  []string // the arguments that are compared with ids, and so bound the work-items that do something
	// lengths are the numbers of elements of the buffers and of local memory, which are guessed, by argument.
	lengths, firstLengths map[string]int
	items                 int                  // work-items of the launch
	filled                map[string]bool      // buffers whose content decides, and is not written by the kernel
	content               filling              // what they hold
	params                map[string]*tree.Var // by name
}

// filling is what buffers hold on whose content something depends.
type filling uint8

const (
	ramp     filling = iota // 0, 1, 2 and so on: as indices a permutation, as conditions of both kinds, as ends of rows in order
	backward                // the same, from the last to the first, for as many as there are work-items
	same                    // zeros
	numFillings
)

// Guesses returns launches for each kernel of a file, in the order of the text, or for the one that the options name: up to
// `most` of a kernel, the most telling first. They are the same each time.
func Guesses(path string, opt Options, most int) ([]*Guess, error) {
	text, err := regular.Read(path, maxFile+1)
	if err != nil {
		return nil, regular.Fault(path, err)
	}
	if len(text) > maxFile {
		return nil, tooLong(path)
	}
	std, err := parseStd(opt.Std)
	if err != nil {
		return nil, err
	}
	u, _, err := check.Parse(check.Options{Path: path, Source: text, Include: opt.Include, Defines: opt.Defines, Std: std, Undefined: opt.Undefined})
	if err != nil {
		return nil, err
	}
	l := &launcher{unit: u, opt: opt, path: path}
	kernels := u.Kernels
	if opt.Kernel != "" || len(kernels) == 0 {
		k := l.kernel(&request{kernel: opt.Kernel, at: token.Position{Filename: path}})
		if k == nil {
			return nil, l.found
		}
		kernels = []*tree.Func{k}
	}
	var all []*Guess
	for _, k := range kernels {
		all = append(all, guesses(k, opt, most)...)
	}
	return all, nil
}

// Guessable reports whether launches of a file may be guessed: neither the options nor the file say how to launch it.
func Guessable(path string, text []byte, opt *Options) bool {
	asked := *opt
	asked.Kernel = ""
	return filepath.Ext(path) == Ext && !asked.Launches() && !opt.GPUVerify && !HasLaunch(text)
}

// guesses returns launches of a kernel: two work-groups in which each work-item has something to do; one item too few and one too many for
// what the arguments say; one work-group; and smaller work-groups where nothing depends on their size.
func guesses(k *tree.Func, opt Options, most int) []*Guess {
	r := readGuess(k)
	local := r.local()
	wide := local
	for d := range 3 {
		if r.groups[d] && (d == 0 || local[0]*local[1]*local[2] <= 16) {
			wide[d] *= 2
		}
	}
	type shape struct {
		global, local [3]int64
		more          int64
	}
	shapes := []shape{{wide, local, 0}}
	if len(r.bounds) > 0 {
		shapes = append(shapes, shape{wide, local, -1}, shape{wide, local, 1})
	}
	if wide != local {
		shapes = append(shapes, shape{local, local, 0})
	}
	if half := [3]int64{local[0] / 2, local[1], local[2]}; !r.fixed && half[0] > 0 && wide != local {
		shapes = append(shapes, shape{wide, half, 0})
	}
	for len(shapes) < int(numFillings) { // with other contents, if any decide
		shapes = append(shapes, shapes[0])
	}
	var list []*Guess
	for i, s := range shapes[:min(most, len(shapes))] {
		g := r.guess(opt, s.global, s.local, s.more)
		g.content = filling(i) % numFillings
		list = append(list, g)
	}
	return list
}

// guess makes a launch of these sizes. What is added to a pointer is 0; what counts bytes between rows leaves room for each; what is compared
// with ids is the number of work-items in that dimension, and `more`; any other scalar is the greatest global size.
func (r *guessReader) guess(opt Options, global, local [3]int64, more int64) *Guess {
	k := r.kernel
	g := &Guess{Options: opt, lengths: map[string]int{}, filled: map[string]bool{}, params: map[string]*tree.Var{}}
	g.Options.Kernel, g.Options.Global, g.Options.Local = k.Name, r.sizeText(global), r.sizeText(local)
	if k.ReqdWorkGroupSize[0] > 0 {
		g.Options.Local = ""
	}
	g.Options.Args = nil
	g.items = int(global[0] * global[1] * global[2])
	for _, v := range k.Params {
		g.params[v.Name] = v
		t := v.Type
		switch {
		case t.Kind == tree.Pointer && t.To.Space == tree.Local:
			g.lengths[v.Name] = int(local[0] * local[1] * local[2])
		case t.Kind == tree.Pointer:
			g.lengths[v.Name] = max(leastBuffer, g.items)
		case t.Kind == tree.Pipe:
			g.Options.Args = append(g.Options.Args, v.Name+"=pipe[8]")
		case t.Kind == tree.Image || t.Kind == tree.Sampler || !code.Passable(t) || len(code.Leaves(t)) == 0:
		default:
			value := slices.Max(global[:])
			if d, ok := r.bounds[v]; ok {
				g.Bounds = append(g.Bounds, v.Name)
				value = global[d] + more
			}
			switch {
			case r.offsets[v]:
				value = 0
			case r.strides[v]:
				value = rowBytes(v.Name)
			}
			g.Options.Args = append(g.Options.Args, v.Name+"="+guessedValue(t, value))
		}
	}
	g.firstLengths = maps.Clone(g.lengths)
	return g
}

// rowBytes is a number of bytes between what a name like nb02 counts: of 16 elements of the next lower digit, the lowest being of 4 bytes.
func rowBytes(name string) int64 {
	last := name[len(name)-1] // the front end refuses parameters without a name
	if last < '0' || last > '3' {
		return 64
	}
	return 4 << (4 * (last - '0'))
}

// guessedValue writes a number as a value of a type.
func guessedValue(t *tree.Type, n int64) string {
	switch {
	case t.IsFloating():
		return "1.0"
	case t.IsInteger():
		return strconv.FormatInt(n, 10)
	}
	leaves := code.Leaves(t)
	words := make([]string, len(leaves))
	for i, leaf := range leaves {
		if words[i] = strconv.FormatInt(n, 10); leaf.Float() {
			words[i] = "1.0"
		}
	}
	return "{" + strings.Join(words, ",") + "}"
}

// Launch returns the launch as options that say all of it.
func (g *Guess) Launch() Options {
	opt := g.Options
	opt.Args = slices.Clone(opt.Args)
	for name, v := range g.params {
		n, ok := g.lengths[name]
		switch {
		case !ok:
		case v.Type.To.Space == tree.Local:
			opt.Args = append(opt.Args, fmt.Sprintf("%s=local[%d]", name, n))
		case g.filled[name] && g.content == backward && g.items <= mostListed:
			opt.Args = append(opt.Args, fmt.Sprintf("%s=[%d]{%s}", name, n, downFrom(g.items-1)))
		case g.filled[name] && g.content != same:
			opt.Args = append(opt.Args, fmt.Sprintf("%s=[%d]{0..%d}", name, n, n-1))
		default:
			opt.Args = append(opt.Args, fmt.Sprintf("%s=zero[%d]", name, n))
		}
	}
	slices.Sort(opt.Args)
	return opt
}

// Content names what buffers hold whose content decides.
func (g *Guess) Content() string {
	return [...]string{ramp: "0, 1, 2 ...", backward: "... 2, 1, 0", same: "0, 0, 0 ..."}[g.content]
}

// mostListed bounds the numbers that are written one by one.
const mostListed = 64

// downFrom lists the numbers from n down to 0.
func downFrom(n int) string {
	var words []string
	for ; n >= 0; n-- {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}

// Line returns the launch as a line for the kernel file.
func (g *Guess) Line() string {
	opt := g.Launch()
	words := []string{"//clmc:launch", opt.Kernel, "global=" + opt.Global}
	if opt.Local != "" {
		words = append(words, "local="+opt.Local)
	}
	for _, a := range opt.Args {
		if name, _, _ := strings.Cut(a, "="); name == "global" || name == "local" || name == "offset" {
			a = "--arg " + a
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// longest bounds the elements of a buffer that is made longer.
const longest = 1 << 18

// Grow makes an object longer whose length is a guess, and reports whether it could.
func (g *Guess) Grow(object string) bool {
	n, ok := g.lengths[object]
	if !ok || n >= longest {
		return false
	}
	g.lengths[object] = min(16*n, longest)
	return true
}

// Grown reports whether an object has been made longer.
func (g *Guess) Grown(object string) bool { return g.lengths[object] != g.firstLengths[object] }

// Shrink makes an object as long again as was guessed first.
func (g *Guess) Shrink(object string) { g.lengths[object] = g.firstLengths[object] }

// Fill gives content to buffers on whose content something depends, and to which the kernel does not write. It reports whether that changes
// anything.
func (g *Guess) Fill(data []ir.Datum) (changed bool) {
	for _, d := range data {
		v := g.params[d.Name]
		if !d.Decides || v == nil || v.Type.Kind != tree.Pointer || !v.Type.To.Const || g.filled[d.Name] {
			continue
		}
		if t := v.Type.Elem; t.IsInteger() || t.IsFloating() {
			g.filled[d.Name], changed = true, changed || g.content != same
		}
	}
	return changed
}

// Depends reports whether something in the data of a program decides what can happen: all of it is guessed.
func Depends(data []ir.Datum) bool {
	return slices.ContainsFunc(data, func(d ir.Datum) bool { return d.Decides })
}

// DependsOnIndices reports whether the content of a buffer is used in an address.
func DependsOnIndices(data []ir.Datum) bool {
	return slices.ContainsFunc(data, func(d ir.Datum) bool { return d.Decides && !d.Scalar && d.Why == lower.UsedInAddress })
}
