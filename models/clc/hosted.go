package clc

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc/internal/check"
	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// Hosted is a kernel file with what a host does with it on a device, and as a program whose outcomes tell what is left.
type Hosted struct {
	Text    string // for the device's compiler
	Std     string // as the options name it; "" is the newest
	Include []string
	Buffers []HostBuffer
	// Variables is how many bytes the variables of program scope take. Kernels named HostFetch and HostReset copy them to a buffer and back: what
	// they hold before the first launch, they hold before each run. Their bytes follow the buffers in what a run leaves.
	Variables int
	Launches  [][]HostLaunch // one after the other: of each, one of some
	// Program has the same launches. The outcome of an execution tells what is left in Cells, and what was observed.
	Program *ir.Program
	Cells   []HostCell
	Names   []string // of what work-items observe, by number
	// Asserts are what lines of the file assert of what is left in the end.
	Asserts []HostAssert
	// Uncompared says what of the outcomes cannot be compared with a device, and why.
	Uncompared []string
	// Math: a value in Cells comes from operations whose results differ among devices; Sums: from additions and multiplications of
	// floating-point numbers, which are the same wherever small numbers are not taken for zero.
	Math, Sums bool
	// Waits: a loop has an atomic operation, so that work-items may wait for others there.
	Waits bool
}

// HostBuffer is memory that launches share.
type HostBuffer struct {
	Name    string
	Initial []byte
	Choices []HostChoice // of what it holds
}

// HostChoice is bytes that hold one of some values.
type HostChoice struct {
	At     int
	Values [][]byte
}

// HostLaunch is a launch of a kernel.
type HostLaunch struct {
	Kernel                string
	Offset, Global, Local []int
	Args                  []HostArg
	// Seen: the last argument is a buffer for what work-items observe.
	Seen bool
}

// HostArg is an argument: a buffer by its number, local memory, or one of some values.
type HostArg struct {
	Buffer int // -1: none
	Null   bool
	Local  int // bytes
	Value  HostBuffer
}

// HostCell is a number in a buffer that outcomes tell.
type HostCell struct {
	Name    string // for people
	Outcome string // the name that they have for it
	Buffer  int    // len(Buffers) of a variable
	At      int
	Type    ir.Type
}

// The kernels that copy variables of program scope.
const (
	HostFetch = check.Fetch
	HostReset = check.Reset
)

// SeenRoom is how many values of a work-item are kept of one name, behind their number.
const SeenRoom = check.SeenRoom

// Value reads a cell.
func (c *HostCell) Value(contents [][]byte) int64 { return valueAt(c.Type, contents[c.Buffer][c.At:]) }

// valueAt reads a number as a device has it.
func valueAt(t ir.Type, b []byte) int64 {
	var word [8]byte
	n := max(t.Bits(), 8) / 8
	copy(word[:n], b)
	v := int64(binary.LittleEndian.Uint64(word[:]))
	if t.Float() {
		return v
	}
	return ir.Wrap(t, v)
}

// bytesFor are the bytes of a number.
func bytesFor(t ir.Type, v int64) []byte {
	return binary.LittleEndian.AppendUint64(nil, uint64(v))[:max(t.Bits(), 8)/8]
}

