package randprog

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/clmc/clmc/state/ir"
)

// Style is a family of random programs. General styles mix all operations;
// directed ones draw variations of a shape that general ones rarely hit.
type Style string

// The styles.
const (
	Glob      Style = "glob"      // global memory, device scope, relaxed to seq_cst
	RS        Style = "rs"        // release sequences: many stores and read-modify-writes
	SC        Style = "sc"        // mostly seq_cst accesses and fences
	SCF       Style = "scf"       // access; seq_cst fence; access
	MP        Style = "mp"        // message passing, over two regions, by fences of all flags
	Mix       Style = "mix"       // both regions, all scopes, several work-groups and devices
	Bar       Style = "bar"       // with a work-group barrier
	Local     Style = "local"     // both regions within one work-group
	CAS       Style = "cas"       // strong and weak compare-exchange
	SubGroup  Style = "subgroup"  // sub-group scope and barriers
	LB        Style = "lb"        // load buffering: read; write the next around a cycle
	Help      Style = "help"      // promises that need other promises, behind nested branches
	Fences    Style = "fences"    // chains of fences, many of them with two flags
	Kinds     Style = "kinds"     // kinds of global memory, all_svm_devices scope, devices
	Generic   Style = "generic"   // flags and data of either region, chosen by pointers
	Host      Style = "host"      // hand-offs between host threads and devices, through memory of all kinds
	Plain     Style = "plain"     // guarded non-atomic data, arrays
	Groups    Style = "groups"    // collectives and barriers of work-groups and sub-groups
	Rounds    Style = "rounds"    // loops around barriers and collectives, gone round unequally often
	Enq       Style = "enq"       // kernels that the host and kernels enqueue, flags, events
	Blind     Style = "blind"     // results that nobody looks at
	Symmetric Style = "alike"     // several units that run the same code; not in the format of Format
	Commands  Style = "commands"  // kernels on queues of all sorts, wait lists, markers, barriers
	Bare      Style = "bare"      // no memory: commands, their statuses, kernels of one command or none
	Threads   Style = "threads"   // host threads and callbacks that share queues and events
	Calls     Style = "calls"     // host threads, and callbacks for all statuses
	Maps      Style = "maps"      // memory that the host maps, kernels on several queues
	Frees     Style = "frees"     // memory that the host maps and frees, kernels on several queues
	Loops     Style = "loops"     // await loops and bounded retries: unbounded, not for package axiom
	Cycles    Style = "cycles"    // waits of several steps: likewise
	Gaps      Style = "gaps"      // seq_cst loads of what other stores wrote, data behind
	Relays    Style = "relays"    // read-modify-writes of what nobody loads, seq_cst operations around
	Chains    Style = "chains"    // data handed on by seq_cst operations of either region
	SCLocks   Style = "sclocks"   // locks that are waited for, many of them seq_cst, some held for ever: unbounded, not for package axiom
	Ended     Style = "ended"     // data handed on, over scopes that just reach, by units that end
	Chained   Style = "chained"   // read-modify-writes that release one after the other, and what follows from the chain
	Heirs     Style = "heirs"     // what units that have ended leave to others, who know of it or do not
	Long      Style = "long"      // more seq_cst operations than the graph of S holds: likewise
	Resets    Style = "resets"    // counters that are counted on and reset, without loads
	Locks     Style = "locks"     // locks of every kind, order and scope, tried once or twice
	Launches  Style = "launches"  // several launches of one kernel that counts, resets or locks
	Spins     Style = "spins"     // the locks, waited for: unbounded, not for package axiom
	Observed  Style = "observed"  // kernels that observe under the same names, several times
	Uninit    Style = "uninit"    // local memory that nobody may have written
	Checks    Style = "checks"    // assertions and divisions, beside races
	Loiters   Style = "loiters"   // waits for what others change step by step, and looks: unbounded, not for package axiom
	Late      Style = "late"      // compare-exchanges that may come too late
	Echoes    Style = "echoes"    // writes of what stands there already
	Glances   Style = "glances"   // loads of which only a test is of interest
	Attempts  Style = "attempts"  // compare-exchanges of which only a test is of interest
	Trials    Style = "trials"    // what is taken and let go again and again, and tries that fail
	Retrials  Style = "retrials"  // likewise, for as long as it takes: unbounded, not for package axiom
	Guarded   Style = "guarded"   // loads and stores under locks, or nearly so: likewise
	Careless  Style = "careless"  // a kernel whose work-items race again and again
	Carried   Style = "carried"   // data that decide nothing, and some that do: likewise
	Passed    Style = "passed"    // reads and writes with something between that may order them for others
	Tallies   Style = "tallies"   // additions to counters at which nobody looks, or nearly so, between loads and stores that may be buffered
	Histogram Style = "histogram" // counts in cells that somebody clears before, and what is done with the counts
	Counting  Style = "counting"  // a kernel that counts by operations of all orders, or nearly so; not in the format of Format
	Met       Style = "met"       // additions to a cell, or nearly so, before a barrier behind which it is looked at, or before which
	Unasked   Style = "unasked"   // reads, and writes that come whatever is read, or nearly so: unbounded, not for package axiom
	Ends      Style = "ends"      // counters and flags of work-items that end one after the other
	Rising    Style = "rising"    // counters that go up, or nearly so, and flags that tell of them
	Heard     Style = "heard"     // writers whom a switch tells what to do, and a reader who does not know: for what it does alone
	Values    Style = "values"    // what is read decides what is written where: likewise
	Sections  Style = "sections"  // reads and writes of two cells, whose turn it is, or nearly so
	Overtaken Style = "overtaken" // reads of what others write early, and what decides whether they come to it
	Told      Style = "told"      // data that units race for, unless one is told of them by chance: likewise
	Asides    Style = "asides"    // checks of what a race beside them has to do with, or not: only with TestAsideHidesNothing
	Crowds    Style = "crowds"    // commands and host threads of one code; not in the format of Format
	Again     Style = "again"     // rounds of waiting for what is written again and again: unbounded, not for package axiom
	Schedules Style = "schedules" // locks, tickets, meetings and waits whose end depends on who is scheduled: unbounded, not for package axiom; not in the format of Format
	Beside    Style = "beside"    // a host before, beside and after kernels that wait in rounds of several reads: unbounded, not for package axiom
	Waits     Style = "waits"     // waits for what need never come: likewise; not in the format of Format
)

