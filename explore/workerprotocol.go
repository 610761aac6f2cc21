package explore

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/por"
)

// The exchange: workers on one search tell each other which states they are done with, and
// what was found below those. Each searches the whole program, in an order of its own,
// and skips what it knows others to be done with. Nobody depends on anybody: a worker may
// join late, leave or die. docs/exploration/workers.md says why that is sound, and package share
// what the log must guarantee through which they talk.

// Semantics is the version of what workers tell each other: of fingerprints, canonical
// forms, effects, and what counts as found. It is raised when any of these changes its meaning.
const Semantics uint32 = 23

// Bounds on when and how much is published.
const (
	talkEvery = 16      // visits between two batches, if nothing is urgent
	urgent    = 10_000  // steps below a state of which the others are to know at once
	maxFacts  = 1 << 16 // that wait to be published; the rest is forgotten
	maxSent   = 64      // batches that are remembered until they are acknowledged
)

// Shared counts what workers told each other.
type Shared struct {
	Published      int   // facts
	Read           int   // facts of other workers
	Applied        int   // of these: states not known before, or not so well
	Dropped        int   // facts that were not published, as the log took no more
	Batches        int   // published
	Unacknowledged int   // of these, not known to be in the log
	BytesOut       int64 // of batches published
	BytesIn        int64 // of batches read
	States         int   // stored by the other workers of this process
}

// add adds what another worker of this process has told and heard.
func (t *Shared) add(o *Shared) {
	t.Published += o.Published
	t.Read += o.Read
	t.Applied += o.Applied
	t.Dropped += o.Dropped
	t.Batches += o.Batches
	t.Unacknowledged += o.Unacknowledged
	t.BytesOut += o.BytesOut
	t.BytesIn += o.BytesIn
}

// workerProtocol is a search's part in a job that several work on.
// docs/exploration/workers.md, "Several workers".
type workerProtocol struct {
	link   share.Link      // to the log
	self   share.Member    // who this worker is there
	pace   pace            // the worker's: how much it tells at a time
	number uint64          // of the last batch published
	visit  int             // after which it was
	least  int             // steps below a state from which on it is worth telling that it is done
	facts  []summaryRecord // to be published
	soon   bool            // at once
	over   bool            // somebody is done with the initial state, or has found what ends the search
	told   bool            // the log has it

	overtaken bool // a state that is open here has been told to be done
	left      int  // states on the path that were left as others are done with them

	news   found               // what was found since the last batch
	things []thing             // what was found and is not known to be in the log, encoded
	first  int                 // the number of the first of these
	sent   []sent              // batches that may get to the log
	large  uint64              // things that were too large for one batch
	parts  map[partOf][][]byte // what has come of things too large for one batch
	learnt int                 // how much of what the machine has learnt has been told

	table *tabled // of the workers of one process, instead of facts in batches

	texts  []text                  // by number of effects
	byName map[share.Digest]uint32 // numbers of effects

	unfit   map[uint64]bool // workers of whom nothing is taken any more
	unknown int             // batches that were left out, of nobody knows whom
}

// summaryRecord says that a state is done.
type summaryRecord struct {
	sccMember
	note uint64 // what is known of it: turns, effects, fate
}

// thing is something that was found.
type thing struct {
	data  []byte // as it is told
	inLog bool   // so that it need not be told again
	tried uint64 // the last batch that it was in
}

// sent is what a batch held that must get to the log.
type sent struct {
	number uint64   // the batch
	things []int    // by number
	texts  []uint32 // of effects, by number
	over   bool     // it said that the job is over
}

// text is what is known of the text of effects.
type text struct {
	named bool         // name is known
	name  share.Digest // what the log calls it by
	inLog bool         // so that its name says it
}

// join makes the search a worker of the job whose log a link leads to.
func (s *search) join(link share.Link) {
	self := link.Self()
	s.order = self.Order
	s.exchange = &workerProtocol{link: link, self: self, pace: s.pace, least: s.pace.least, parts: map[partOf][][]byte{}, byName: map[share.Digest]uint32{}, unfit: map[uint64]bool{}}
	s.news = &s.exchange.news
	if s.team.table != nil {
		s.exchange.table, s.exchange.least = &tabled{Table: s.team.table}, s.pace.local
	}
}

// converse hears what others have published and publishes what there is, between two
// visits. It reports whether there is still something to be done.
func (s *search) converse() bool {
	x := s.exchange
	s.hear()
	s.leaveDone()
	if len(x.facts) > 0 && (x.soon || s.visits-x.visit >= talkEvery) && x.link.Ready() {
		s.publish()
	}
	return !s.stopped && !x.over
}

