package explore

import (
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/store"
)

// Executions are counted (Options.NoCache) by a search that forgets what it has
// visited. With dynamic reduction each execution graph is to be completed once, for
// which sleep sets are not enough: whether a unit reads a message here does not
// depend on which units read it elsewhere. So each state has a cover: for each of its
// messages, the units that need not read it any more, since the executions in which
// they read it are explored elsewhere.

// noSet is the visited states of a search that forgets them. The set stays empty.
type noSet struct {
	set    store.Set // stays empty
	states int       // visited, as often as they were
}

func (n *noSet) lookup(store.Fingerprint) (store.Entry, bool) { return store.Entry{}, false }
func (n *noSet) has(store.Fingerprint) bool                   { return false }
func (n *noSet) same(fp store.Fingerprint, text []byte) bool  { return n.set.Same(fp, text) }
func (n *noSet) record(store.Fingerprint, store.Entry)        { n.states++ }
func (n *noSet) unrecord()                                    { n.states-- }
func (n *noSet) note(sccMember, uint64)                       {}
func (n *noSet) learn(sccMember, uint64) (news, wasOpen bool) { return false, false }
func (n *noSet) stored() int                                  { return n.states }
func (n *noSet) goOn(states int)                              { n.states = states }
func (n *noSet) usage(beside int) (bytes int, full bool)      { return n.set.Bytes(), n.set.Full(beside) }
func (n *noSet) err() error                                   { return n.set.Err() }

// coverAll notes that the unit that had its turn has read, in some successor, every
// message that it can.
func (s *turnTaker) coverAll(d *turns) {
	if !s.opt.NoCache || d.Loc < 0 {
		return
	}
	for back := range s.cur.Mem.Readable(d.Unit, d.Loc) {
		if i := s.cur.Mem.MessageIndex(d.Loc, back); i >= 0 {
			for len(d.cover) <= i {
				d.cover = append(d.cover, 0)
			}
			d.cover[i] = d.cover[i].With(d.Unit)
		}
	}
}

// covered reports whether executions in which unit u, which has its turn, makes that
// choice are explored elsewhere.
// docs/exploration/turns.md, "Without visited states".
func (s *expander) covered(d *turns, u memmodel.Unit, c state.Choice) bool {
	if !s.opt.NoCache || !d.begun() {
		return false
	}
	message := s.por.Message(s.cur, u, c)
	return message >= 0 && message < len(d.cover) && d.cover[message].Has(d.Unit)
}

// carryCover keeps for a successor, with these labels of its messages, what is left of the
// cover of the frame's state when the unit that has its turn has read on.
func (s *expander) carryCover(d *turns, labels []int8) {
	if !s.opt.NoCache {
		return
	}
	for _, label := range labels {
		var c por.Set
		if label >= 0 && int(label) < len(d.cover) {
			c = d.cover[label] &^ por.Set(0).With(d.Unit)
		}
		d.covers = append(d.covers, c)
	}
}

// takeCover gives the frame of a successor's state the cover that was kept for it.
func (s *turnTaker) takeCover(child, f *frame, k *successor) {
	if s.opt.NoCache && f.dpor.begun() {
		child.dpor.cover = append(child.dpor.cover, f.dpor.covers[k.step.LabelFrom:k.step.LabelTo]...)
	}
}
