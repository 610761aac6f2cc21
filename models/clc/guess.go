package clc

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/clmc/clmc/models/clc/internal/check"
	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/diag"
	"github.com/clmc/clmc/state/ir"
)

// Guess is a launch of a kernel that nobody has asked for: sizes and arguments are guessed from the kernel's text.
type Guess struct {
	Options Options  // the launch, whole
	Bounds  []string // the arguments that are compared with ids, and so bound the work-items that do something
	// lengths are the numbers of elements of the buffers and of local memory, which are guessed, by argument.
	lengths, firstLengths map[string]int
	images                map[string][]int     // the sizes of images, which are guessed, too
	inVain                map[string]bool      // objects that no length is enough for, as far as a run has shown
	items, groups         int                  // work-items of the launch, and its work-groups
	fits                  bool                 // each bound is the number of work-items: none has nothing to do
	filled                map[string]bool      // buffers whose content decides, and is not written by the kernel
	content               filling              // what they hold
	params                map[string]*tree.Var // by name
	kernel                *tree.Func
	spacing               map[string]bool // scalars that something is multiplied by that is no number
	retries               map[int]bool    // lines of loops that write a place until it holds what has been written
	shared                bool            // it has atomic operations, which buffers of zeros are for
	divides               bool            // it divides integers by what may be 0
}

// filling is what buffers hold on whose content something depends.
type filling uint8

const (
	ramp     filling = iota // 0, 1, 2 and so on: as indices a permutation, as conditions of both kinds, as ends of rows in order
	backward                // the same, from the last to the first, for as many as there are work-items
	same                    // zeros
	mixed                   // every second buffer from 0 on, the others backward
	numFillings
)

