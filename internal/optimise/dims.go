package optimise

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// assignment gives each dimension a value, by its index in the dimension's domain.
type assignment []uint8

// dimKind says what a dimension is.
type dimKind uint8

const (
	orderDim dimKind = iota
	failDim
	scopeDim
	flagsDim
)

// dim is one thing that may change: the order of a site, its flags, or the scope of a class of sites.
type dim struct {
	kind   dimKind
	sites  []int    // that it is of
	values []uint8  // orders, scopes or flags
	below  []uint32 // by value: the values that are as weak or weaker, as bits
	above  []uint32 // likewise, as strong or stronger
	bottom uint8    // the weakest value
	top    uint8    // the strongest
}

// weaker reports whether a value is as weak as another one or weaker.
func (d *dim) weaker(a, b uint8) bool { return d.below[b]&(1<<a) != 0 }

// weakerOrder reports whether order a is as weak as order b or weaker.
func weakerOrder(a, b memmodel.Order) bool {
	return a == b || a == memmodel.Relaxed || b == memmodel.SeqCst || b == memmodel.AcqRel && (a == memmodel.Acquire || a == memmodel.Release)
}

// legalOrder reports whether an operation may have an order (rules 4.1, 4.2).
func legalOrder(k ir.SiteKind, o memmodel.Order) bool {
	switch k {
	case ir.LoadSite:
		return o != memmodel.Release && o != memmodel.AcqRel
	case ir.StoreSite:
		return o != memmodel.Acquire && o != memmodel.AcqRel
	}
	return true
}

// failure is the order of failure that a compare-exchange may have at most, when it succeeds with an order (rule 4.2).
func failure(fail, success memmodel.Order) memmodel.Order {
	switch {
	case success == memmodel.Relaxed:
		return memmodel.Relaxed
	case fail == memmodel.SeqCst && success != memmodel.SeqCst:
		return memmodel.Acquire
	}
	return fail
}

// bounds says which values a dimension may have: not above the source, or not below it.
type bounds struct{ down, up bool }

// in reports whether a value is within bounds, given how it compares with that of the source.
func (b bounds) in(weaker, stronger bool) bool {
	return (!b.down || weaker) && (!b.up || stronger)
}

// makeDims makes the dimensions of all sites that may change.
func (p *problem) makeDims() {
	p.same = true
	for i, s := range p.sites {
		p.orderDims(i, s)
		p.flagDims(i, s)
	}
	for _, class := range p.classes() {
		p.scopeDims(class)
	}
	for _, s := range slices.Clone(p.sites) {
		if s.order < 0 && s.fail < 0 && s.flags < 0 && s.scope < 0 {
			s.kept = "nothing weaker or stronger is legal there"
			if !s.free.order || !s.free.scope || !s.free.flags {
				s.kept = "//clmc:free leaves nothing"
			}
		}
	}
}

// add adds a dimension with those of some values that are within bounds, and returns its number; -1 if there are fewer than least.
func (p *problem) add(k dimKind, sites []int, values []uint8, source uint8, least int, weaker func(a, b uint8) bool) int {
	d := dim{kind: k, sites: sites}
	for _, v := range values {
		if p.opt.bounds().in(weaker(v, source), weaker(source, v)) {
			d.values = append(d.values, v)
		}
	}
	if len(d.values) < least {
		return -1
	}
	for i, a := range d.values {
		var below, above uint32
		for j, b := range d.values {
			if weaker(b, a) {
				below |= 1 << j
			}
			if weaker(a, b) {
				above |= 1 << j
			}
		}
		d.below, d.above = append(d.below, below), append(d.above, above)
		all := uint32(1)<<len(d.values) - 1
		if above == all {
			d.bottom = uint8(i)
		}
		if below == all {
			d.top = uint8(i)
		}
	}
	at := slices.Index(d.values, source)
	if at < 0 {
		at, p.same = int(d.top), false
	}
	p.dims, p.source = append(p.dims, d), append(p.source, uint8(at))
	return len(p.dims) - 1
}

func byOrder(a, b uint8) bool { return weakerOrder(memmodel.Order(a), memmodel.Order(b)) }
func byScope(a, b uint8) bool { return a <= b }
func byFlags(a, b uint8) bool { return a == gone || b != gone && a&^b == 0 }

// gone is the value of a barrier's flags where it is not there.
const gone = 0x80

