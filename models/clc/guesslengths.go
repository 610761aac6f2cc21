package clc

import (
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/code"
	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/state/ir"
)

// How long the objects of a guessed launch must be: as long as one run of the kernel needs, in which the work-items of a group take turns from barrier to barrier. That
// is a guess, too. What other executions need, and runs that are not followed to their end, the exploration shows.

// mostRunInstrs bounds the instructions of such a run, and mostTurnInstrs those of a work-item between two barriers: it may wait for another one.
const (
	mostRunInstrs  = 4 << 20
	mostTurnInstrs = 1 << 18
)

// Lengthen makes objects as long as a run of the launch, loaded as a program, needs, and reports whether one became longer. One that would have to be longer than any
// may be stays as it is.
func (g *Guess) Lengthen(p *ir.Program) (grown bool) {
	r := &lengthRun{p: p, needs: map[string]int64{}, unnamed: map[int64]int64{}}
	r.launches()
	r.name(g)
	for name, n := range r.needs {
		if have, ok := g.lengths[name]; ok && n > int64(have) && n <= longest {
			g.lengths[name], grown = int(n), true
		}
		g.inVain[name] = n < 0 || n > longest
	}
	for name, v := range g.params {
		if v.Type.Kind == tree.Image && g.enlarge(v, r.needs) {
			grown = true
			g.Options.Args = slices.DeleteFunc(g.Options.Args, func(a string) bool { return strings.HasPrefix(a, name+"=") })
			var words []string
			for _, n := range g.images[name] {
				words = append(words, strconv.Itoa(n))
			}
			g.Options.Args = append(g.Options.Args, name+"=image["+strings.Join(words, ",")+"]")
		}
	}
	return grown
}

// name finds out which buffers those may be that are too short and of which only the bytes are known that one has.
func (r *lengthRun) name(g *Guess) {
	for limit, n := range r.unnamed {
		for name, have := range g.lengths {
			v := g.params[name]
			size := max(v.Type.Elem.Size(), 1)
			if bytes := int64(have) * size; v.Type.To.Space != tree.Local && bytes >= limit && bytes < limit+mostAccess {
				r.need(name, (n+mostAccess)/size)
			}
		}
	}
}

// mostAccess is more than the bytes of any access: one of a vector of sixteen numbers.
const mostAccess = 129

// need notes how many elements an object needs; a negative number stands for an index that no length helps.
func (r *lengthRun) need(name string, n int64) {
	if was, ok := r.needs[name]; !ok || was >= 0 && (n < 0 || n > was) {
		r.needs[name] = n
	}
}

// mostTexels bounds the elements of an image that is made larger: each has four numbers.
const mostTexels = longest / 16

// enlarge makes an image as large as is needed, and reports whether it became larger.
func (g *Guess) enlarge(v *tree.Var, needs map[string]int64) bool {
	size := slices.Clone(g.images[v.Name])
	all := int64(1)
	for d := range size {
		size[d] = max(size[d], int(min(needs[code.ImageLine(v.Name, d)], longest)))
		all *= int64(size[d])
	}
	if all > mostTexels || slices.Equal(size, g.images[v.Name]) {
		return false
	}
	g.images[v.Name] = size
	return true
}

// lengthRun is a run of a launch in which an index that is out of range is noted, and the access left out.
type lengthRun struct {
	p      *ir.Program
	shared map[int64]int64  // what was written to the shared segment
	needs  map[string]int64 // by object, and by line of an image: the elements that are needed, or a negative number if no length helps
	// unnamed are the greatest indices that are out of range, in bytes, of objects that the text does not tell, by the bytes that there are.
	unnamed map[int64]int64
	instrs  int // executed so far
	// comers are the work-items that have accessed memory, by line; nil: nobody asks.
	comers map[ir.Pos]map[*lengthItem]bool
}

// Comers returns how many work-items access memory in one run of a launch, loaded as a program, by line.
func Comers(p *ir.Program) map[ir.Pos]int {
	r := &lengthRun{p: p, needs: map[string]int64{}, unnamed: map[int64]int64{}, comers: map[ir.Pos]map[*lengthItem]bool{}}
	r.launches()
	n := map[ir.Pos]int{}
	for at, list := range r.comers {
		n[at] = len(list)
	}
	return n
}

// comes notes that a work-item has come to an access.
func (r *lengthRun) comes(u *lengthItem, in *ir.Instr) {
	if r.comers == nil {
		return
	}
	at := r.p.Positions[in.Pos]
	at.Col, at.Call = 0, 0
	if r.comers[at] == nil {
		r.comers[at] = map[*lengthItem]bool{}
	}
	r.comers[at][u] = true
}

