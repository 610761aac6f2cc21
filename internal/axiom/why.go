package axiom

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/ir"
)

// Question asks why no execution of a program has an outcome.
type Question struct {
	// Holds tells whether an outcome, in which names have these values, is what is asked for; that is
	// not known where it depends on values that are not.
	Holds func(value func(name string) (int64, bool)) (holds, known bool)
	// Values are those that memory is thought to hold out of thin air, beside the program's constants.
	Values []int64
	// Stop is asked now and then whether there is no time left.
	Stop func() bool
}

// Account tells what becomes of all candidate executions with an outcome: of all ways to read
// and to order the writes.
type Account struct {
	Candidates int
	// Rules tells how many candidates each rule forbids, or several rules together: of a candidate that
	// several forbid, the one that takes the fewest steps to show.
	Rules map[string]int
	// Chain is of the candidate that comes furthest, which the fewest rules forbid: edges that go round in
	// a circle, which the rules Rule exclude.
	Chain []Edge
	Rule  string
	// ThinAir is the number of candidates that rule 7.8 alone forbids.
	ThinAir int
	// Allowed: no rule forbids one of them.
	Allowed bool
	// Wrong is the number of candidates that no rule forbids and that go wrong, so that they
	// have no outcome. Race are the accesses of a data race in one of them.
	Wrong int
	Race  []Event
	// Ended: on some path an assumption fails or something goes wrong. What would have been observed behind that
	// is not known, so that where there are no candidates it need not be for want of values.
	Ended bool
}

// Proved reports whether the account shows that no execution has the outcome, whatever is
// thought of values out of thin air.
func (a *Account) Proved() bool { return !a.Allowed && a.ThinAir == 0 }

// Relation names what an edge of a chain stands for.
type Relation string

// The relations.
const (
	Sequenced    Relation = "is sequenced before"
	Synchronises Relation = "synchronises with"
	Commanded    Relation = "is ordered by commands before"
	Initialises  Relation = "is the initial value, and so before"
	ReadBy       Relation = "is read by"
	Modified     Relation = "is earlier in modification order than"
	ReadsOlder   Relation = "reads an older value than that of"
	DependedOn   Relation = "decides about"
	KeptBefore   Relation = "cannot be overtaken by"
	Awaited      Relation = "is waited for by"
	BeforeInS    Relation = "stands before, in the order S of seq_cst operations,"
	Unordered    Relation = "is read, but does not happen before"
)

// Edge relates an event to the next of a chain, by a rule.
type Edge struct {
	From, To Event
	Relation Relation
	Rule     string
}

// Event is an operation of a program, or the initial value of a location.
type Event struct {
	Thread   string
	Site     Site // where its code is
	Location string
	Moment   string // "start" or "end" of the command that the code enqueues; "" of an operation
	Initial  bool
	Access   bool
	Operands [2]int64 // of what writes; the initial value
	Reads    bool
	Read     int64
}

// WhyNot goes through the candidate executions with an outcome. The error tells why it cannot: the program is
// none that the package covers, or there was no time.
func WhyNot(p *ir.Program, spec memmodel.Spec, q Question) (*Account, error) {
	a := &Account{}
	// Candidates that contradict what the code alone tells of happens-before come last, and those with values
	// out of thin air behind them: there are many, and they matter where there are no others.
	for _, s := range []struct{ loose, air bool }{{}, {loose: true}, {air: true}} {
		e := &enumerator{prog: p, spec: spec, opt: Options{MaxCandidates: math.MaxInt, LoadBuffering: s.air}, seenCut: map[string]bool{},
			outcomes: map[string][]shown{}, why: &inquiry{Question: q, account: a, loose: s.loose}}
		if s.air {
			e.why.air = q.Values
		}
		err := e.setUp()
		if err == nil {
			err = e.combine()
		}
		switch {
		case err == errAllowed:
			return a, nil
		case err != nil:
			return nil, err
		case a.Candidates > 0:
			return a, nil
		}
	}
	return a, nil
}

// errAllowed ends an inquiry that has found what it thought there is none of.
var errAllowed = errors.New("axiom: the execution is allowed")

// ErrStopped is returned when there was no time.
var ErrStopped = errors.New("there was no time to go through all candidate executions")

// inquiry is a question that is being answered.
type inquiry struct {
	Question
	account *Account
	loose   bool    // what the code tells of happens-before is asked of whole candidates only
	air     []int64 // values that every location may hold
	calls   int
	best    int // rules that forbid the candidate of the chain
}

// stopped reports whether there is no time left.
func (q *inquiry) stopped() bool {
	q.calls++
	return q.Stop != nil && q.calls%64 == 0 && q.Stop()
}

// value looks a name up in an outcome: a long one, or a short one that only one value has.
func value(o []shown, name string) (v int64, ok bool) {
	for _, s := range o {
		if s.long == name {
			return s.value, true
		}
		if s.name == name {
			if ok {
				return 0, false
			}
			v, ok = s.value, true
		}
	}
	return v, ok
}

