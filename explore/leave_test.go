package explore

import (
	"context"
	"testing"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/por"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/store"
)

// onItsWay returns a worker that has a path of some states, and one state beside it that leads back to it.
func onItsWay(t *testing.T) (s *search, member sccMember) {
	t.Helper()
	s = newSearch(context.Background(), facts.Of(sbring(6, memmodel.Relaxed, memmodel.Relaxed), memmodel.Specs[0]), Options{Spec: memmodel.Specs[0], KeepSchedule: true, Links: []share.Link{share.NewLocal().Link(0)}})
	s.prepare()
	for len(s.stack) < 5 {
		if s.goOn(1) {
			t.Fatal("it is at its end")
		}
	}
	member.fp = store.Fingerprint{Hi: 7, Lo: 7}
	s.visited.record(member.fp, store.Entry{Note: openNote(1)})
	s.members = append(s.members, member)
	return s, member
}

// A worker leaves what others are done with: the first state of its path with as few sleepers. What is open below counts as explored
// by nobody.
func TestLeaveDone(t *testing.T) {
	s, member := onItsWay(t)
	const depth = 2
	left := append([]*frame(nil), s.stack...)
	fps, parent := []store.Fingerprint{member.fp}, s.stack[depth-1]
	for _, f := range left[depth+1:] {
		fps = append(fps, f.fp)
	}
	states, cuts := s.visited.stored(), s.stats.Cuts
	s.visited.record(left[depth].fp, store.Entry{Sleep: uint64(left[depth].dpor.entry), Note: s.noteOf(&por.Summary{Any: true}) | (&termination{out: true}).note()})
	s.exchange.overtaken = true
	s.leaveDone()
	if len(s.stack) != depth || s.stack[depth-1] != parent || !parent.fate.out || !parent.dpor.Below.Any || len(s.members) != 0 || s.visited.stored() != states || s.stats.Cuts != cuts+1 {
		t.Fatalf("a path of %d is left, with %d members", len(s.stack), len(s.members))
	}
	for _, fp := range fps {
		if e, seen := s.visited.lookup(fp); !seen || !isDone(e) || por.Set(e.Sleep).Within(por.Set(1)<<40-1) || !known(e.Note).out || !s.effectsOf(e.Note).Any {
			t.Errorf("a state that was left is kept as %+v", e)
		}
	}
	s.close()
}

// What others have explored with other sleepers is not left, nor is what they have open, nor anything before somebody has told something.
func TestLeaveNothing(t *testing.T) {
	for what, change := range map[string]func(s *search, f *frame){
		"other sleepers": func(s *search, f *frame) {
			s.visited.record(f.fp, store.Entry{Sleep: uint64(f.dpor.entry | 1<<40), Note: s.noteOf(&por.Summary{})})
		},
		"open": func(s *search, f *frame) {},
		"nothing was told": func(s *search, f *frame) {
			s.visited.record(f.fp, store.Entry{Sleep: uint64(f.dpor.entry), Note: s.noteOf(&por.Summary{})})
			s.exchange.overtaken = false
		},
	} {
		s, _ := onItsWay(t)
		s.exchange.overtaken = true
		change(s, s.stack[2])
		n := len(s.stack)
		if s.leaveDone(); len(s.stack) != n || s.exchange.left != 0 || s.exchange.overtaken {
			t.Errorf("%s: a path of %d is one of %d", what, n, len(s.stack))
		}
		s.close()
	}
}