// Host reads a kernel file for a device. Why says that it cannot be run on one, whatever that is.
func Host(path string, text []byte, opt Options) (h *Hosted, why string, err error) {
	l, err := planOf(path, text, opt, nil)
	if err != nil {
		return nil, "", err
	}
	if why = l.unhosted(); why != "" {
		return nil, why, nil
	}
	_, needs, err := build(l.unit, l.plan, l.made)
	if err != nil {
		return nil, "", err
	}
	h = &Hosted{Std: opt.Std, Include: l.parsed.Include}
	numbers := map[*code.Buffer]int{}
	for i, b := range l.made {
		numbers[b] = i
		h.Buffers = append(h.Buffers, hostBuffer(b.Name, b.Elem, b.Len, b.Cells))
		if l.constant(b) {
			continue
		}
		switch floats := slices.ContainsFunc(code.Leaves(b.Elem), ir.Type.Float); {
		case !floats || needs.Buffers[b.Object()].Decides():
			l.plan.Keep = append(l.plan.Keep, b)
		default:
			h.Uncompared = append(h.Uncompared, b.Name+" holds floating-point numbers on which nothing depends")
		}
	}
	at := l.variables(h, needs)
	observer := l.observer()
	c, err := check.ForCompiler(l.unit, l.parsed, observer)
	if err != nil {
		return nil, "", err
	}
	h.Text, h.Names = c.Text+check.Copiers(l.written()), c.Names
	if c.Unseen != "" {
		h.Uncompared = append(h.Uncompared, "what work-items observe: "+c.Unseen)
	}
	for _, x := range l.plan.Launches {
		var list []HostLaunch
		for _, one := range append([]*code.Launch{x}, x.Others...) {
			list = append(list, hostLaunch(one, numbers, len(c.Names) > 0 && x.Kernel == observer))
		}
		h.Launches = append(h.Launches, list)
	}
	l.hostAsserts(h, numbers, at)
	return h, "", l.outcomes(h, numbers, at)
}

// outcomes makes the program whose outcomes tell what is left.
func (l *planned) outcomes(h *Hosted, numbers map[*code.Buffer]int, at map[*tree.Var]int) (err error) {
	if h.Program, _, err = build(l.unit, l.plan, l.made); err != nil {
		return err
	}
	for _, k := range l.plan.Cells {
		switch {
		case k.Type == ir.Ptr:
		case k.Global != nil:
			h.Cells = append(h.Cells, HostCell{cellName(k.Global.Name, k.Global.Type, k.At, k.Type), k.Name, len(h.Buffers), at[k.Global] + k.At, k.Type})
		default:
			whole := l.unit.Types.Array(k.Buffer.Elem, int64(k.Buffer.Len))
			h.Cells = append(h.Cells, HostCell{cellName(k.Buffer.Name, whole, k.At, k.Type), k.Name, numbers[k.Buffer], k.At, k.Type})
		}
	}
	h.rounding(l.unit)
	h.Waits = slices.ContainsFunc(h.Program.Funcs, waits)
	if l.opt.Unwritten != ir.IndeterminateWrong {
		h.Uncompared = append(h.Uncompared, "what reads of unwritten memory return, a device chooses")
		h.Cells = nil
	}
	return nil
}

// cellName names what is at a byte of an object: by its element, and the byte in it.
func cellName(name string, t *tree.Type, at int, cell ir.Type) string {
	for t.Kind == tree.Array && t.Elem.Size() > 0 {
		size := int(t.Elem.Size())
		name, at, t = fmt.Sprintf("%s[%d]", name, at/size), at%size, t.Elem
	}
	if at > 0 || int(t.Size()) > max(cell.Bits(), 8)/8 {
		name += fmt.Sprintf("+%d", at)
	}
	return name
}

// written are the variables of program scope that kernels may write to.
func (l *planned) written() (list []*tree.Var) {
	for _, v := range l.unit.Globals {
		if v.Quals.Space == tree.Global && !v.Quals.Const {
			list = append(list, v)
		}
	}
	return list
}

// variables has outcomes tell what is left in the variables, and returns the first byte of each among all.
func (l *planned) variables(h *Hosted, needs *code.Needs) map[*tree.Var]int {
	at := map[*tree.Var]int{}
	for _, v := range l.written() {
		at[v] = h.Variables
		h.Variables += int(v.Type.Size())
		floats := slices.ContainsFunc(code.Leaves(v.Type), ir.Type.Float)
		if o, ok := needs.Globals[v]; !floats || ok && needs.Buffers[o].Decides() {
			l.plan.KeepGlobals = append(l.plan.KeepGlobals, v)
		} else {
			h.Uncompared = append(h.Uncompared, v.Name+" holds floating-point numbers on which nothing depends")
		}
	}
	return at
}

// inFunction reports whether a variable of the program is declared in a function, so that nothing else can name it.
func (l *planned) inFunction(v *tree.Var) bool {
	return slices.ContainsFunc(l.unit.Funcs, func(f *tree.Func) bool {
		from, to := f.Body.P, f.Body.End
		return v.Pos.File == from.File && (v.Pos.Line > from.Line || v.Pos.Line == from.Line && v.Pos.Col > from.Col) &&
			(v.Pos.Line < to.Line || v.Pos.Line == to.Line && v.Pos.Col < to.Col)
	})
}