// heardAll hears what there is when the search begins, and reports whether nothing is left to do.
func (s *search) heardAll() bool {
	if s.exchange == nil {
		return false
	}
	s.hear()
	return s.stopped || s.exchange.over
}

// tellDone has the exchange tell that a state is done which is that of a frame, below which so
// many steps were performed, or one on a cycle with it.
func (s *search) tellDone(m sccMember, note uint64, steps int) {
	x := s.exchange
	switch {
	case x == nil, steps < x.least:
	case s.stopped: // then a frame is left that is not done
	case len(x.facts) >= maxFacts:
		s.stats.Shared.Dropped++
	case x.table != nil:
		s.tellTable(summaryRecord{m, note})
	default:
		x.facts = append(x.facts, summaryRecord{m, note})
		x.soon = x.soon || steps >= urgent
	}
}

// unreadable is why a search stops that can no longer read what others have found.
const unreadable = "what other workers have found cannot be read"

// hear takes note of what has been published.
func (s *search) hear() {
	x := s.exchange
	for !s.stopped && !x.over {
		data, err := x.link.Next()
		if err == nil && data != nil {
			err = s.takeFit(data)
		}
		if err != nil {
			s.fail(unreadable, err)
		}
		if data == nil {
			return
		}
		if s.alarm.ringing() {
			s.check()
		}
	}
}

// take takes note of a batch of some author: first of what was found, which lies below its facts.
func (s *search) take(data []byte, author uint64) error {
	x := s.exchange
	b, err := share.Decode(data, Semantics)
	if err != nil {
		return err
	}
	if b.Worker != author {
		return fmt.Errorf("%w: it is in the name of another worker", share.ErrBatch)
	}
	if b.Worker == x.self.ID {
		s.inLog(b.Number)
		return nil
	}
	s.stats.Shared.BytesIn += int64(len(data))
	for _, data := range b.Found {
		if err := s.hearOf(b.Worker, data); err != nil {
			return err
		}
	}
	numbers, err := s.numbers(b.Summaries)
	if err != nil {
		return err
	}
	for i := range b.Facts {
		f := &b.Facts[i]
		s.stats.Shared.Read++
		note := uint64(numbers[f.Summary]) | (&termination{out: f.Ends, round: f.Round}).note()
		news, open := s.visited.learn(sccMember{f.State, por.Set(f.Sleep)}, note)
		if news {
			s.stats.Shared.Applied++
		}
		x.overtaken = x.overtaken || news && open
	}
	x.over, x.told = x.over || b.Over, x.told || b.Over
	return nil
}

// numbers returns the numbers that the search has given the effects which summaries name.
func (s *search) numbers(summaries []share.Summary) ([]uint32, error) {
	x := s.exchange
	numbers := make([]uint32, len(summaries))
	for i := range summaries {
		sum := &summaries[i]
		n, known := x.byName[sum.Digest]
		switch {
		case sum.Text != nil && !known:
			e, err := por.ParseSummary(sum.Text)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", share.ErrBatch, err)
			}
			n = s.pool.Put(&e)
			x.name(n, sum.Digest)
			fallthrough
		case sum.Text != nil:
			x.texts[n].inLog = true
		case !known:
			return nil, fmt.Errorf("%w: it rests on a summary that is not in the log before it", share.ErrBatch)
		}
		numbers[i] = n
	}
	return numbers, nil
}

// name gives the effects of a number their name.
func (x *workerProtocol) name(n uint32, name share.Digest) {
	for int(n) >= len(x.texts) {
		x.texts = append(x.texts, text{})
	}
	if t := &x.texts[n]; !t.named {
		t.named, t.name = true, name
		x.byName[name] = n
	}
}

// publish publishes what there is, as far as the link takes it.
func (s *search) publish() {
	x := s.exchange
	s.heardBack()
	s.sayFound()
	for x.wants() && x.link.Ready() && s.publishOne() {
	}
	x.visit, x.soon = s.visits, len(x.facts) > 0 && x.soon
}

// wants reports whether there is something that the log has not been given.
func (x *workerProtocol) wants() bool {
	return len(x.facts) > 0 || slices.ContainsFunc(x.things, func(t thing) bool { return t.tried == 0 })
}

// publishOne publishes one batch: what was found and is not known to be in the log, as far
// as there is room for it; facts only if that is all, so that nobody reads them without; and
// that the job has come to its end only with the last of them. It reports whether the
// batch said anything new.
func (s *search) publishOne() (progress bool) {
	x := s.exchange
	x.number++
	b := share.Batch{Semantics: Semantics, Worker: x.self.ID, Number: x.number}
	now := sent{number: x.number}
	all, fresh := x.addFound(&b, &now)
	if all {
		s.addFacts(&b, &now)
		b.Over = x.over && len(x.facts) == 0
		now.over = b.Over
	}
	if x.sent = append(x.sent, now); len(x.sent) > maxSent {
		x.sent = x.sent[1:]
	}
	data := b.Append(nil)
	t := &s.stats.Shared
	t.Batches++
	t.Unacknowledged++
	t.Published += len(b.Facts)
	t.BytesOut += int64(len(data))
	x.link.Publish(x.number, data)
	s.heardBack()
	return fresh || len(b.Facts) > 0
}

