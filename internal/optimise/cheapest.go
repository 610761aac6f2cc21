package optimise

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// core is an assignment that goes wrong, made as strong as its execution still shows. What is as weak everywhere is taken to go wrong, too.
// Where that may not be so it is exact, and says nothing of others.
type core struct {
	x     assignment
	exact bool
}

// kills reports whether a core says that an assignment goes wrong.
func (p *problem) kills(c *core, x assignment) bool {
	if c.exact {
		return slices.Equal(c.x, x)
	}
	for d := range p.dims {
		if !p.dims[d].weaker(x[d], c.x[d]) {
			return false
		}
	}
	return true
}

// hitter looks for a cheapest assignment that no core kills, below a limit.
type hitter struct {
	p       *problem
	cores   []*core
	allowed []uint32 // by dimension: its values that are still possible, as bits
	x       assignment
	best    assignment
	limit   int64        // what is found costs less
	barred  []assignment // what is as strong as one of them is not looked for
	nodes   int
	spent   func() bool
}

// cheapest returns a cheapest assignment that no core kills and that costs less than a limit, or nil. It is nil, too, when spent says that there is no time.
func (p *problem) cheapest(cores []*core, limit int64, spent func() bool, barred ...assignment) (assignment, int64) {
	h := &hitter{p: p, cores: cores, limit: limit, spent: spent, barred: barred}
	for d := range p.dims {
		h.allowed = append(h.allowed, uint32(1)<<len(p.dims[d].values)-1)
	}
	bottom := p.ends(false)
	for _, x := range p.scopesFirst(bottom) {
		h.x = x
		allowed := slices.Clone(h.allowed)
		for d := range p.dims {
			if p.dims[d].kind == scopeDim {
				h.allowed[d] = 1 << x[d]
			}
		}
		h.branch(p.cost(x))
		h.allowed = allowed
	}
	return h.best, h.limit
}

// maxScopes bounds the combinations of scopes that are gone through one by one: what an order costs hangs on its scope.
const maxScopes = 256

// scopesFirst lists the weakest assignments for all combinations of scopes, the cheapest first; only the weakest of all if they are too many.
func (p *problem) scopesFirst(bottom assignment) []assignment {
	all := []assignment{bottom}
	for d := range p.dims {
		if p.dims[d].kind != scopeDim {
			continue
		}
		var next []assignment
		for _, x := range all {
			for v := range p.dims[d].values {
				y := slices.Clone(x)
				y[d] = uint8(v)
				next = append(next, y)
			}
		}
		if all = next; len(all) > maxScopes {
			return []assignment{slices.Clone(bottom)}
		}
	}
	slices.SortStableFunc(all, func(a, b assignment) int { return cmp.Compare(p.cost(a), p.cost(b)) })
	return all
}

// option is a way out of a core: a dimension gets a value that the core does not have below it.
type option struct {
	d    int
	v    uint8
	more int64 // what it costs
}

// open returns the ways out of a core, the cheapest first; nil and false if it does not kill x.
func (h *hitter) open(c *core) (out []option, killed bool) {
	if !h.p.kills(c, h.x) {
		return nil, false
	}
	for d := range h.p.dims {
		dim := &h.p.dims[d]
		free := dim.above[h.x[d]] & h.allowed[d]
		if c.exact {
			free &^= 1 << h.x[d]
		} else {
			free &^= dim.below[c.x[d]]
		}
		for rest := free; rest != 0; rest &= rest - 1 {
			v := uint8(bits.TrailingZeros32(rest))
			if free&dim.below[v] == 1<<v { // a weakest one
				out = append(out, option{d, v, h.p.step(h.x, d, v)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b option) int { return cmp.Or(cmp.Compare(a.more, b.more), cmp.Compare(a.d, b.d)) })
	return out, true
}

// branch looks for assignments that are as strong as x and have allowed values.
func (h *hitter) branch(cost int64) {
	if h.nodes++; cost >= h.limit || h.nodes%1024 == 0 && h.spent() {
		return
	}
	if slices.ContainsFunc(h.barred, func(y assignment) bool { return h.p.above(h.x, y) }) {
		return
	}
	var pick *core
	var options []option
	var all [][]option
	for _, c := range h.cores {
		out, killed := h.open(c)
		if !killed {
			continue
		}
		if len(out) == 0 {
			return
		}
		all = append(all, out)
		if pick == nil || len(out) < len(options) {
			pick, options = c, out
		}
	}
	if pick == nil {
		h.best, h.limit = slices.Clone(h.x), cost
		return
	}
	if cost+least(all) >= h.limit {
		return
	}
	was := slices.Clone(h.allowed)
	for len(options) > 0 {
		d := options[0].d
		for _, o := range options {
			if o.d != d {
				continue
			}
			from := h.x[d]
			h.x[d] = o.v
			h.branch(cost + o.more)
			h.x[d] = from
		}
		options = slices.DeleteFunc(options, func(o option) bool { return o.d == d })
		if pick.exact { // from now on another dimension leaves the core
			h.allowed[d] &= 1 << h.x[d]
		} else {
			h.allowed[d] &= h.p.dims[d].below[pick.x[d]]
		}
	}
	h.allowed = was
}

// least is what the ways out of some cores cost at least: of cores that have no dimension in common each costs something.
func least(all [][]option) (bound int64) {
	slices.SortStableFunc(all, func(a, b []option) int { return len(a) - len(b) })
	used := map[int]bool{}
	for _, options := range all {
		if slices.ContainsFunc(options, func(o option) bool { return used[o.d] }) {
			continue
		}
		bound += options[0].more
		for _, o := range options {
			used[o.d] = true
		}
	}
	return bound
}

// unlimited is more than any assignment costs.
const unlimited = math.MaxInt64 / 4
