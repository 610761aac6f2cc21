package code

import (
	"fmt"
	"slices"

	"github.com/clmc/clmc/models/clc/internal/tree"
	"github.com/clmc/clmc/models/internal/lower"
	"github.com/clmc/clmc/state/ir"
)

// Memory is seen at several types: through pointers that are cast, as members of unions, by vload of any
// address. So a program is lowered twice. The first time, all objects have the scalars that
// were declared as their cells, and each access is noted, a use. What registers may hold tells then which objects
// each use may be of, and at which bytes: those that are so many modulo the size of what a pointer steps over. Each object
// gets the cells that it was declared to have, if all uses are of whole ones, and else the largest cells of which all
// uses are whole ones.
//
// A plain access to several cells is as good as one to one: what else accesses some of them meanwhile races
// with it, and without a race nobody can tell. An atomic operation must have a cell of its own.

// objectKey names an object alike each time that the program is lowered.
type objectKey struct {
	launch *Launch // nil for one that all share
	path   string
	what   any
}

// useKey names an access likewise. Accesses of one key are taken together.
type useKey struct {
	launch *Launch
	path   string
	at     tree.Pos
	typ    *tree.Type
}

// use is an access that the first lowering has come to.
type use struct {
	key       useKey
	unit      *unit
	base, off int32 // of the pointer
	offs      []int // of the leaves, in bytes from it
	leaves    []leaf
	align     int // of the pointer, which is checked
	row       *row
	atomic    bool
	writes    bool      // and does not only read
	found     []*object // what it may be of
}

// finding is what is known of the uses of a key.
type finding struct {
	at    lower.Residue // of the pointer's distance, as far as it need not be checked
	span  *span         // in which it is, or nil
	class *class
}

// class is objects that are accessed by the same code, so that their cells must be alike.
type class struct {
	joined  *class // with another one, or nil
	objects []*object
	needs   []need
	grid    *grid
}

func (c *class) root() *class {
	for c.joined != nil {
		c = c.joined
	}
	return c
}

// survey is what the first lowering has found.
type survey struct {
	grids    map[objectKey]*grid
	findings map[useKey]*finding
	images   map[*tree.Var]image
	launches map[*tree.BlockLit]*Launch
	found    func(at tree.Pos, hint, format string, args ...any)
}

// noteUse takes note of an access, in the first lowering.
func (f *frame) noteUse(p *place, leaves []leaf, atomic bool) {
	if f.known != nil || f.quiet || len(leaves) == 0 || len(p.ptr) != ptrParts {
		return
	}
	f.uses = append(f.uses, &use{key: f.useKey(p), unit: f.unit, base: p.ptr[ptrBase], off: p.ptr[ptrOff],
		offs: slices.Clone(p.offs), leaves: leaves, align: p.align, row: f.rows[p.ptr[ptrOff]], atomic: atomic, writes: f.writing || atomic})
}

func (f *frame) useKey(p *place) useKey { return useKey{f.launch, f.path, f.here, p.typ} }

// survey works out the cells of all objects from the uses.
func (p *program) survey() *survey {
	s := &survey{grids: map[objectKey]*grid{}, findings: map[useKey]*finding{}, images: p.images, launches: p.childLaunches, found: p.fault}
	values := p.values()
	classes := map[objectKey]*class{}
	for _, u := range p.uses {
		s.add(u, values[u.unit.Func], classes, p)
	}
	var order []*class
	for _, u := range p.uses {
		if f := s.findings[u.key]; f != nil && f.class != nil && !slices.Contains(order, f.class.root()) {
			order = append(order, f.class.root())
		}
	}
	for _, c := range order {
		p.divide(c)
	}
	for key, c := range classes {
		s.grids[key] = c.root().grid
	}
	for _, f := range s.findings {
		if f.class != nil {
			f.class = f.class.root()
		}
	}
	return s
}

// values finds out what the registers of all functions may hold, together with what pointers there may be in the memory that they share: what
// the variables of the program begin with, and what some function puts there.
func (p *program) values() map[*lower.Func]*lower.Values {
	shared := p.p.NewShared()
	for v, m := range p.images {
		o := p.globals[v]
		for at, ptr := range m.pointers {
			n, _ := o.grid.index(at)
			for part, t := range [ptrParts]ir.Type{ir.Ptr, ir.I64, ir.I64} {
				l := leaf{t: t, ptr: true, part: part}
				shared.Holds(o.addr+int64(n+part), l.held(), p.partOf(ptr, part))
			}
		}
	}
	bases := map[*lower.Func][]int64{}
	for _, u := range p.units {
		list := append([]int64{}, bases[u.Func]...)
		for _, o := range p.anyOf(u) {
			list = append(list, o.addr)
		}
		bases[u.Func] = list
	}
	children := map[int]bool{}
	for _, n := range p.children {
		children[n] = true
	}
	return shared.Values(bases, children)
}

// anyOf returns what a pointer of a unit may be to of which nothing is known: what the unit has been given, and, if pointers are sent through pipes,
// anything that is shared.
func (p *program) anyOf(u *unit) []*object {
	if !p.sent {
		return u.objects
	}
	return append(slices.Clone(u.objects), p.shared...)
}