// Guesses returns launches for each kernel of a file, in the order of the text, or for the one that the options name: up to
// `most` of a kernel, the most telling first. They are the same each time.
func Guesses(path string, opt Options, most int) ([]*Guess, error) {
	u, err := parseFile(path, opt)
	if err != nil {
		return nil, err
	}
	l := &launcher{unit: u, opt: opt, path: path}
	kernels := u.Kernels
	if opt.Kernel != "" || len(kernels) == 0 {
		k := l.kernel(&request{kernel: opt.Kernel, at: token.Position{Filename: path}})
		switch {
		case len(kernels) == 0:
			return nil, noKernel{l.found}
		case k == nil:
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

// asked matches a line on which the preprocessor asks for something, and extension the name of one that not all devices have.
var (
	asked     = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:if|ifdef|elif|elifdef)\b.*$`)
	extension = regexp.MustCompile(`\bcl_[a-z]+_\w+`)
)

// AskedExtensions returns the extensions for which a text asks the preprocessor, in order, but for those of Khronos, which are there. A file that is made for
// the devices that have one of them may not compile without it.
func AskedExtensions(text []byte) (names []string) {
	for _, line := range asked.FindAll(text, -1) {
		for _, name := range extension.FindAll(line, -1) {
			if !bytes.HasPrefix(name, []byte("cl_khr_")) && !slices.Contains(names, string(name)) {
				names = append(names, string(name))
			}
		}
	}
	return names
}

// ErrNoKernel is told of a file without a kernel: all may be in conditions of the preprocessor that do not hold.
var ErrNoKernel = errors.New("no kernel")

// noKernel says it of a file.
type noKernel struct{ error }

func (noKernel) Is(target error) bool { return target == ErrNoKernel }

// macroName matches what may be the name of a macro of a host in a condition.
var macroName = regexp.MustCompile(`\b[A-Z][A-Z0-9_]*\b`)

// AskedMacros returns the names in capitals for which a text asks the preprocessor, in order.
func AskedMacros(text []byte) (names []string) {
	for _, line := range asked.FindAll(text, -1) {
		for _, name := range macroName.FindAll(line, -1) {
			if !slices.Contains(names, string(name)) {
				names = append(names, string(name))
			}
		}
	}
	return names
}

// errorLine matches a line by which a file refuses to be compiled.
var errorLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*error\b.*$`)

// Refuses reports whether a text has such a line.
func Refuses(text []byte) bool { return errorLine.Match(text) }

// BeyondErrors returns what is wrong with a file besides its own #error lines, where hosts have left out what these ask for; nil if nothing is, or there are none.
func BeyondErrors(path string, text []byte, opt Options) error {
	std, err := parseStd(opt.Std)
	if err != nil || !Refuses(text) {
		return nil
	}
	_, _, err = check.Parse(check.Options{Path: path, Source: errorLine.ReplaceAll(text, nil), Include: opt.Include, Defines: opt.Defines, Std: std, Undefined: opt.Undefined})
	return err
}

// HostMacros returns definitions of the names that a file leaves to its host, as far as an error of reading it tells: a small power of two for a number; for a type
// the one of elements that is given, or a vector of it, as in real4; for what is called, its first argument.
func HostMacros(err error, element string) (list []string) {
	var found diag.Diagnostics
	if !errors.As(err, &found) {
		return nil
	}
	for _, d := range found {
		value := "4"
		switch {
		case d.LacksType:
			value = element + vectorName.FindString(d.Lacks)
		case strings.Contains(d.Lacks, "(a1"):
			value = "(a1)"
		}
		if text := d.Lacks + "=" + value; d.Lacks != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// vectorName matches the number of elements at the end of the name of a type.
var vectorName = regexp.MustCompile(`\B(?:2|3|4|8|16)$`)

// Guessable reports whether launches of a file may be guessed: neither the options nor the file say how to launch it.
func Guessable(path string, text []byte, opt *Options) bool {
	whole := *opt
	whole.Kernel = ""
	return filepath.Ext(path) == Ext && !whole.Launches() && !opt.GPUVerify && !HasLaunch(text)
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
	shapes := []guessShape{{wide, local, 0, 0}}
	if len(r.bounds) > 0 {
		shapes = append(shapes, guessShape{wide, local, -1, 0}, guessShape{wide, local, 1, 0})
	}
	if wide != local {
		shapes = append(shapes, guessShape{local, local, 0, 0})
	}
	if half := [3]int64{local[0] / 2, local[1], local[2]}; !r.fixed && half[0] >= r.parts && half[0] > 0 && wide != local {
		shapes = append(shapes, guessShape{wide, half, 0, 0})
	}
	shapes = append(shapes, guessShape{wide, local, 0, 1})
	if r.fixed || !r.items[0] || local[0] > 16 || !r.flexible && (r.meets || r.arrays != nil) {
		shapes = append(shapes, guessShape{wide, local, 0, 2})
	} else {
		wide[0], local[0] = 2*wide[0], 2*local[0]
		shapes = append(shapes, guessShape{wide, local, 0, 2})
	}
	for _, v := range k.Params {
		for len(shapes) < len(r.decides(v)) {
			shapes = append(shapes, shapes[0])
		}
	}
	var list []*Guess
	for i, s := range shapes[:min(most, len(shapes))] {
		g := r.guess(opt, s, i)
		g.content = filling(i) % numFillings
		list = append(list, g)
	}
	return list
}

// guessShape is a launch of some size.
type guessShape struct {
	global, local [3]int64
	more          int64 // what bounds are more than the work-items
	// small: scalars that bound no ids are from 1 to this number, in turn; 0: they are the greatest global size.
	small int64
}

// guess makes the launch of that number, from 0, of a shape. What is added to a pointer is 0; what counts bytes between rows leaves room for each; what is compared
// with ids is the number of work-items in that dimension, and `more`; what is subtracted, or shifts, is small; any other scalar is the greatest
// global size, or small, or one after the other of those with which a branch is taken.
func (r *guessReader) guess(opt Options, s guessShape, number int) *Guess {
	k, global, local := r.kernel, s.global, s.local
	turn := int64(0)
	g := &Guess{Options: opt, lengths: map[string]int{}, inVain: map[string]bool{}, filled: map[string]bool{}, params: map[string]*tree.Var{}, spacing: map[string]bool{}, retries: r.retries, shared: r.shared, divides: r.quotient, kernel: k, fits: true}
	g.Options.Kernel, g.Options.Global, g.Options.Local = k.Name, r.sizeText(global), r.sizeText(local)
	if k.ReqdWorkGroupSize[0] > 0 {
		g.Options.Local = ""
	}
	g.Options.Args = nil
	g.items = int(global[0] * global[1] * global[2])
	g.groups = g.items / int(local[0]*local[1]*local[2])
	for _, v := range k.Params {
		g.params[v.Name], g.spacing[v.Name] = v, r.spacing[v]
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
			value := r.elements(s)
			d, bound := r.bounds[v]
			small := s.small > 0 && !r.factors[v] || r.counts[v]
			switch {
			case bound && !(r.counts[v] && r.guards[v] && s.small > 0):
				g.Bounds = append(g.Bounds, v.Name)
				if value = global[d] + s.more; r.back[v] && !r.factors[v] { // as many work-items are behind it as before it
					value = (global[d]+1)/2 + s.more
				} else if !r.guards[v] { // it tells which work-item is the last: none is beyond it
					value = max(value, global[d])
				}
				g.fits = g.fits && value == global[d]
			case small && !t.IsFloating():
				value = max(s.small, 1) - turn%max(s.small, 1)
				turn++
			}
			if list := r.decides(v); len(list) > 0 {
				value = list[number%len(list)]
			}
			switch {
			case r.offsets[v], r.named[v] && isOffset(v.Name) && s.small == 0:
				value = 0
			case r.named[v] && isIncrement(v.Name):
				value = max(s.small, 1)
			case r.strides[v]:
				value = rowBytes(v.Name, r.elements(s), max(r.widest, 4))
			}
			g.Options.Args = append(g.Options.Args, v.Name+"="+guessedValue(t, value))
		}
	}
	g.firstLengths, g.images = maps.Clone(g.lengths), imagesOf(g.params, global)
	return g
}

// elements is the number of elements in the longest dimension: one for each work-item, or what the numbers of groups are multiplied by.
func (r *guessReader) elements(s guessShape) int64 {
	n := slices.Max(s.global[:])
	for d := range 3 {
		n = max(n, r.tile[d]*(s.global[d]/s.local[d]+r.ahead[d]))
	}
	return n
}

// rowBytes is a number of bytes between what a name like nb02 counts: of at least twice as many elements of the next lower digit as there are in a row, but not more than 16,
// the lowest being of as many bytes as the longest number to which a pointer is cast. As short as this, buffers have few elements.
func rowBytes(name string, elements, bytes int64) int64 {
	last := name[len(name)-1] // the front end refuses parameters without a name
	if name = strings.TrimRight(name, "_bytesBYTES"); len(name) > 0 && (last < '0' || last > '3') {
		last = name[len(name)-1]
	}
	if last < '0' || last > '3' {
		last = '1'
	}
	row := min(powerAbove(2*elements-1), 16)
	for ; last > '0'; last-- {
		bytes *= row
	}
	return bytes
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
		case g.holds(name) == backward && g.items <= mostListed:
			opt.Args = append(opt.Args, fmt.Sprintf("%s=[%d]{%s}", name, n, downFrom(g.items-1)))
		case g.holds(name) != same:
			opt.Args = append(opt.Args, fmt.Sprintf("%s=[%d]{0..%d}", name, n, min(n*len(code.Leaves(v.Type.Elem)), ir.MaxChoices)-1))
		default:
			opt.Args = append(opt.Args, fmt.Sprintf("%s=zero[%d]", name, n))
		}
	}
	slices.Sort(opt.Args)
	return opt
}

// Content names what buffers hold whose content decides.
func (g *Guess) Content() string {
	return [...]string{ramp: "0, 1, 2 ...", backward: "... 2, 1, 0", same: "0, 0, 0 ...", mixed: "0, 1, 2 ... or ... 2, 1, 0"}[g.content]
}

// holds returns what a buffer is filled with: ramp, backward, or same.
func (g *Guess) holds(name string) filling {
	switch {
	case !g.filled[name] || g.content == same:
		return same
	case g.content == backward || g.content == mixed && g.odd(name):
		return backward
	}
	return ramp
}

// SameContent reports whether the buffers of two launches of a kernel hold the same, but for their lengths.
func (g *Guess) SameContent(o *Guess) bool {
	for name := range g.params {
		if g.holds(name) != o.holds(name) {
			return false
		}
	}
	return true
}

// Fits reports whether each bound is the number of work-items, so that none is left out by it.
func (g *Guess) Fits() bool { return g.fits }

// odd reports whether a buffer is the second, the fourth and so on of those that are filled, in the order of the parameters.
func (g *Guess) odd(name string) (odd bool) {
	for _, v := range g.kernel.Params {
		if v.Name == name {
			return odd
		}
		if g.filled[v.Name] {
			odd = !odd
		}
	}
	return false
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

// longest bounds the elements of a buffer that is made longer, each time by a factor: a small one, as each element takes time and memory.
const (
	longest = 1 << 18
	longer  = 4
)

// Grow makes an object longer whose length is a guess, and reports whether it could.
func (g *Guess) Grow(object string) bool {
	if object == "" { // which one it is is not known
		return g.growAll()
	}
	n, ok := g.lengths[object]
	if !ok || n >= longest || g.inVain[object] {
		return false
	}
	g.lengths[object] = min(longer*n, longest)
	return true
}

// growAll makes all buffers longer that can be.
func (g *Guess) growAll() (grown bool) {
	for name, n := range g.lengths {
		if n < longest && g.params[name].Type.To.Space != tree.Local {
			g.lengths[name], grown = min(longer*n, longest), true
		}
	}
	return grown
}

// Grown reports whether an object has been made longer.
func (g *Guess) Grown(object string) bool {
	return object == "" && !maps.Equal(g.lengths, g.firstLengths) || g.lengths[object] != g.firstLengths[object]
}

// Shrink makes an object as long again as was guessed first.
func (g *Guess) Shrink(object string) {
	if object == "" {
		g.lengths = maps.Clone(g.firstLengths)
		return
	}
	g.lengths[object] = g.firstLengths[object]
}

// Fill gives content to buffers on whose content something depends: to which the kernel does not write, or to all if it has no atomic operations, which
// need memory that begins with zeros. It reports whether that changes anything.
func (g *Guess) Fill(data []ir.Datum) (changed bool) {
	for _, d := range data {
		v := g.params[d.Name]
		if !d.Decides || v == nil || v.Type.Kind != tree.Pointer || g.shared && !v.Type.To.Const || g.filled[d.Name] {
			continue
		}
		if numbers(v.Type.Elem) {
			g.filled[d.Name], changed = true, changed || g.content != same
		}
	}
	return changed
}

// numbers reports whether a type consists of numbers, and of few.
func numbers(t *tree.Type) bool {
	if t.Kind == tree.Void || !code.Passable(t) {
		return false
	}
	n := len(code.Leaves(t))
	return n > 0 && n <= 16
}

// DependsOnContent reports whether something in the buffers of a program decides what can happen.
func DependsOnContent(data []ir.Datum) bool {
	return slices.ContainsFunc(data, func(d ir.Datum) bool { return d.Decides && !d.Scalar })
}

// Depends reports whether something in the data of a program decides what can happen: all of it is guessed.
func Depends(data []ir.Datum) bool {
	return slices.ContainsFunc(data, func(d ir.Datum) bool { return d.Decides })
}

// unrelated is how many guessed scalars in addresses are taken for a layout that nobody has: of one or two, such as the width of a matrix, the
// guess leaves room for what is in a row.
const unrelated = 3

// Misplaces reports whether a place in memory, named as by reports, may be where nobody puts it: in a buffer whose layout several scalars say, each of
// which is a guess.
func (g *Guess) Misplaces(place string, data []ir.Datum) bool {
	return g.inBuffer(place) && len(g.Layout(data)) >= unrelated
}

// LaidOut reports whether a place in memory, named as by reports, is in a buffer whose layout a guessed scalar says.
func (g *Guess) LaidOut(place string, data []ir.Datum) bool {
	return g.inBuffer(place) && len(g.Layout(data)) > 0
}

// AsLarge reports whether a launch has as many work-items as another one, and work-groups beside each other if that has some.
func (g *Guess) AsLarge(o *Guess) bool { return g.items >= o.items && g.groups >= min(o.groups, 2) }

// Divides reports whether the kernel divides integers by what may be 0.
func (g *Guess) Divides() bool { return g.divides }

// inBuffer reports whether a place in memory is in a buffer or an image that the kernel is given.
func (g *Guess) inBuffer(place string) bool {
	name := place[:len(place)-len(strings.TrimLeftFunc(place, wordRune))]
	v := g.params[name]
	return v != nil && (v.Type.Kind == tree.Image || v.Type.Kind == tree.Pointer && v.Type.To.Space != tree.Local)
}

// Layout names the guessed scalars that are used in addresses and bound no ids.
func (g *Guess) Layout(data []ir.Datum) (names []string) {
	for _, d := range data {
		if d.Scalar && d.Decides && d.Addresses && !slices.Contains(g.Bounds, d.Name) {
			names = append(names, d.Name)
		}
	}
	return names
}

// Spacing names those of them that say how far apart things are: something is multiplied by them.
func (g *Guess) Spacing(data []ir.Datum) (names []string) {
	return slices.DeleteFunc(g.Layout(data), func(name string) bool { return !g.spacing[name] })
}

// With returns the launch with another number for a scalar, and objects as long as were guessed first. It fails for what is no integer, or too small for the number.
func (g *Guess) With(scalar string, n int64) (*Guess, bool) {
	v := g.params[scalar]
	if v == nil || !v.Type.IsInteger() || n>>(8*v.Type.Size()-1) != 0 {
		return nil, false
	}
	h := *g
	h.Options.Args = slices.DeleteFunc(slices.Clone(g.Options.Args), func(a string) bool { return strings.HasPrefix(a, scalar+"=") })
	h.Options.Args = append(h.Options.Args, scalar+"="+strconv.FormatInt(n, 10))
	h.lengths, h.filled, h.inVain, h.images = maps.Clone(g.firstLengths), maps.Clone(g.filled), map[string]bool{}, maps.Clone(g.images)
	return &h, true
}

func wordRune(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// DependsOnIndices reports whether the content of a buffer is used in an address.
func DependsOnIndices(data []ir.Datum) bool {
	return slices.ContainsFunc(data, func(d ir.Datum) bool { return d.Decides && !d.Scalar && d.Addresses })
}