// observer is the only kernel that observes, if it is launched once; nil if there is none.
func (l *planned) observer() (k *tree.Func) {
	for _, x := range l.plan.Launches {
		calls := false
		tree.Walk(x.Kernel.Body, func(n any) {
			c, ok := n.(*tree.BuiltinCall)
			calls = calls || ok && c.Fn.Class == tree.Outcome
		})
		switch {
		case !calls:
		case k != nil || len(x.Others) > 0:
			return nil
		default:
			k = x.Kernel
		}
	}
	return k
}

// constant reports whether no kernel may write to a buffer.
func (l *planned) constant(b *code.Buffer) bool {
	for _, x := range l.plan.Launches {
		for i, a := range x.Args {
			if to := x.Kernel.Params[i].Type.To; a.Buffer == b && !to.Const && to.Space != tree.Constant {
				return false
			}
		}
	}
	return true
}

// unhosted says why no device can be given a program.
func (l *planned) unhosted() string {
	why := ""
	say := func(is bool, text string) {
		if is && why == "" {
			why = text
		}
	}
	for _, f := range l.unit.Undefined {
		say(true, f.Name+" has no definition")
	}
	for _, v := range l.written() {
		say(l.inFunction(v), v.Name+" is a static variable of a function, which keeps its value from run to run")
	}
	for _, f := range l.unit.Funcs {
		tree.Walk(f.Body, func(n any) {
			if c, ok := n.(*tree.BuiltinCall); ok {
				say(c.Fn.Class == tree.Enqueue, "it enqueues kernels from the device")
				say(c.Fn.Class == tree.SubGroup || c.Fn.Class == tree.WorkItem && strings.Contains(c.Fn.Name, "sub_group"), "it asks for sub-groups, whose size a device chooses")
			}
		})
	}
	for _, x := range l.plan.Launches {
		for _, v := range x.Kernel.Params {
			switch v.Type.Kind {
			case tree.Image, tree.Sampler, tree.Pipe, tree.Queue:
				say(true, fmt.Sprintf("%s has type %s", v.Name, v.Type))
			}
		}
		for _, a := range x.Args {
			say(a.Buffer != nil && (a.Buffer.Pipe || a.Buffer.Image != nil), "it has an image or a pipe")
		}
	}
	return why
}

// hostBuffer is the bytes of some elements whose first scalars are given.
func hostBuffer(name string, elem *tree.Type, n int, cells []code.Cell) HostBuffer {
	size := int(elem.Size())
	b := HostBuffer{Name: name, Initial: make([]byte, n*size)}
	leaves := code.ByteLeaves(elem)
	for i, c := range cells {
		l := leaves[i%len(leaves)]
		at := i/len(leaves)*size + l.Offset
		copy(b.Initial[at:], bytesFor(l.Type, c[0]))
		if len(c) > 1 {
			choice := HostChoice{At: at}
			for _, v := range c {
				choice.Values = append(choice.Values, bytesFor(l.Type, v))
			}
			b.Choices = append(b.Choices, choice)
		}
	}
	return b
}

func hostLaunch(x *code.Launch, numbers map[*code.Buffer]int, seen bool) HostLaunch {
	l := HostLaunch{Kernel: x.Kernel.Name, Seen: seen}
	for d := range max(x.Dim, 1) {
		l.Offset, l.Global, l.Local = append(l.Offset, int(x.Offset[d])), append(l.Global, int(x.Global[d])), append(l.Local, int(x.Local[d]))
	}
	for i, a := range x.Args {
		t := x.Kernel.Params[i].Type
		arg := HostArg{Buffer: -1}
		switch {
		case a.Buffer != nil:
			arg.Buffer = numbers[a.Buffer]
		case t.Kind == tree.Pointer && t.To.Space == tree.Local:
			arg.Local = a.Local * max(int(t.Elem.Size()), 1)
		case t.Kind == tree.Pointer:
			arg.Null = true
		default:
			arg.Value = hostBuffer("", t, 1, a.Cells)
		}
		l.Args = append(l.Args, arg)
	}
	return l
}

