package cluster

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants breaks what the order of what was found and facts rests on, and sees tests fail.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		if out, survived := m.Survives(t, "-run", "^(TestAcknowledgedWhenReadBack|TestRestsOnWhatWasRead|TestRecent)$", "."); !survived { // before what depends on chance
			return out, false
		}
		return m.Survives(t, "-run", "^Test(Troubles|Cut|MadeAnew|HostileMessage|LossyStream|Full|Links|Away|Skipped|Wait|WaitBack|SlowAnswers)$", ".")
	})
}

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

const feed, ends, jobs = "cmd/clmc/internal/cluster/feed.go", "cmd/clmc/internal/cluster/link.go", "cmd/clmc/internal/cluster/job.go"

var mutants = mutant.List([][5]string{
	{"a batch is acknowledged when it was read back", ends,
		"			f.trouble.note(err)\n", "			f.trouble.note(err)\n			if err == nil && l.pending[m.number] {\n				delete(l.pending, m.number)\n				l.back = append(l.back, own{m.number, 0})\n			}\n"},
	{"what is not the server's to lose is not acknowledged", ends,
		"		l.pending[number] = true\n", "		l.back = append(l.back, own{number, 0})\n"},
	{"messages of who has read something else are left out", feed,
		"			f.strange++\n			return\n", "			f.strange++\n"},
	{"a batch says how far its worker had read", ends,
		"read: read, chain: f.chains[read]}", "read: 1, chain: f.chains[1]}"},
	{"what was read is still there", feed,
		"chained(f.chains[seq-1], data) != f.chains[seq]:", "data == nil:"},
	{"what was lost on the way is asked for again", feed,
		"		case seq > next:\n			return errAgain\n		case seq == next:\n", "		case seq >= next:\n"},
	{"each question has the time of an answer for itself", feed,
		"f.c.briefly(f.ctx)\n	defer cancel()\n	return ask", "context.WithTimeout(f.ctx, f.c.tempo.ask/7)\n	defer cancel()\n	return ask"},
	{"a stream that is shorter has lost something", feed,
		"	case t.Last < seen:\n", "	case false:\n"},
	{"a stream that was made anew is another one", jobs,
		"fmt.Sprintf(\"%016x\", rand.Uint64())", "\"x\" + fmt.Sprint(rand.IntN(1))"},
	{"a message that is damaged is none", "cmd/clmc/internal/cluster/envelope.go",
		"!= xxh3.Hash(b[:body]):", "== 1:"},
	{"a stream that discards is not relied on", jobs,
		"	case c.Discard != jetstream.DiscardNew:\n		return \"its discard policy is not new\"\n", ""},
	{"what is not answered is asked for again", "cmd/clmc/internal/cluster/connect.go",
		"if err == nil || !Unanswered(err) ||", "if true ||"},
	{"what others say is waited for as long as it takes", ends,
		"{ return false, false }", "{ return false, true }"},
	{"own batches are not waited for without end", ends,
		"until(time.Since(began))", "until(time.Since(began) - time.Hour)"},
	{"who waits for own batches hears that there is room for the next one", ends,
		"return !pending && l.room(), ", "return false, "},
	{"what is handed on is of this stream", "cmd/clmc/internal/cluster/recent.go",
		"if k == nil || k.subject != subject || from < k.from", "if k == nil || from < k.from"},
	{"what is handed on has no gap", "cmd/clmc/internal/cluster/recent.go",
		" || seq > k.from+uint64(len(k.kept)) ||", " ||"},
	{"what the server has lost is not handed on", "cmd/clmc/internal/cluster/recent.go",
		" || k.differs(seq, message): //", ": //"},
	{"nothing is published into a broken stream", ends,
		"	if f.err != nil || read == 0", "	if read == 0"},
})