// orderDims makes the dimensions of a site's orders.
func (p *problem) orderDims(i int, s *site) {
	if s.ID.Kind == ir.BarrierSite || !s.free.order {
		return
	}
	var values []uint8
	for o := memmodel.Relaxed; o <= memmodel.SeqCst; o++ {
		if legalOrder(s.ID.Kind, o) {
			values = append(values, uint8(o))
		}
	}
	s.order = p.add(orderDim, []int{i}, values, uint8(s.Order), 2, byOrder)
	if s.ID.Kind == ir.ExchangeSite && p.opt.bounds().up {
		s.fail = p.add(failDim, []int{i}, []uint8{uint8(memmodel.Relaxed), uint8(memmodel.Acquire), uint8(memmodel.SeqCst)}, uint8(s.Fail), 2, byOrder)
	}
}

// flagDims makes the dimension of a site's flags.
func (p *problem) flagDims(i int, s *site) {
	if s.ID.Kind != ir.FenceSite && s.ID.Kind != ir.BarrierSite || !s.free.flags {
		return
	}
	image := s.Flags & memmodel.ImageFence
	needs := s.needs
	if p.opt.bounds().down {
		needs &= s.Flags
	}
	if p.opt.anyFlags {
		needs = 0
	}
	var values []uint8
	for f := memmodel.Flags(0); f <= memmodel.LocalFence|memmodel.GlobalFence; f++ {
		if v := f | image; s.ID.Kind == ir.BarrierSite || v != 0 && f&needs == needs || v == s.Flags {
			values = append(values, uint8(v))
		}
	}
	if s.ID.Kind == ir.BarrierSite && p.opt.RemoveBarriers && s.removable {
		values = append(values, gone)
	}
	s.flags = p.add(flagsDim, []int{i}, values, uint8(s.Flags), 2, byFlags)
}

// scopeDims makes the dimension of the scope of a class of sites.
func (p *problem) scopeDims(class []int) {
	source := memmodel.ScopeWorkItem
	mixed := false
	for _, i := range class {
		if p.sites[i].added {
			continue
		}
		mixed = mixed || source != memmodel.ScopeWorkItem && p.sites[i].Scope != source
		source = max(source, p.sites[i].Scope)
	}
	if source == memmodel.ScopeWorkItem {
		return
	}
	most := max(source, memmodel.ScopeDevice)
	if p.opt.bounds().up {
		most = memmodel.ScopeAllSVMDevices
	}
	var values []uint8
	for s := memmodel.ScopeSubGroup; s <= most; s++ {
		if s >= p.floor(class) || s == source {
			values = append(values, uint8(s))
		}
	}
	choices := 2
	if mixed { // even one value is a change
		choices = 1
	}
	d := p.add(scopeDim, class, values, uint8(source), choices, byScope)
	if d < 0 {
		return
	}
	p.same = p.same && !mixed
	for _, i := range class {
		p.sites[i].scope = d
	}
}

// strength is how a site synchronises under an assignment.
func (p *problem) strength(s *site, x assignment) ir.Strength {
	now := s.Strength
	if s.order >= 0 {
		now.Order = memmodel.Order(p.dims[s.order].values[x[s.order]])
	}
	if s.fail >= 0 {
		now.Fail = memmodel.Order(p.dims[s.fail].values[x[s.fail]])
	}
	if s.scope >= 0 {
		now.Scope = memmodel.Scope(p.dims[s.scope].values[x[s.scope]])
	}
	if s.flags >= 0 {
		v := p.dims[s.flags].values[x[s.flags]]
		if v == gone {
			now.Gone = true
			return now
		}
		now.Flags = memmodel.Flags(v)
	}
	switch s.ID.Kind {
	case ir.ExchangeSite:
		now.Fail = failure(now.Fail, now.Order)
	case ir.FenceSite:
		if now.Order == memmodel.Relaxed { // it is gone
			now.Flags, now.Scope = s.Flags, s.Scope
		}
	case ir.BarrierSite:
		if now.Scope = memmodel.ScopeWorkGroup; now.Flags&memmodel.GlobalFence != 0 {
			now.Scope = s.wide
		}
		if now.Flags == s.Flags {
			now.Scope = s.Scope
		}
	}
	return now
}

// strengths are those of all sites that an assignment changes.
func (p *problem) strengths(x assignment) map[ir.SiteID]ir.Strength {
	all := map[ir.SiteID]ir.Strength{}
	for _, s := range p.sites {
		if now := p.strength(s, x); now != s.Strength || s.added {
			for _, id := range s.ids() {
				all[id] = now
			}
		}
	}
	return all
}

// cost is what an assignment costs.
func (p *problem) cost(x assignment) (sum int64) {
	for _, s := range p.sites {
		sum += p.price(s, p.strength(s, x))
	}
	return sum
}