// lengthItem is a work-item of it, or the host.
type lengthItem struct {
	f     *ir.Func
	item  ir.Item
	regs  []int64
	sides [][2]int64      // of each register that has the outcome of a comparison: what was compared
	group map[int64]int64 // what was written to local memory
	pc    int32
	out   bool // the last index was out of range
	ended bool
}

// launches runs the host, and what it enqueues.
func (r *lengthRun) launches() {
	r.shared = map[int64]int64{}
	for i := range r.p.Objects {
		o := &r.p.Objects[i]
		if o.Func < 0 {
			for c, v := range o.Init {
				if v != 0 {
					r.shared[ir.SegShared|int64(int(o.Base)+c)] = v
				}
			}
		}
	}
	for i := range r.p.Threads {
		h := r.unit(r.p.Threads[i].Func, r.p.Threads[i].Item)
		for !h.ended {
			r.turn(h)
		}
	}
}

// unit makes a work-item at the beginning of a function.
func (r *lengthRun) unit(fn int, item ir.Item) *lengthItem {
	f := r.p.Funcs[fn]
	return &lengthItem{f: f, item: item, regs: make([]int64, f.Regs), sides: make([][2]int64, f.Regs)}
}

// kernel runs all work-groups of a kernel that is enqueued, one after the other.
func (r *lengthRun) kernel(fn int, args []int64, waits int) {
	whole := ir.Item{WorkDim: uint8(args[1]), GlobalOffset: [3]int64(args[2:5]), GlobalSize: [3]int64(args[5:8]), LocalSize: [3]int64(args[8:11])}
	for d := range 3 {
		if d >= int(args[1]) {
			whole.GlobalOffset[d], whole.GlobalSize[d], whole.LocalSize[d] = 0, 1, 1
		}
		if whole.LocalSize[d] < 1 {
			return
		}
	}
	for group := range inSpace(groupsOf(&whole)) {
		var list []*lengthItem
		local := map[int64]int64{}
		item := whole
		item.GroupID = group
		for item.LocalID = range inSpace(item.GroupShape()) {
			for d := range 3 {
				item.GlobalID[d] = group[d]*whole.LocalSize[d] + item.LocalID[d]
			}
			item.InSubGroups(r.p.SubGroupSizeOf(fn))
			u := r.unit(fn, item)
			u.group = local
			copy(u.regs, args[ir.NDRangeHeader+waits:])
			list = append(list, u)
		}
		for left := len(list); left > 0 && r.instrs < mostRunInstrs; {
			left = 0
			for _, u := range list {
				if r.turn(u); !u.ended {
					left++
				}
			}
		}
	}
}

// groupsOf returns the number of groups in each dimension.
func groupsOf(it *ir.Item) (n [3]int64) {
	for d := range n {
		n[d] = it.Answer(ir.QueryNumGroups, int64(d))
	}
	return n
}

// inSpace goes through the ids of a space.
func inSpace(size [3]int64) func(yield func([3]int64) bool) {
	return func(yield func([3]int64) bool) {
		for z := range size[2] {
			for y := range size[1] {
				for x := range size[0] {
					if !yield([3]int64{x, y, z}) {
						return
					}
				}
			}
		}
	}
}

// turn runs a work-item up to its next barrier, or its end.
func (r *lengthRun) turn(u *lengthItem) {
	for n := 0; !u.ended; n++ {
		if n > mostTurnInstrs || r.instrs > mostRunInstrs {
			u.ended = true
			return
		}
		r.instrs++
		in := &u.f.Code[u.pc]
		u.pc++
		switch in.Op {
		case ir.OpEnd:
			u.ended = true
		case ir.OpJump:
			u.pc = in.Target
		case ir.OpBranch:
			if u.pc = in.Else; u.get(in.A) != 0 {
				u.pc = in.Target
			}
		case ir.OpBarrier:
			return
		case ir.OpEnqueueNDRange:
			var args []int64
			for _, o := range in.Args {
				args = append(args, u.get(o))
			}
			r.kernel(int(in.Target), args, int(in.Waits))
		case ir.OpCheck:
			if u.get(in.A) == 0 {
				r.outside(u, in)
			} else if in.Check == ir.CheckObject {
				u.out = false
			}
		case ir.OpLoad, ir.OpStore, ir.OpRMW, ir.OpCmpXchg:
			r.access(u, in)
		default:
			u.compute(in)
		}
	}
}

