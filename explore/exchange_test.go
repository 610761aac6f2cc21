package explore

import (
	"context"
	"errors"
	"testing"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state/facts"
	"github.com/clmc/clmc/state/ir"
)

// broken is a link to a log that has lost a batch.
type broken struct {
	*share.LocalLink
	after     int // batches read
	published int // since then
}

var errGap = errors.New("a batch is missing")

func (b *broken) Next() ([]byte, error) {
	if b.after--; b.after < 0 {
		return nil, errGap
	}
	return b.LocalLink.Next()
}

func (b *broken) Publish(number uint64, batch []byte) {
	if b.after < 0 {
		b.published++
	}
	b.LocalLink.Publish(number, batch)
}

// A worker that cannot read what the others have found is not done, whatever it has seen, and tells
// nothing more.
func TestLostBatch(t *testing.T) {
	for after := range 30 {
		b := &broken{LocalLink: share.NewLocal().Link(0), after: after}
		r := Run(context.Background(), ainc(4), Options{Links: []share.Link{b}})
		if r.Verdict != Inconclusive || !errors.Is(r.Err, errGap) || b.published > 0 {
			t.Errorf("after %d: %v, %v, %d batches published", after, r.Verdict, r.Err, b.published)
		}
	}
}

// What no worker can have written ends the part of whoever has published it, from then on: what was told before counts, as does what
// others tell. What nobody knows whose it is is left out.
func TestUnfit(t *testing.T) {
	p := twoStores()
	logs := batchesOf(p)
	told := func(log *share.Local) *Result {
		return Watch(context.Background(), p, Options{All: true, Spec: memmodel.Specs[0], Links: []share.Link{log.Link(9)}})
	}
	of := func(worker uint64, bad func(*share.Batch)) (all [][]byte) {
		for i, b := range logs {
			b := *b
			if b.Worker = worker; i == 0 && bad != nil {
				bad(&b)
			}
			all = append(all, b.Append(nil))
		}
		return all
	}
	want := Run(context.Background(), p, Options{All: true})
	unread := func(b *share.Batch) { b.Found = append([][]byte{{'x'}}, b.Found...) }
	rests := func(b *share.Batch) { b.Summaries = []share.Summary{{Digest: share.Digest{1}}} }
	garbage := [][]byte{[]byte("garbage"), nil, of(5, nil)[0][:20]}
	for name, c := range map[string]struct {
		batches [][]byte
		over    bool
	}{
		"all is fit":                       {of(5, nil), true},
		"what was found cannot be read":    {of(5, unread), false},
		"it rests on what is not there":    {of(5, rests), false},
		"other semantics":                  {of(5, func(b *share.Batch) { b.Semantics++ }), false},
		"what it says later is left out":   {append(of(5, unread), of(5, nil)...), false},
		"another goes on":                  {append(of(5, unread), of(6, nil)...), true},
		"garbage of nobody knows whom":     {append(garbage, of(5, nil)...), true},
		"what is fit counts until it ends": {append(append(of(6, nil)[:len(logs)-1], of(5, unread)...), of(6, nil)[len(logs)-1:]...), true},
	} {
		log := share.NewLocal()
		l := log.Link(0)
		for i, b := range c.batches {
			if b != nil {
				l.Publish(uint64(i+1), b)
			}
		}
		r := told(log)
		if r.Err != nil || r.Told != c.over {
			t.Errorf("%s: %v, over: %v, want %v", name, r.Err, r.Told, c.over)
		}
		if c.over && differs(r, want, true) != "" {
			t.Errorf("%s: %s", name, differs(r, want, true))
		}
	}
	log := share.NewLocal()
	l := log.Link(0)
	for i := range maxUnfit + 1 {
		l.Publish(uint64(i+1), []byte("garbage"))
	}
	if r := told(log); !errors.Is(r.Err, share.ErrBatch) {
		t.Errorf("%d batches are garbage, and %v", maxUnfit+1, r.Err)
	}
}

// Who has searched nothing and has read all that one worker has told knows what that one knows.
func TestWatch(t *testing.T) {
	programs := append(traps(), ignoring(), twoStores(), bufferedReach())
	for seed := range 20 {
		programs = append(programs, reaching(uint64(seed)), randprog.LB.Program(uint64(seed)))
	}
	bounded := 0
	for i, p := range programs {
		opt := Options{All: i%2 == 0, MaxStates: 20_000, KeepSchedule: true, Promises: 1}
		one := Run(context.Background(), p, opt)
		if one.Paused {
			continue
		}
		if len(one.Incomplete) > 0 {
			bounded++
		}
		log := share.NewLocal()
		opt.Links = []share.Link{log.Link(0)}
		first := Run(context.Background(), p, opt)
		opt.Links = []share.Link{log.Link(1)}
		r := Watch(context.Background(), p, opt)
		if d := differs(r, one, opt.All); d != "" || r.Stats.Steps > 0 || r.Unpromised != one.Unpromised || !r.Told || !first.Told {
			t.Errorf("%s: %s, %d steps\n%s", p.Name, d, r.Stats.Steps, randprog.Format(p))
		}
	}
	if bounded == 0 {
		t.Error("no bound was met")
	}
	// Nobody has come to the end: nothing is concluded.
	if r := Watch(context.Background(), ainc(2), Options{Links: []share.Link{share.NewLocal().Link(0)}}); r.Verdict != Inconclusive || r.Told {
		t.Errorf("of an empty log: %v", r.Verdict)
	}
}