var generators = map[Style]func(*gen){
	Glob: general(globProfile), RS: general(rsProfile), SC: general(scProfile),
	Mix: general(mixProfile), Bar: general(barProfile), Local: general(localProfile),
	SubGroup: general(subGroupProfile), Kinds: general(kindsProfile),
	SCF: (*gen).scFences, LB: (*gen).loadBuffering, Help: (*gen).helpedPromises, MP: (*gen).messagePassing, CAS: (*gen).compareExchanges,
	Fences: (*gen).fenceChains, Plain: (*gen).guardedData, Groups: (*gen).collectives,
	Host: (*gen).hostHandOffs, Generic: (*gen).genericPointers, Enq: (*gen).enqueues, Blind: (*gen).blind,
	Commands: (*gen).hostCommands, Bare: (*gen).bare, Loops: (*gen).loops, Cycles: (*gen).cycles,
	Gaps: (*gen).gaps, Relays: (*gen).relays, Chains: (*gen).chains, SCLocks: (*gen).seqCstLocks, Long: (*gen).long, Ended: (*gen).ended, Chained: (*gen).chained,
	Heirs: (*gen).heirs, Histogram: (*gen).histograms, Tallies: (*gen).tallies, Met: (*gen).met, Counting: (*gen).countings, Unasked: (*gen).unasked, Rising: (*gen).rising, Ends: (*gen).ends,
	Symmetric: (*gen).symmetric, Threads: (*gen).hostThreads, Calls: (*gen).hostCalls, Maps: (*gen).hostMaps, Frees: (*gen).hostFrees, Values: (*gen).values,
	Rounds: (*gen).rounds, Waits: (*gen).waits, Crowds: (*gen).crowds, Schedules: (*gen).schedules,
	Loiters: (*gen).loiters, Late: (*gen).late, Echoes: (*gen).echoes, Glances: (*gen).glances, Attempts: (*gen).attempts, Trials: (*gen).trials, Retrials: (*gen).retrials, Guarded: (*gen).guarded, Resets: (*gen).resets, Locks: (*gen).locks, Spins: (*gen).spins, Launches: (*gen).launches, Careless: (*gen).careless, Carried: (*gen).carried, Passed: (*gen).passed, Again: (*gen).again, Beside: (*gen).beside, Heard: (*gen).heard,
	Told: (*gen).told, Sections: (*gen).sections, Overtaken: (*gen).overtaken, Checks: (*gen).checks, Asides: (*gen).asides, Observed: (*gen).observations, Uninit: (*gen).uninitialised,
}

// unlisted are the styles that Styles leaves out.
var unlisted = []Style{Loops, Cycles, Spins, Values, Symmetric, Crowds, Waits, SCLocks, Long, Launches, Careless, Guarded, Carried, Passed, Heard, Unasked, Rising, Ends, Loiters, Again, Beside, Told, Asides, Schedules, Retrials, Counting}

// Styles lists all styles whose programs have no unbounded loops and one unit
// of execution for each piece of code, sorted.
func Styles() []Style {
	return slices.DeleteFunc(All(), func(s Style) bool { return slices.Contains(unlisted, s) })
}

// All lists all styles, sorted.
func All() []Style {
	var all []Style
	for s := range generators {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// Rand returns the source of randomness for one seed of a style, so that a
// test that reports both can be repeated.
func (s Style) Rand(seed uint64) *rand.Rand {
	stream := uint64(14695981039346656037)
	for _, c := range []byte(s) {
		stream = (stream ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, stream))
}

// Program returns the program of one seed.
func (s Style) Program(seed uint64) *ir.Program {
	p := Generate(s.Rand(seed), s)
	p.Name = fmt.Sprintf("%s-%d", s, seed)
	return p
}

// Generate draws a program of the given style.
func Generate(rng *rand.Rand, style Style) *ir.Program {
	draw := generators[style]
	if draw == nil {
		panic(fmt.Sprintf("randprog: there is no style %q; there are %v", style, All()))
	}
	g := &gen{Rand: rng, b: NewBuilder(string(style))}
	draw(g)
	return g.b.Program()
}

// gen is a program being drawn.
type gen struct {
	*rand.Rand
	b    *Builder
	last int64 // value stored last
}

// pick draws one of the arguments; repeat one to weigh it.
func pick[T any](g *gen, from ...T) T { return from[g.IntN(len(from))] }

// chance is true with probability p.
func (g *gen) chance(p float64) bool { return g.Float64() < p }

// value returns a value that no other store of the program writes.
func (g *gen) value() int64 {
	g.last++
	return g.last
}