// excluded reports whether what the paths of a candidate observe, or their not coming to their ends, tells that
// it has not the outcome that is asked for.
func (q *inquiry) excluded(c *candidate) bool {
	ends := c.diverged || c.failed || c.cmds.stuck || c.cmds.abnormal || slices.ContainsFunc(c.paths, func(p *path) bool { return p.fault })
	q.account.Ended = q.account.Ended || ends
	if ends || c.partial() {
		return true
	}
	o := c.observed()
	holds, known := q.Holds(func(name string) (int64, bool) { return value(o, name) })
	return known && !holds
}

// consider takes account of a candidate.
func (q *inquiry) consider(c *candidate) error {
	o := c.outcome()
	if holds, known := q.Holds(func(name string) (int64, bool) { return value(o, name) }); !holds || !known {
		return nil
	}
	a := q.account
	faults, err := c.faults()
	if err != nil {
		return err
	}
	if len(faults) == 0 {
		return q.unfaulted(c)
	}
	a.Candidates++
	shortest := slices.MinFunc(faults, func(f, g fault) int {
		return cmp.Or(cmp.Compare(len(f.chain), len(g.chain)), cmp.Compare(f.rule, g.rule))
	})
	q.count(&shortest)
	if a.Chain == nil || cmp.Or(cmp.Compare(len(faults), q.best), cmp.Compare(len(shortest.chain), len(a.Chain)), cmp.Compare(futile(shortest.chain), futile(a.Chain))) < 0 {
		q.best, a.Chain, a.Rule = len(faults), shortest.chain, shortest.rule
	}
	return nil
}

// futile is 1 if a chain says no more than that a read-modify-write comes before what it reads in
// modification order: another order may do, and what is wrong with that says why there is none.
func futile(chain []Edge) int {
	if len(chain) == 2 && chain[0].Relation == ReadBy && chain[1].Relation == Modified {
		return 1
	}
	return 0
}

// unfaulted takes account of a candidate that no axiom forbids.
func (q *inquiry) unfaulted(c *candidate) error {
	a := q.account
	if err := c.matchMaps(); err != nil {
		return err
	}
	if wrong, race := c.goesWrong(); wrong {
		a.Candidates++
		if a.Wrong++; a.Race == nil {
			a.Race = race
		}
		return nil
	}
	if !c.causal() && !c.independent() {
		circle := c.thinAir()
		f := fault{airless(circle), circle}
		a.Candidates++
		a.ThinAir++
		q.count(&f)
		if a.Chain == nil || q.best > 0 {
			q.best, a.Chain, a.Rule = 0, f.chain, f.rule
		}
		return nil
	}
	a.Candidates++
	a.Allowed = true
	return errAllowed
}

func (q *inquiry) count(f *fault) {
	if q.account.Rules == nil {
		q.account.Rules = map[string]int{}
	}
	q.account.Rules[f.rule]++
}

// goesWrong reports whether an execution has no outcome, and the accesses of a data race in it.
func (c *candidate) goesWrong() (wrong bool, race []Event) {
	if a, b, found := c.race(); found {
		return true, []Event{c.event(a), c.event(b)}
	}
	return c.readsNothing() || c.mismapped() || c.misfreed() || c.unfenced(), nil
}

// event tells an event.
func (c *candidate) event(i int) Event {
	v := &c.events[i]
	if v.access() {
		e := Event{Location: c.e.locs[v.loc].name, Initial: v.initial(), Access: true, Operands: v.operands, Reads: v.isRead(), Read: v.reads}
		if v.initial() {
			e.Operands[0] = v.writes
			return e
		}
		e.Site, e.Thread = c.site(i), c.threadName(v.thread)
		return e
	}
	if v.thread >= len(c.e.threads) {
		return c.moment(i)
	}
	e := Event{Site: c.site(i), Thread: c.threadName(v.thread)}
	if v.kind == command {
		e.Site.PC = v.cmd.pc
	}
	return e
}

// moment tells when a command starts, or ends.
func (c *candidate) moment(i int) Event {
	for _, k := range c.cmds.list {
		if k.starts != i && k.ends != i {
			continue
		}
		e := Event{Thread: c.threadName(k.place.thread), Site: Site{c.e.threads[k.place.thread].Func, k.pc}, Moment: "start"}
		if k.ends == i {
			e.Moment = "end"
		}
		return e
	}
	return Event{Moment: "start"}
}

// threadName tells a thread from others, as the long names of observations do.
func (c *candidate) threadName(i int) string {
	if c.e.of[i] < 0 {
		return c.e.threads[i].Name
	}
	_, long := c.whose(i, observation{item: !c.e.threads[i].Place.Host})
	name, number, _ := strings.Cut(long[:len(long)-1], "@")
	for k := range c.e.threads { // another instance of the same function
		if c.e.of[k] != c.e.of[i] && c.e.threads[k].Func == c.e.threads[i].Func {
			return name + "@" + number
		}
	}
	return name
}

// RuleList returns the rules of an account, those that forbid most candidates first.
func (a *Account) RuleList() []string {
	return slices.SortedFunc(maps.Keys(a.Rules), func(r, s string) int {
		return cmp.Or(cmp.Compare(a.Rules[s], a.Rules[r]), cmp.Compare(r, s))
	})
}