// A worker that others have stopped does not say that the job is over.
func TestStoppedWorker(t *testing.T) {
	log := share.NewLocal()
	s := newSearch(context.Background(), facts.Of(ainc(4), memmodel.Specs[0]), Options{Spec: memmodel.Specs[0], Links: []share.Link{log.Link(0)}})
	s.prepare()
	s.goOn(10)
	s.team.over.Store(true)
	s.work()
	for l := log.Link(1); ; {
		data, err := l.Next()
		if data == nil || err != nil {
			break
		}
		if b := must(share.Decode(data, Semantics)); b.Over {
			t.Error("over")
		}
	}
	if s.finished() {
		t.Error("finished")
	}
}

// silent is a link to a log in which others have nothing to say for a while.
type silent struct {
	*share.LocalLink
	waits int // until they have
	said  func()
}

func (s *silent) Wait() bool {
	if s.waits--; s.waits == 0 {
		s.said()
	}
	return true
}

// Who watches is patient: it ends when the job is over, and not before the others have said anything.
func TestPatientWatch(t *testing.T) {
	log := share.NewLocal()
	l := &silent{LocalLink: log.Link(1), waits: 100}
	l.said = func() { Run(context.Background(), ainc(2), Options{Links: []share.Link{log.Link(0)}}) }
	if r := Watch(context.Background(), ainc(2), Options{Links: []share.Link{l}}); r.Verdict != Verified {
		t.Errorf("%v, %q", r.Verdict, r.Incomplete)
	}
}

// lost is a link to a log that is lost when the first batch is published. It says as long as it is asked that there is
// something to be read, which is why there is nothing: the worker that did not take it would ask for ever.
type lost struct {
	*share.LocalLink
	gone  bool
	waits int
}

func (l *lost) Ready() bool            { return !l.gone }
func (l *lost) Publish(uint64, []byte) { l.gone = true }
func (l *lost) Acknowledged() uint64   { return 0 }

func (l *lost) Next() ([]byte, error) {
	if l.gone {
		return nil, errGap
	}
	return nil, nil
}

func (l *lost) WaitBack() bool {
	l.waits++
	return l.waits < 1000
}

// A worker that is done does not go on saying so to a log that is lost meanwhile, nor does it say that the job is over.
func TestLostInTheEnd(t *testing.T) {
	l := &lost{LocalLink: share.NewLocal().Link(0)}
	r := Run(context.Background(), ainc(1), Options{Links: []share.Link{l}})
	if r.Verdict != Inconclusive || !errors.Is(r.Err, errGap) || l.waits > 1 || r.Told {
		t.Errorf("%v, %v; it has waited %d times", r.Verdict, r.Err, l.waits)
	}
}

// deaf is a link to a log that takes nothing.
type deaf struct{ *share.LocalLink }

func (deaf) Publish(uint64, []byte) {}
func (deaf) Acknowledged() uint64   { return 0 }

// A worker whose log takes nothing knows its verdict, and that the others do not.
func TestNobodyToldTheEnd(t *testing.T) {
	for _, p := range []*ir.Program{ainc(2), twoStores()} {
		r := Run(context.Background(), p, Options{Links: []share.Link{deaf{share.NewLocal().Link(0)}}})
		if r.Verdict == Inconclusive || r.Told {
			t.Errorf("%v, told %v", r.Verdict, r.Told)
		}
	}
}

// named is a link that says of every batch that a worker of some name has published it.
type named struct {
	*share.LocalLink
	from uint64
}

func (n *named) From() uint64 { return n.from }

// A batch that one worker publishes in the name of another is none, and ends the part of who has published it: nothing of it is taken, the other one's part
// goes on, and that one does not take what it has found for known since somebody has said so in its name.
func TestAnothersName(t *testing.T) {
	p := twoStores()
	for _, forged := range []uint64{5, 9} {
		log := share.NewLocal()
		l := &named{log.Link(9), 5}
		writer := log.Link(0)
		for i, b := range batchesOf(p) {
			b := *b
			b.Worker = forged
			writer.Publish(uint64(i+1), b.Append(nil))
		}
		s := ready(context.Background(), p, Options{All: true, Links: []share.Link{l}})
		s.exchange.sent = []sent{{number: 1}, {number: 2}}
		s.hear()
		if over, unfit, sent := s.exchange.over, s.exchange.unfit[5], len(s.exchange.sent); over != (forged == 5) || unfit != (forged != 5) || sent != 2 || s.result.Err != nil {
			t.Errorf("in the name of %d: over: %v, unfit: %v, %d batches are under way, %v", forged, over, unfit, sent, s.result.Err)
		}
		s.wrapUp()
		s.close()
	}
	log := share.NewLocal()
	writer := log.Link(0)
	writer.Publish(1, (&share.Batch{Semantics: Semantics, Worker: 9, Number: 1}).Append(nil))
	s := ready(context.Background(), p, Options{All: true, Links: []share.Link{&named{log.Link(9), 5}}})
	s.exchange.sent = []sent{{number: 1}}
	if s.readOwnBatches(); len(s.exchange.sent) != 1 {
		t.Error("what another has published counts as this worker's own at the end")
	}
	s.close()
}