func (u *lengthItem) get(o int32) int64 { return u.f.Operand(u.regs, o) }

func (u *lengthItem) set(dst int32, v int64) {
	if dst >= 0 {
		u.regs[dst] = v
	}
}

// compute performs what is private. What several work-items do together gives each its own value.
func (u *lengthItem) compute(in *ir.Instr) {
	v, ok := int64(0), true
	switch in.Op {
	case ir.OpMove:
		v = u.get(in.A)
	case ir.OpBin:
		a, b := u.get(in.A), u.get(in.B)
		if v, ok = ir.Eval(in.Alu, in.Type, a, b); in.Dst >= 0 {
			u.sides[in.Dst] = [2]int64{a, b}
		}
	case ir.OpUn:
		v, ok = ir.EvalUn(in.Alu, in.Type, u.get(in.A))
	case ir.OpConv:
		v = ir.Convert(in.Type, in.From, u.get(in.A))
	case ir.OpQuery:
		v = u.item.Answer(in.Query, u.get(in.A))
	case ir.OpCollective:
		v = u.get(in.B)
	case ir.OpAssume:
		u.ended = u.get(in.A) == 0
		return
	case ir.OpChoose:
	default: // of what the host and the device enqueue nothing is followed
		return
	}
	u.ended = !ok
	u.set(in.Dst, v)
}

// outside notes what an index that is out of range would need. What else goes wrong ends the work-item.
func (r *lengthRun) outside(u *lengthItem, in *ir.Instr) {
	sides := [2]int64{}
	if in.A >= 0 {
		sides = u.sides[in.A]
	} else if in.B < 0 && in.C < 0 {
		sides = [2]int64{u.get(in.B), u.get(in.C)}
	}
	switch {
	case in.Check == ir.CheckIndex:
		r.need(u.f.Variable(in.Var).Name, min(sides[0], longest*longest)+1)
	case in.Check == ir.CheckObject:
		u.out = true
		of := &ir.Extent{Size: 1, Access: 1, Scale: 1}
		if in.Target > 0 && int(in.Target) < len(r.p.Extents) {
			of = &r.p.Extents[in.Target]
		}
		at := min(sides[0], longest*longest)*of.Scale + of.Rest
		switch name := r.p.Strings[in.Str]; {
		case name != "" && at < 0:
			r.need(name, -1)
		case name != "":
			r.need(name, (at+of.Access+of.Size-1)/of.Size)
		case at >= 0:
			r.unnamed[sides[1]] = max(r.unnamed[sides[1]], at)
		}
	default:
		u.ended = true
	}
}

// access performs an access, unless its index was out of range.
func (r *lengthRun) access(u *lengthItem, in *ir.Instr) {
	r.comes(u, in)
	at := u.get(in.A)
	cells := r.shared
	switch at & ir.SegMask {
	case ir.SegPrivate:
		r.private(u, in, at&^ir.SegMask)
		return
	case ir.SegGroup:
		cells = u.group
	}
	old := int64(0)
	if outside := u.out || cells == nil; outside {
		cells = map[int64]int64{}
	} else {
		old = cells[at]
	}
	switch in.Op {
	case ir.OpLoad:
		u.set(in.Dst, old)
	case ir.OpStore:
		cells[at] = u.get(in.B)
	case ir.OpRMW:
		cells[at], _ = ir.Eval(in.Alu, in.Type, old, u.get(in.B))
		u.set(in.Dst, old)
	case ir.OpCmpXchg:
		same := int64(0)
		if old == u.get(in.B) {
			cells[at], same = u.get(in.C), 1
		}
		u.set(in.Dst2, old)
		u.set(in.Dst, same)
	}
}

// private performs an access of a work-item's own memory.
func (r *lengthRun) private(u *lengthItem, in *ir.Instr, at int64) {
	switch {
	case at < 0 || at >= int64(u.f.Private):
	case in.Op == ir.OpLoad:
		u.set(in.Dst, u.regs[at])
	case in.Op == ir.OpStore:
		u.regs[at] = u.get(in.B)
	}
}

// imagesOf returns the sizes of the images of a launch, by argument.
func imagesOf(params map[string]*tree.Var, global [3]int64) map[string][]int {
	images := map[string][]int{}
	for name, v := range params {
		if v.Type.Kind == tree.Image {
			for d := range imageDims(v.Type.Dim) {
				images[name] = append(images[name], max(leastImage, int(global[min(d, 2)])))
			}
		}
	}
	return images
}
