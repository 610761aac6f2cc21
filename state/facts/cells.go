package facts

import (
	"slices"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// layOut finds the locations that there are from the beginning, and those of work-groups.
func (facts *Facts) layOut() {
	facts.mapCells()
	for i := range facts.Program.Objects {
		o := &facts.Program.Objects[i]
		seg := &facts.Shared
		if o.Func >= 0 {
			seg = &facts.Group[o.Func]
		}
		for c := range o.Layout.Cells() {
			if facts.spent() {
				return
			}
			*seg = append(*seg, location(o, c))
			if o.Func < 0 && facts.Rules[len(facts.Shared)-1].History {
				facts.Shared[len(facts.Shared)-1].Atomic = true
			}
		}
	}
	facts.copyProgramScope()
	facts.Turns = memmodel.Loc(len(facts.Shared))
	for range len(facts.Program.HostQueues) + 1 {
		if facts.Threaded {
			facts.Shared = append(facts.Shared, HiddenLoc)
		}
	}
	facts.regionLocs()
}

func location(o *ir.Object, cell int) memmodel.Location {
	scalar, _ := o.Layout.Cell(cell)
	l := memmodel.Location{Region: o.Region, Kind: o.Kind, Atomic: scalar.Atomic}
	if o.Init != nil {
		l.Init, l.Initialised = o.Init[cell], true
	}
	return l
}

// mapCells finds who may access which cells: which the host may touch
// only while they are mapped, and which it may never touch. Where commands may
// run side by side, a map command may undo what it does not know of (rule 2.7),
// so that these cells need a modification order.
func (facts *Facts) mapCells() {
	p := facts.Program
	histories, freed := facts.Concurrent && has(p, ir.OpMapCell), facts.freed()
	for i := range p.Objects {
		o := &p.Objects[i]
		if o.Func >= 0 {
			continue
		}
		for range o.Layout.Cells() {
			facts.Rules = append(facts.Rules, AccessRule{Mapped: o.HostMaps, Device: o.Kind == memmodel.ProgramScope && o.HostMaps,
				History: o.HostMaps && histories, Freed: freed[i], Region: -1})
		}
	}
	facts.Maps = slices.ContainsFunc(facts.Rules, func(r AccessRule) bool { return r.Mapped || r.Freed })
}

// freed reports which objects some operation may free.
func (facts *Facts) freed() []bool {
	all := make([]bool, len(facts.Program.Objects))
	for fn, f := range facts.Program.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Op != ir.OpFree || facts.spent() {
				continue
			}
			objects, _, _ := facts.Points[fn].Address(in)
			for i := range all {
				all[i] = all[i] || objects.Has(i)
			}
		}
	}
	return all
}

// copyProgramScope gives each device but the first its own instance of the
// program-scope variables (rule 1.5).
func (facts *Facts) copyProgramScope() {
	devices := 0
	for _, q := range facts.Program.HostQueues {
		devices = max(devices, int(q.Device))
	}
	cells := len(facts.Shared)
	for range devices {
		if len(facts.Copies) == 0 {
			facts.Copies = append(facts.Copies, nil)
		}
		table := make([]memmodel.Loc, cells)
		for i := range table {
			if table[i] = memmodel.Loc(i); facts.Shared[i].Kind == memmodel.ProgramScope {
				table[i] = memmodel.Loc(len(facts.Shared))
				facts.Shared = append(facts.Shared, facts.Shared[i])
				facts.Origin = append(facts.Origin, int32(i))
			}
		}
		facts.Copies = append(facts.Copies, table)
	}
}

// AccessRule says who may access a cell of the shared segment.
type AccessRule struct {
	Mapped  bool         // the host only while it is mapped
	Device  bool         // the host never
	History bool         // a map command may overwrite it by an older value
	Freed   bool         // the host may free it
	Region  memmodel.Loc // the location that stands for what is mapped of its object, and that it is there; or -1
}

// HiddenLoc is a location by whose modification order operations take turns.
var HiddenLoc = memmodel.Location{Kind: memmodel.SystemSVM, Atomic: true, Initialised: true}

// regionLocs adds a location for each object if some are mapped or freed. What maps,
// unmaps or frees some of it modifies it, and the host reads it when it touches what it must
// map: it matters who comes first, though neither reads what the other writes.
func (facts *Facts) regionLocs() {
	if !has(facts.Program, ir.OpMap, ir.OpUnmap, ir.OpFree) {
		return
	}
	x := 0
	for i := range facts.Program.Objects {
		o := &facts.Program.Objects[i]
		if o.Func >= 0 {
			continue
		}
		for range o.Layout.Cells() {
			facts.Rules[x].Region = memmodel.Loc(len(facts.Shared))
			x++
		}
		facts.Shared = append(facts.Shared, HiddenLoc)
	}
}
