package bench

import "github.com/clmc/clmc/internal/testkit/mutant"

// leftOut makes the rows of the table of reductions. It is no mutant.List: they are in no ledger, as without a reduction nothing goes wrong.
func leftOut(rows [][4]string) []mutant.Mutant {
	list := make([]mutant.Mutant, len(rows))
	for i, r := range rows {
		list[i] = mutant.Mutant{Rule: r[0], File: r[1], Old: r[2], New: r[3]}
	}
	return list
}

// reductions are what a search relies on to explore less, and how each is left out. Some save nothing that the table shows, and stay:
//   - "how the oldest message was written" makes states no fewer, but their form the same whenever messages are dropped.
//   - "who will not use a location knows what all know" counts where the others are off: TestKeepTable, binc with all kept.
//   - "what all will have seen before they look": sums of more work-items than there may be messages have no verdict without it (groupsum n=1024).
//   - "published views that nothing names go early" saves memory and time of long runs, and no states.
var reductions = leftOut([][4]string{
	{"nothing", "memmodel/gcviews.go", "func (m *Memory) gcViews() {\n", "func (m *Memory) gcViews() {\n\t_ = 0\n"},
	// Steps that run at once, docs/exploration/source-free.md.
	{"source-free steps are run at once", "por/reducer.go",
		"if s.Status(u) == state.Ready && r.Machine.Reading(s, u) < 0 && r.free(s, u) {", "if false {"},
	{"reads of what nobody else may write are run at once", "por/reducer.go",
		"if s.Status(u) == state.Ready && !asleep.Has(u) && r.eager(s, u, r.choices) {", "if false && r.eager(s, u, r.choices) {"},
	{"additions that nobody looks at", "por/eager.go", "!r.commutes(s, u, x, p.Class)) &&", "!(x < -1 && r.commutes(s, u, x, p.Class))) &&"},
	{"compare-exchanges that come too late", "por/eager.go", "if !m.Plans[s.Cast.Units[u].Func][s.PC(u)].Vain ||", "if true ||"},
	{"where all is seq_cst", "por/interleave.go", "if !t.SeqCst || t.Local ||", "if true || t.Local ||"},
	{"reads that make no difference", "por/eager.go", "if m.Traits.Fences || m.Modifying(s, u) ||", "if true || m.Modifying(s, u) ||"},
	{"places of stores that nobody will see", "por/eager.go", "if x < 0 || s.Mem.Guarded(x) ||", "if true || s.Mem.Guarded(x) ||"},
	// Turns, docs/exploration/turns.md.
	{"sleep sets", "por/reducer.go", "\treturn sleep.With(u) &^ r.awake\n", "\treturn 0\n"},
	{"turns only on evidence", "por/turn.go", "return t.Full || t.Contested &&", "return true || t.Contested &&"},
	{"who sleeps need not have his turn", "por/turn.go", "if t.Full || t.Early || t.Below.Any {\n\t\treturn false, nil", "if true {\n\t\treturn false, nil"},
	{"a reader alone, where nobody else writes", "por/reducer.go", "case alone < 0 && !r.MayBeWritten(s, u, r.reads[u]):", "case false:"},
	{"whose turn comes next by what was written", "por/turn.go", "\tfor i, u := range rest {\n\t\tif units.Holds(", "\tfor i, u := range rest {\n\t\tif false && units.Holds("},
	{"turns in the order of the state above", "explore/dpor.go", "\tif len(s.stack) < 2 {\n\t\treturn false\n\t}\n\tf := s.stack[len(s.stack)-2]\n\tabove", "\tif true {\n\t\treturn false\n\t}\n\tf := s.stack[len(s.stack)-2]\n\tabove"},
	{"one turn for symmetric units", "explore/symmetricturns.go", "if next < 0 || !s.symmetric() ||", "if true || !s.symmetric() ||"},
	{"symmetry", "explore/symmetry.go", "\treturn !s.opt.NoSymmetry && !s.opt.NoCache && s.opt.POR != por.None\n", "\treturn s.opt.POR == por.None && !s.opt.NoSymmetry && s.opt.NoSymmetry\n"},
	// Waiting, docs/exploration/waiting.md.
	{"rounds that are told beforehand", "por/spin.go", "if unit.Func < 0 || !m.Plans", "if true || !m.Plans"},
	{"rounds of several reads", "por/spin.go", "if fn < 0 || len(m.Plans[fn][before.PC(u)].Returns) == 0 ||", "if true ||"},
	{"rounds that write what they read", "por/spin.go", "\tif after.Cast != before.Cast {\n", "\tif true {\n"},
	{"dominated outcomes", "explore/rivals.go", "if j != i && other != nil && other != idle &&", "if j < 0 && other != nil &&"},
	// The canonical form, docs/exploration/canonical-form.md.
	{"messages kept", "state/machine.go", "Horizon{Keep: m.Keep,", "Horizon{Keep: m.Keep | memmodel.KeepMessages,"},
	{"locations kept", "state/machine.go", "Horizon{Keep: m.Keep,", "Horizon{Keep: m.Keep | memmodel.KeepLocations,"},
	{"views kept", "state/machine.go", "Horizon{Keep: m.Keep,", "Horizon{Keep: m.Keep | memmodel.KeepViews,"},
	{"records kept", "state/machine.go", "Horizon{Keep: m.Keep,", "Horizon{Keep: m.Keep | memmodel.KeepRecords,"},
	{"registers kept", "state/run.go", "m.Keep&memmodel.KeepRegisters == 0 {", "m.Keep&memmodel.KeepRegisters > 1<<15 {"},
	{"releases kept", "state/machine.go", "Horizon{Keep: m.Keep,", "Horizon{Keep: m.Keep | memmodel.KeepReleases,"},
	{"owners kept", "state/machine.go", "Horizon{Keep: m.Keep,", "Horizon{Keep: m.Keep | memmodel.KeepOwners,"},
	{"orders kept", "state/machine.go", "Horizon{Keep: m.Keep,", "Horizon{Keep: m.Keep | memmodel.KeepOrders,"},
	{"views: who tells nobody has seen all", "memmodel/future.go", "return c.Units != nil && c.Keep&KeepViews == 0 && c.Closed &&", "return false && c.Closed &&"},
	{"views: who acquires nothing has read nothing", "memmodel/future.go", "if c.Units == nil || c.Keep&KeepViews != 0 || !m.Acting(u) {\n\t\treturn false\n\t}\n\treturn c.Units[u] == nil", "if true {\n\t\treturn false\n\t}\n\treturn c.Units[u] == nil"},
	{"views: who will not use a location knows what all know", "memmodel/future.go", "v[at] = max(v[at], min(c.low[at], n))", "_ = n"},
	{"views: who waits knows nothing that all know", "memmodel/future.go", "if v[i] <= low {", "if false && v[i] <= low {"},
	{"only the last message counts", "memmodel/future.go", "if m.L.Traits.SeqCst || c.Keep&KeepLocations != 0 || m.Guarded(x) {", "if true {"},
	{"plain values that nobody wants", "memmodel/future.go", "if c.Wanted == nil || c.Keep&KeepLocations != 0 {", "if true {"},
	{"messages that only relay", "memmodel/drop.go", "if !r.rmw || !q.rmw &&", "if true || !q.rmw &&"},
	{"what writes again what it has read", "memmodel/drop.go", "return r.val == q.val && r.src == none &&", "return false &&"},
	{"what makes no difference to any reader", "memmodel/drop.go", "if c.Units == nil || m.L.Traits.SeqCst || c.Keep&KeepOrders != 0 || !c.calm(m, x)", "if true || !c.calm(m, x)"},
	{"what all will have seen before they look", "memmodel/drop.go", "if c.Units == nil || m.L.Traits.SeqCst || c.Keep&KeepOrders != 0 || len(m.list(x)) < 2 ||", "if true ||"},
	{"what is said twice", "memmodel/again.go", "if r.rmw || q.val != r.val ||", "if true || q.val != r.val ||"},
	{"what makes all wait who come to it", "memmodel/drop.go", "if c.Units == nil || len(m.list(x)) < 2 || m.L.Traits.SeqCst ||", "if true ||"},
	{"who wrote a plain store", "memmodel/over.go", "case !m.continues(x, i):", "case false:"},
	{"who wrote a read-modify-write", "memmodel/over.go", "\t\t\t\tq.writer = nobody\n", "\t\t\t\t_ = nobody\n"},
	{"how the oldest message was written", "memmodel/over.go", "if m.start[a] < m.start[a+1] && c.low", "if false && c.low"},
	{"what a release says of its own location", "memmodel/compact.go", "\t\t*own = everything\n", "\t\t_ = own\n"},
	{"published views that nothing names go early", "memmodel/gcviews.go", "return len(m.snaps) >= weedFrom*m.L.width &&", "return false &&"},
	// Promises, docs/exploration/promises.md.
	{"first without promises", "explore/first.go", "if s.result.Promises == 0 || s.opt.NoCache || s.opt.Wanted != nil {", "if true {"},
	{"where no promise can be read", "explore/readable.go", "case opt.POR != por.DPOR, opt.needless,", "case true, opt.POR != por.DPOR, opt.needless,"},
	{"promises that help are one move with a step", "explore/promiseclosure.go", "return h.work > s.pace.aided ||", "return true ||"},
	// Thread by thread, docs/exploration/thread-modular.md.
	{"thread by thread", "por/loadbuffering/threadmodular.go", "if m.Beyond || m.Maps || len(m.Copies) > 0 {", "if true {"},
	{"threads of one signature", "por/loadbuffering/distinct.go", "return of[s] > maxOfOne", "return of[s] > 1<<20"},
	{"what is released on the way", "por/loadbuffering/passed.go", "case !in.Order.Releases():", "case true:"},
	{"what is acquired on the way", "por/loadbuffering/passed.go", "case in.Scope != by.scope:", "case true:"},
	{"chains of read-modify-writes", "por/loadbuffering/graph.go", "return g.chained != nil && cell >= 0 &&", "return false &&"},
	{"values that rise or fall", "por/loadbuffering/monotone.go", "a.monotone != nil && !c.symbolic {", "false {"},
	{"values that fall", "por/loadbuffering/monotone.go", "was == increasing && c.falling {", "false {"},
	{"values that are written once more", "por/loadbuffering/loadbuffering.go", "return a.someRestore() && none(a)", "return false && none(a)"},
	{"the beginning", "por/loadbuffering/prologue.go", "alone[at] && a.initialise", "alone[at] && at < 0 && a.initialise"},
	{"locks", "por/loadbuffering/locks.go", "if a.m.regions() {", "if true {"},
	{"data that decide nothing", "por/loadbuffering/symbolic.go", "d := &dependencies{m: m, objects: make(facts.Set, words)}\n", "d := &dependencies{m: m, objects: make(facts.Set, words)}\n\tfor i := range m.Program.Objects {\n\t\td.objects.Add(i)\n\t}\n"},
	{"whose promises are enough", "por/loadbuffering/enough.go", "\tif a == nil {\n\t\treturn nil, false\n\t}\n\tcut,", "\tif true {\n\t\treturn nil, false\n\t}\n\tcut,"},
	{"additions at which nobody looks", "por/loadbuffering/commuting.go", "return in.Op == ir.OpRMW && in.Dst < 0 &&", "return false &&"},
	{"such additions are not promised", "por/loadbuffering/commuting.go", "(does[fn][pc] || !adds[fn][pc])", "(true || !adds[fn][pc])"},
	{"exchanges that try again", "por/loadbuffering/retry.go", "if in.Dst < 0 || in.Dst2 >= 0 ||", "if true ||"},
	{"rounds in vain of who certifies", "por/loadbuffering/vain.go", "vain[fn][pc] = l != nil &&", "vain[fn][pc] = false &&"},
	{"which writes stand for others, by what threads write", "por/loadbuffering/representatives.go", "\t\tfor d := range at[point{fn, p}] {\n", "\t\tif len(at) >= 0 {\n\t\t\treturn true\n\t\t}\n\t\tfor d := range at[point{fn, p}] {\n"},
	{"a cycle has two loose cells", "por/loadbuffering/poedges.go", "len(loose[comp[k.from]]) > 1 &&", "len(loose[comp[k.from]]) >= 0 &&"},
})