// price is what a site costs. A stronger order of failure costs next to nothing, so that it is chosen only where it is needed, and so does a barrier
// beside what the table says of it, so that it is there only if it is needed.
func (p *problem) price(s *site, now ir.Strength) int64 {
	c := s.weight * p.opt.Cost.of(s.ID.Kind, now)
	if s.fail >= 0 && now.Fail > s.Fail {
		c += int64(now.Fail)
	}
	if s.ID.Kind == ir.BarrierSite && !now.Gone && (p.opt.RemoveBarriers || p.opt.up) {
		c++
	}
	return c
}

// written is what the source costs.
func (p *problem) written() (sum int64) {
	for _, s := range p.sites {
		sum += p.price(s, s.Strength)
	}
	return sum
}

// step is how much more an assignment costs with another value of a dimension.
func (p *problem) step(x assignment, d int, v uint8) (sum int64) {
	was := x[d]
	for _, i := range p.dims[d].sites {
		s := p.sites[i]
		sum -= p.price(s, p.strength(s, x))
		x[d] = v
		sum += p.price(s, p.strength(s, x))
		x[d] = was
	}
	return sum
}

// ends are the weakest or the strongest assignment.
func (p *problem) ends(strongest bool) assignment {
	x := make(assignment, len(p.dims))
	for d := range p.dims {
		if x[d] = p.dims[d].bottom; strongest {
			x[d] = p.dims[d].top
		}
	}
	return x
}

// size is how many assignments there are, at most a number.
func (p *problem) size(most float64) float64 {
	n := 1.0
	for d := range p.dims {
		n = min(n*float64(len(p.dims[d].values)), most)
	}
	return n
}

// unions are sets of sites, which are joined: each names another one of its set, or itself.
type unions []int

func (u unions) root(i int) int {
	if u[i] != i {
		u[i] = u.root(u[i])
	}
	return u[i]
}

func (u unions) join(i, j int) { u[u.root(i)] = u.root(j) }

// joined reports whether a site is in a set with others.
func (u unions) joined(i int) bool {
	for j := range u {
		if j != i && u.root(j) == u.root(i) {
			return true
		}
	}
	return false
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isAdded reports whether a site is a fence that is not in the source.
func (p *problem) isAdded(s *ir.Site) bool { return slices.Contains(p.added[s.ID.File], s.ID.Line) }

// classes are the sets of sites whose scopes move together: those that may access a common object, and fences with what is near them.
func (p *problem) classes() (out [][]int) {
	u := make(unions, len(p.sites))
	for i := range u {
		u[i] = i
	}
	for _, l := range p.launches {
		p.join(l, u)
	}
	for i, s := range p.sites {
		if u.root(i) != i || !p.scoped(s) {
			continue
		}
		var members []int
		for j, t := range p.sites {
			if u.root(j) == i && p.scoped(t) {
				members = append(members, j)
			}
		}
		out = append(out, members)
	}
	return out
}

// join joins the sites that may access a common object in one configuration.
func (p *problem) join(l *launch, u unions) {
	number := map[ir.SiteID]int{}
	for i, s := range p.sites {
		if p.scoped(s) {
			for _, id := range s.ids() {
				number[id] = i
			}
		}
	}
	byObject := map[int]int{}
	access := func(i int, objects ir.ObjectSet) {
		for o := range l.m.Program.Objects {
			if !objects.Has(o) {
				continue
			}
			if j, ok := byObject[o]; ok {
				if u.join(i, j); p.sites[i].added {
					return
				}
			} else if !p.sites[i].added {
				byObject[o] = i
			}
		}
	}
	sites := l.m.Program.Sites()
	slices.SortStableFunc(sites, func(a, b *ir.Site) int { return btoi(p.isAdded(a)) - btoi(p.isAdded(b)) })
	for _, s := range sites {
		i, ok := number[s.ID]
		if !ok || p.sites[i].added && u.joined(i) {
			continue
		}
		for _, at := range s.At {
			if s.ID.Kind != ir.FenceSite {
				access(i, l.accessed(at.Func, &l.m.Program.Funcs[at.Func].Code[at.PC]).objects)
				continue
			}
			for _, a := range l.near(at) {
				if a.in.Order == memmodel.NonAtomic {
					continue
				}
				if access(i, a.objects); p.sites[i].added { // it follows one class, and joins none with another
					break
				}
			}
		}
	}
}

// scoped reports whether a site has a scope that may change.
func (p *problem) scoped(s *site) bool {
	return s.ID.Kind != ir.BarrierSite && s.free.scope && s.Scope != memmodel.ScopeWorkItem
}
