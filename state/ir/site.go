package ir

import (
	"cmp"
	"slices"

	"github.com/clmc/clmc/memmodel"
)

// A site is a place of the source that says how an operation synchronises: the call of an atomic function, a fence or a barrier. However
// often its code is inlined, it is one site, so that a choice for it is one choice.

// SiteKind says what is at a site.
type SiteKind uint8

// The kinds of site.
const (
	LoadSite SiteKind = iota
	StoreSite
	ModifySite   // a read-modify-write
	ExchangeSite // a compare-exchange
	FenceSite
	BarrierSite // of a work-group or sub-group
)

var siteNames = [...]string{"load", "store", "read-modify-write", "compare-exchange", "fence", "barrier"}

// String returns what reports call it.
func (k SiteKind) String() string { return siteNames[k] }

// SiteID names a site, whatever a program is made with: constants that are set differently leave the place of a call as it is.
type SiteID struct {
	File      string   // a name of Program.Sources
	Line, Col int32    // where the call begins, or the operator is
	Kind      SiteKind // what is there
}

// Strength is how the operation of a site synchronises.
type Strength struct {
	Order, Fail memmodel.Order // Fail: of a failed compare-exchange
	Scope       memmodel.Scope // of all but barriers without global memory
	Flags       memmodel.Flags // of fences and barriers
	Gone        bool           // a barrier is not there
}

// Site is a site with all that is made of it.
type Site struct {
	ID       SiteID  // its place
	Strength         // how it synchronises
	At       []Place // the instructions
	Mixed    bool    // they differ in how they synchronise
	Legacy   bool    // a function of OpenCL 1.x, which says nothing of it
}

// Place is an instruction: a function and an index into its code.
type Place struct{ Func, PC int }

// siteKind returns what an instruction is the operation of, if of any site.
func (in *Instr) siteKind() (SiteKind, bool) {
	switch {
	case in.Op == OpFence:
		return FenceSite, true
	case in.Op == OpBarrier:
		return BarrierSite, true
	case !in.Op.Access() || in.Order == memmodel.NonAtomic:
		return 0, false
	}
	switch in.Op {
	case OpLoad:
		return LoadSite, true
	case OpStore:
		return StoreSite, true
	case OpRMW:
		return ModifySite, true
	case OpCmpXchg:
		return ExchangeSite, true
	}
	return 0, false
}

// strength is how an instruction of a site synchronises.
func (in *Instr) strength(k SiteKind) Strength {
	s := Strength{Order: in.Order, Scope: in.Scope, Flags: in.Flags}
	if k == ExchangeSite {
		s.Fail = in.FailOrder
	}
	return s
}

// Sites lists the sites of a program whose place is known, in the order of the source.
func (p *Program) Sites() []*Site {
	byID := map[SiteID]*Site{}
	var all []*Site
	for fn, f := range p.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			kind, ok := in.siteKind()
			at := p.Positions[in.Pos]
			if !ok || at.Line == 0 {
				continue
			}
			id, now := SiteID{p.Sources[at.File].Name, at.Line, at.Col, kind}, in.strength(kind)
			s := byID[id]
			if s == nil {
				s = &Site{ID: id, Strength: now}
				byID[id], all = s, append(all, s)
			}
			s.At = append(s.At, Place{fn, pc})
			s.Mixed, s.Legacy = s.Mixed || s.Strength != now, s.Legacy || in.Legacy
		}
	}
	slices.SortFunc(all, func(a, b *Site) int {
		return cmp.Or(cmp.Compare(a.ID.File, b.ID.File), cmp.Compare(a.ID.Line, b.ID.Line), cmp.Compare(a.ID.Col, b.ID.Col), cmp.Compare(a.ID.Kind, b.ID.Kind))
	})
	return all
}

// Uses are the instructions of sites.
type Uses map[SiteID][]Place

// Uses finds the instructions of all sites.
func (p *Program) Uses() Uses {
	all := Uses{}
	for _, s := range p.Sites() {
		all[s.ID] = s.At
	}
	return all
}

// With returns the program with other strengths of some sites. It shares all that does not read them. A fence that becomes relaxed is
// gone, for it has no effect (rule 6.9), and so is a barrier that is Gone.
func (p *Program) With(strengths map[SiteID]Strength) *Program { return p.WithAt(p.Uses(), strengths) }

// WithAt is With for a program whose Uses are known.
func (p *Program) WithAt(uses Uses, strengths map[SiteID]Strength) *Program {
	q := *p
	q.Funcs = slices.Clone(p.Funcs)
	for id, s := range strengths {
		for _, at := range uses[id] {
			f := p.Funcs[at.Func]
			if s == f.Code[at.PC].strength(id.Kind) {
				continue
			}
			if q.Funcs[at.Func] == f {
				own := *f
				own.Code = slices.Clone(f.Code)
				q.Funcs[at.Func] = &own
			}
			q.Funcs[at.Func].Code[at.PC].set(id.Kind, s)
		}
	}
	return &q
}

// set changes how an instruction of a site synchronises.
func (in *Instr) set(k SiteKind, s Strength) {
	switch {
	case k == FenceSite && s.Order == memmodel.Relaxed, k == BarrierSite && s.Gone:
		*in = Instr{Op: OpNop, Pos: in.Pos, Dst: -1, Dst2: -1}
		return
	case k == BarrierSite:
		in.Flags, in.Scope = s.Flags, s.Scope
		return
	case k == ExchangeSite:
		in.FailOrder = s.Fail
	}
	in.Order, in.Flags = s.Order, s.Flags
	if !in.Legacy {
		in.Scope = s.Scope
	}
}