// rounding finds out whether numbers that are compared come from floating-point numbers: what nothing needs is no longer in the program.
func (h *Hosted) rounding(u *tree.Unit) {
	for _, f := range h.Program.Funcs {
		for i := range f.Code {
			in := &f.Code[i]
			switch in.Op {
			case ir.OpBin, ir.OpUn, ir.OpRMW, ir.OpCollective:
			default:
				continue
			}
			if !in.Type.Float() {
				continue
			}
			switch in.Alu {
			case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge, ir.Neg, ir.Not, ir.Min, ir.Max, ir.Xchg, ir.Copysign, ir.Ceil, ir.Floor, ir.Trunc, ir.Rint, ir.Round:
			case ir.Add, ir.Sub, ir.Mul:
				h.Sums = true
				h.Math = h.Math || in.Op == ir.OpCollective || in.Type == ir.F16
			default:
				h.Math = true
			}
		}
	}
	if !h.Sums && !h.Math {
		return
	}
	for _, f := range u.Funcs { // of which some are sums of others here
		tree.Walk(f.Body, func(n any) {
			if c, ok := n.(*tree.BuiltinCall); ok && (c.Fn.Class == tree.Math || c.Fn.Class == tree.Geometric) {
				h.Math = true
			}
		})
	}
}

// waits reports whether a loop of a function has an atomic operation.
func waits(f *ir.Func) bool {
	back := f.ComesBack()
	for pc := range f.Code {
		switch in := &f.Code[pc]; in.Op {
		case ir.OpLoad, ir.OpStore, ir.OpRMW, ir.OpCmpXchg:
			if back[pc] && in.Order != memmodel.NonAtomic {
				return true
			}
		}
	}
	return false
}

// HostAssert is what a line asserts of what is left in the end.
type HostAssert struct {
	Text string
	Line int
	cond *code.Term
	at   map[*code.Buffer]int
	// Of variables: the number that stands for a buffer, and their first bytes.
	variables int
	first     map[*tree.Var]int
}

// hostAsserts takes those of the last launch: of what was left before, a device keeps nothing.
func (l *planned) hostAsserts(h *Hosted, numbers map[*code.Buffer]int, first map[*tree.Var]int) {
	for i, x := range l.plan.Launches {
		for _, a := range x.Asserts {
			one := HostAssert{a.Text, int(a.Pos.Line), &a.Cond, numbers, len(h.Buffers), first}
			if i == len(l.plan.Launches)-1 && one.known(one.cond) {
				h.Asserts = append(h.Asserts, one)
			}
		}
	}
}

// known reports whether a term is about what a run leaves alone.
func (a *HostAssert) known(t *code.Term) bool {
	if t == nil {
		return true
	}
	_, known := a.first[t.Global]
	return (t.Global == nil || known) && a.known(t.X) && a.known(t.Y)
}

// Holds reports whether it holds of the contents of the buffers. A division by zero does not.
func (a *HostAssert) Holds(contents [][]byte) bool {
	v, ok := a.eval(a.cond, contents)
	return ok && v != 0
}

func (a *HostAssert) eval(t *code.Term, contents [][]byte) (v int64, ok bool) {
	switch {
	case t.Buffer != nil:
		return valueAt(t.Type, contents[a.at[t.Buffer]][t.At:]), true
	case t.Global != nil:
		return valueAt(t.Type, contents[a.variables][a.first[t.Global]+t.At:]), true
	case t.X == nil:
		return t.Value, true
	}
	x, ok := a.eval(t.X, contents)
	switch {
	case !ok:
		return 0, false
	case t.Y == nil && t.Op == ir.Xchg:
		return ir.Convert(t.Type, t.X.Result(), x), true
	case t.Y == nil:
		return ir.EvalUn(t.Op, t.Type, x)
	}
	y, ok := a.eval(t.Y, contents)
	if !ok {
		return 0, false
	}
	return ir.Eval(t.Op, t.Type, x, y)
}
