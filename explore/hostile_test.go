package explore

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clmc/clmc/explore/share"
	"github.com/clmc/clmc/internal/testkit/randprog"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/state"
	"github.com/clmc/clmc/state/ir"
)

var (
	messages    = flag.Int("messages", 2000, "searches of TestHostileBatches that are given hostile batches")
	messageSeed = flag.Uint64("message-seed", 1, "which they are")
)

// TestHostileBatches has a search take batches as no worker writes them, with checksums that are right: with bytes of what
// was found changed, and numbers that name nothing. It takes them or refuses them, and ends.
func TestHostileBatches(t *testing.T) {
	programs := append([]*ir.Program{ainc(3), twoStores()}, traps()...)
	for seed := range 4 {
		programs = append(programs, reaching(uint64(seed)), randprog.Glob.Program(uint64(seed)))
	}
	var logs [][]*share.Batch
	for _, p := range programs {
		logs = append(logs, batchesOf(p))
	}
	rng := rand.New(rand.NewPCG(*messageSeed, 0))
	refused, taken := 0, 0
	for range *messages {
		i := rng.IntN(len(programs))
		s := ready(context.Background(), programs[i], Options{All: rng.IntN(2) == 0, Links: []share.Link{share.NewLocal().Link(9)}})
		for _, b := range logs[i] {
			bad := *b
			spoil(&bad, rng)
			if err := s.take(bad.Append(nil), bad.Worker); err != nil {
				if !errors.Is(err, share.ErrBatch) {
					t.Fatalf("%s: %v", programs[i].Name, err)
				}
				refused++
				break
			}
			taken++
		}
		s.wrapUp()
		s.close()
	}
	t.Logf("%d batches were taken, and %d refused", taken, refused)
	if taken < *messages/4 || refused < *messages/4 {
		t.Errorf("%d batches were taken, and %d refused", taken, refused)
	}
}

// batchesOf returns what a worker publishes of a program.
func batchesOf(p *ir.Program) (all []*share.Batch) {
	at := usual()
	at.least = 1
	log := share.NewLocal()
	Run(context.Background(), p, Options{pace: &at, All: true, KeepSchedule: true, Spec: memmodel.Specs[0], Links: []share.Link{log.Link(0)}})
	l := log.Link(1)
	for data, err := l.Next(); data != nil && err == nil; data, err = l.Next() {
		all = append(all, must(share.Decode(data, Semantics)))
	}
	return all
}

// spoil changes something in a batch.
func spoil(b *share.Batch, rng *rand.Rand) {
	b.Found, b.Summaries, b.Facts = slices.Clone(b.Found), slices.Clone(b.Summaries), slices.Clone(b.Facts)
	for i := range b.Found {
		b.Found[i] = bytes.Clone(b.Found[i])
	}
	switch what := rng.IntN(4); {
	case what == 0 && len(b.Facts) > 0:
		f := &b.Facts[rng.IntN(len(b.Facts))]
		f.Sleep, f.Summary = rng.Uint64(), rng.IntN(2*len(b.Summaries)+1)
	case what == 1 && len(b.Summaries) > 0:
		text := make([]byte, rng.IntN(60))
		for i := range text {
			text[i] = byte(rng.Uint32() >> rng.IntN(32))
		}
		b.Summaries = append(b.Summaries, share.Summary{Digest: share.DigestOf(text), Text: text})
	case len(b.Found) > 0:
		i := rng.IntN(len(b.Found))
		if data := b.Found[i]; what == 2 {
			data[rng.IntN(len(data))] = byte(rng.Uint32())
		} else {
			b.Found[i] = spoilFound(data, rng)
		}
	}
}

// spoilFound changes what a batch says of violations.
func spoilFound(data []byte, rng *rand.Rand) []byte {
	var f found
	if err := f.read(data[1:]); err != nil {
		return data
	}
	odd := func() int { return []int{-1, 0, 1, 63, 64, 1 << 20, math.MinInt}[rng.IntN(7)] }
	for i := range f.Violations {
		v := &f.Violations[i]
		switch rng.IntN(6) {
		case 0:
			v.Unit = memmodel.Unit(odd())
		case 1:
			v.PC = odd()
		case 2:
			v.Fault.Loc = memmodel.Loc(odd())
		case 3:
			v.Failed, v.FailedUnit, v.FailedPC = state.Kinds()[rng.IntN(len(state.Kinds()))], memmodel.Unit(odd()), odd()
		case 4:
			v.Kind = state.Kind(odd())
		default:
			if n := len(v.Schedule); n > 0 {
				v.Schedule = slices.Clone(v.Schedule[:rng.IntN(n+1)])
				if m := len(v.Schedule); m > 0 {
					v.Schedule[rng.IntN(m)].Unit = memmodel.Unit(odd())
				}
			}
		}
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(&f); err != nil {
		panic(err)
	}
	return append([]byte{wholeThing}, out.Bytes()...)
}