// addFound adds to a batch what was found, in the order in which it was published last: all,
// if there is room. It also reports whether some of it has never been published.
func (x *workerProtocol) addFound(b *share.Batch, now *sent) (all, fresh bool) {
	var list []int
	for i := range x.things {
		if !x.things[i].inLog {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(x.things[i].tried, x.things[j].tried) })
	size := 0
	for _, i := range list {
		t := &x.things[i]
		if size += len(t.data); size > x.pace.found {
			return false, fresh
		}
		fresh = fresh || t.tried == 0
		t.tried = x.number
		b.Found = append(b.Found, t.data)
		now.things = append(now.things, x.first+i)
	}
	return true, fresh
}

// addFacts adds facts to a batch, the oldest first, with the summaries that they name.
func (s *search) addFacts(b *share.Batch, now *sent) {
	x := s.exchange
	places := map[uint32]int{}
	size, n := 0, 0
	for ; n < len(x.facts) && size < share.Cut; n++ {
		f := &x.facts[n]
		number := uint32(f.note)
		place, there := places[number]
		if !there {
			place = len(b.Summaries)
			places[number] = place
			sum := s.summary(number)
			if sum.Text != nil {
				now.texts = append(now.texts, number)
			}
			b.Summaries = append(b.Summaries, sum)
			size += len(sum.Digest) + len(sum.Text) + 1
		}
		fate := known(f.note)
		b.Facts = append(b.Facts, share.Fact{State: f.fp, Sleep: uint64(f.sleep), Summary: place, Ends: fate.out, Round: fate.round})
		size += factBytes
	}
	x.facts = x.facts[:copy(x.facts, x.facts[n:])]
}

// factBytes is what a fact takes in a batch, at the most that is usual.
const factBytes = 20

// summary returns what names the effects of a number, with their text unless the log has it.
func (s *search) summary(number uint32) share.Summary {
	x := s.exchange
	var content []byte
	if int(number) >= len(x.texts) || !x.texts[number].inLog {
		content = s.pool.Get(number).Append(nil)
		x.name(number, share.DigestOf(content))
	}
	return share.Summary{Digest: x.texts[number].name, Text: content}
}

// heardBack takes note of what has been acknowledged.
func (s *search) heardBack() {
	x := s.exchange
	for n := x.link.Acknowledged(); n != 0; n = x.link.Acknowledged() {
		s.inLog(n)
	}
}

// inLog takes note that a batch of this worker is in the log.
func (s *search) inLog(number uint64) {
	x := s.exchange
	i := slices.IndexFunc(x.sent, func(b sent) bool { return b.number == number })
	if i < 0 {
		return
	}
	b := x.sent[i]
	x.sent = slices.Delete(x.sent, i, i+1)
	s.stats.Shared.Unacknowledged--
	for _, n := range b.things {
		if n >= x.first {
			x.things[n-x.first].inLog = true
		}
	}
	for _, n := range b.texts {
		x.texts[n].inLog = true
	}
	x.told = x.told || b.over
	for len(x.things) > 0 && x.things[0].inLog {
		x.things, x.first = x.things[1:], x.first+1
	}
}

// sayLast publishes, at the end of the search, what there is still to say, and waits until
// the log has it, or the link sees no use in waiting. Own bounds are nobody else's business.
func (s *search) sayLast() {
	x := s.exchange
	if x.over || s.result.Err != nil { // somebody else has said it, or there is no log to rely on
		return
	}
	x.over = s.atEnd()
	for s.heardBack(); ; s.readOwnBatches() {
		s.publish()
		if len(x.things)+len(x.facts) == 0 && x.told == x.over {
			return
		}
		if x.link.Ready() {
			s.publishOne()
		}
		if x.told == x.over && len(x.things)+len(x.facts) == 0 || s.result.Err != nil || !x.link.WaitBack() {
			return
		}
	}
}

// readOwnBatches looks only for batches of this worker in what there is to be read.
func (s *search) readOwnBatches() {
	x := s.exchange
	for {
		data, err := x.link.Next()
		if err != nil {
			s.fail(unreadable, err)
		}
		if data == nil || err != nil {
			return
		}
		if b, err := share.Decode(data, Semantics); err == nil && b.Worker == x.self.ID && x.author(data) == x.self.ID {
			s.inLog(b.Number)
		}
	}
}