// add adds a use to the classes of its objects.
func (s *survey) add(u *use, v *lower.Values, classes map[objectKey]*class, p *program) {
	at, in := v.Residue(u.off), u.row.span(v)
	f := s.findings[u.key]
	if f == nil {
		f = &finding{at: at, span: in}
		s.findings[u.key] = f
	} else {
		f.at, f.span = f.at.Join(at), f.span.join(in)
	}
	var c *class
	u.found = u.objects(v)
	for _, o := range u.found {
		switch {
		case o.rights == ReadOnly && u.writes:
			s.found(u.key.at, "a kernel that writes to memory created with CL_MEM_READ_ONLY is undefined", "%s may only be read, and is written here", o.name)
		case o.rights == WriteOnly && (!u.writes || u.atomic):
			s.found(u.key.at, "a kernel that reads memory created with CL_MEM_WRITE_ONLY is undefined", "%s may only be written, and is read here", o.name)
		}
		k := classes[o.key]
		if k == nil {
			k = &class{objects: []*object{o}}
			classes[o.key] = k
		}
		c = merge(c, k)
	}
	c = merge(f.class, c)
	f.class = c
	if c == nil {
		return
	}
	at = aligned(at, u.align)
	if at.Mod < 0 {
		return
	}
	for i, l := range u.leaves {
		if l.part != ptrBase {
			continue
		}
		n := need{mod: int(at.Mod), rem: int(at.Rem) + u.offs[i], leaf: l, use: u, span: in, inSpan: u.offs[i]}
		n.atomic = u.atomic
		if n.mod == 0 && n.rem < 0 {
			continue // outside of any object
		}
		c.needs = append(c.needs, n)
	}
}

// merge makes two classes one.
func merge(a, b *class) *class {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		return b.root()
	case b == nil:
		return a.root()
	}
	a, b = a.root(), b.root()
	if a != b {
		b.joined = a
		a.objects = append(a.objects, b.objects...)
		a.needs = append(a.needs, b.needs...)
	}
	return a
}

// aligned returns what is left of distances where they must be multiples of align.
func aligned(at lower.Residue, align int) lower.Residue {
	a := int64(max(align, 1))
	switch {
	case at.Mod < 0 || at.Mod == 0:
		return at
	case at.Mod%a == 0:
		return at
	}
	for r := at.Rem; r < at.Mod*a; r += at.Mod {
		if r%a == 0 {
			return lower.Residue{Mod: at.Mod / int64(gcd(int(at.Mod), int(a))) * a, Rem: r}
		}
	}
	return lower.Residue{Mod: -1} // never
}

// objects returns what a use may be of.
func (u *use) objects(v *lower.Values) (list []*object) {
	origins, ok := v.Origins(u.base)
	if !ok {
		return u.unit.anyOf(u.unit)
	}
	for _, base := range origins {
		o := u.unit.objectAt(base)
		if o == nil { // a pointer that another kernel has put into memory
			o = u.unit.sharedAt(base)
		}
		if base != 0 && o != nil && o.pipe == nil {
			list = append(list, o)
		}
	}
	return list
}

// maxPeriod bounds the bytes in which the cells of objects may repeat themselves.
const maxPeriod = 1 << 12

// divide finds the cells of a class.
func (p *program) divide(c *class) {
	first := p.declaredGrid(c.objects[0].typ, nil)
	raw := map[int]bool{}
	same := true
	for _, o := range c.objects[1:] {
		same = same && p.declaredGrid(o.typ, nil).equal(first)
	}
	if same && first.admits(c.needs, raw) {
		c.grid = p.declaredGrid(c.objects[0].typ, raw)
		return
	}
	cells, bad := cut(c.period(p), c.needs, true)
	if bad == nil {
		c.grid = newGrid(c.period(p), cells)
		return
	}
	for i := range c.needs {
		c.needs[i].stays = true
	}
	if clear(raw); same && first.admits(c.needs, raw) {
		c.grid = p.declaredGrid(c.objects[0].typ, raw)
	} else if cells, worse := cut(c.period(p), c.needs, true); worse == nil {
		c.grid = newGrid(c.period(p), cells)
	} else {
		p.disagree(c, bad)
		return
	}
	c.grid.rows = true
}

// period returns the number of bytes after which the cells of a class may repeat themselves.
func (c *class) period(p *program) int {
	size, period := 1, 1
	for _, o := range c.objects {
		size = max(size, o.bytes)
	}
	size = (size + 7) / 8 * 8
	steps := false
	for i := range c.needs {
		n := &c.needs[i]
		mod := n.mod
		if n.stays && n.span != nil && mod != 0 {
			mod = int(n.span.start.Mod)
		}
		if mod <= 0 {
			continue
		}
		steps = true
		period = period / gcd(period, mod) * mod
		if period > maxPeriod {
			period &= -period // a power of two
			period = min(period, maxPeriod)
		}
	}
	if !steps && size > maxPeriod {
		for _, o := range c.objects {
			period = max(period, p.size(rootElem(o.typ)))
		}
		return max(min(period, maxPeriod), 8)
	}
	if !steps || period > size {
		return size
	}
	return period
}

// disagree reports two accesses for which memory has no cells.
func (p *program) disagree(c *class, bad *clash) {
	name := bad.object(c).name
	what := func(n *need) string {
		if n.use == nil {
			return "another access"
		}
		return fmt.Sprintf("the access as %s at %s", n.use.key.typ, p.site(n.use.key.at))
	}
	kind := "an atomic operation needs memory that is accessed as a whole"
	if bad.whole.ptr {
		kind = "a pointer in memory can only be accessed as one"
	}
	p.fault(bad.whole.use.key.at, "put them into separate memory", "%s is accessed in two ways that have no model here: %s is divided by %s; %s", name, what(bad.whole), what(bad.divides), kind)
}

// object returns the object that two accesses disagree about: one that both may be of, if there is one.
func (c *clash) object(of *class) *object {
	if c.divides.use == nil {
		return c.whole.use.found[0]
	}
	for _, o := range c.whole.use.found {
		if slices.Contains(c.divides.use.found, o) {
			return o
		}
	}
	return of.objects[0]
}
