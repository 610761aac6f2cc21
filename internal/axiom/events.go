package axiom

import (
	"fmt"
	"strings"

	"github.com/clmc/clmc/memmodel"
)

// event is an action of an execution, or, with thread -1, the initial write of
// a location. Initial writes happen before everything else.
type event struct {
	action
	thread   int
	index    int // in program order
	instance int // of an entry or exit
}

func (v *event) initial() bool { return v.thread < 0 }

// access reports whether the event accesses memory; the others are fences.
func (v *event) access() bool { return v.kind <= restore }

// atomic reports whether the event is an atomic access.
func (v *event) atomic() bool { return v.access() && v.order != memmodel.NonAtomic }

func (v *event) seqCst() bool { return v.order == memmodel.SeqCst }

func (v *event) String() string {
	kinds := [...]string{"R", "W", "U", "M", "F", "BE", "BX", "C"}
	return fmt.Sprintf("%s%d.%d(loc %d, %v, %v, %v, read %d, wrote %d)", kinds[v.kind], v.thread, v.index,
		v.loc, v.order, v.scope, v.flags, v.reads, v.writes)
}

// candidate is a candidate execution: one path per thread, the source of each
// read and the modification order of each location.
type candidate struct {
	e        *enumerator
	paths    []*path
	diverged bool
	failed   bool // a broadcast is from nobody

	events   []event
	writesTo [][]int  // by location
	readers  []int    // reads and read-modify-writes
	po       relation // sequenced-before
	join     relation // entry to exit fences of the same barrier

	source []int // of each read, else -1
	order  [][]int
	mo     relation
	fr     relation    // a read to the writes mo-later than its source
	hb     [4]relation // see happens
	sure   [4]relation // the part of it that the paths determine
	direct [3]relation // for why: what synchronises for other reasons than that it does so in another region
	cmds   commands

	turn   relation // the turns that host threads take at queues
	causes relation // what is performed before what
	maps   []mapped
}

// execute enumerates the executions of one choice of paths.
func (e *enumerator) execute(chosen []*path) error {
	return e.eachTurns(chosen, func(order turns) error { return e.inOrder(chosen, order) })
}

// inOrder enumerates those in which host threads take turns in a given order.
func (e *enumerator) inOrder(chosen []*path, order turns) error {
	if err := e.tick(); err != nil {
		return err
	}
	cmds, ok, err := e.resolve(chosen, order)
	if !ok || err != nil {
		return err
	}
	m := e.meet(chosen)
	if !m.possible {
		return nil
	}
	cmds.stop(&m)
	if m.diverged || m.failed || cmds.halted {
		if key := cutKey(chosen, m.cut, order); e.seenCut[key] {
			return nil
		} else {
			e.seenCut[key] = true
		}
	}
	c := &candidate{e: e, paths: chosen, diverged: m.diverged, failed: m.failed, cmds: cmds, writesTo: make([][]int, len(e.locs))}
	if e.why != nil && e.why.excluded(c) {
		return nil
	}
	if err := c.build(m); err != nil {
		return err
	}
	return c.chooseSources()
}

// cutKey identifies the events of cut paths, whatever the paths would do next.
func cutKey(chosen []*path, cut []int, order turns) string {
	var w strings.Builder
	fmt.Fprintln(&w, order)
	for i, p := range chosen {
		fmt.Fprintln(&w, p.actions[:cut[i]], p.fault)
	}
	return w.String()
}

// build creates the events and the relations that do not depend on choices.
func (c *candidate) build(m meeting) error {
	used := make([]bool, len(c.e.locs))
	for i, p := range c.paths {
		for _, a := range p.actions[:m.cut[i]] {
			if a.kind <= restore && !used[a.loc] {
				used[a.loc] = true
				l := c.e.locs[a.loc]
				c.append(event{action: action{kind: write, loc: a.loc, writes: l.init}, thread: -1, index: -1})
			}
		}
	}
	for i, p := range c.paths {
		passed := 0
		for k, a := range p.actions[:m.cut[i]] {
			v := event{action: a, thread: i, index: k}
			if a.kind == entry || a.kind == exit {
				v.instance = m.instances[i][passed/2]
				passed++
			}
			c.append(v)
		}
	}
	c.appendMoments()
	if len(c.events) > maxEvents {
		return fmt.Errorf("axiom: %d events are too many", len(c.events))
	}
	c.relate()
	c.relateCommands()
	c.surely()
	return nil
}

func (c *candidate) append(v event) {
	i := len(c.events)
	if v.access() && v.isWrite() {
		c.writesTo[v.loc] = append(c.writesTo[v.loc], i)
	}
	if v.access() && v.isRead() {
		c.readers = append(c.readers, i)
	}
	c.events = append(c.events, v)
}

func (c *candidate) relate() {
	n := len(c.events)
	c.po, c.join = newRelation(n), newRelation(n)
	for i := range c.events {
		for k := range c.events {
			a, b := &c.events[i], &c.events[k]
			if !a.initial() && a.thread == b.thread && a.index < b.index {
				c.po.add(i, k)
			}
			if a.kind == entry && b.kind == exit && a.instance == b.instance {
				c.join.add(i, k)
			}
		}
	}
}
