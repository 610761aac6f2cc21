package hub

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestMutants gives keys more than they should have, and sees tests fail.
func TestMutants(t *testing.T) { mutant.TryTests(t, mutants) }

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

const (
	registrar   = "cmd/clmc/internal/cluster/registrar.go"
	submissions = "cmd/clmc/internal/cluster/submissions.go"
	takers      = "cmd/clmc/internal/cluster/takers.go"
	rights      = "cmd/clmc/internal/cluster/rights.go"
)

var mutants = mutant.List([][5]string{
	{"a key publishes in its own name only", rights,
		`askPrefix + string(r) + "." + who + ".>"`, `askPrefix + string(r) + "." + who[:0] + "*.>"`, "^TestAttacks$"},
	{"a key publishes in its own role only", rights,
		`askPrefix + string(r) + "." + who + ".>"`, `askPrefix + string(r[:0]) + "*." + who + ".>"`, "^TestAttacks$"},
	{"a key hears its own answers only", rights,
		`func Hears(who string) string { return inboxOf(who) + ".>" }`, `func Hears(who string) string { return InboxPrefix + who[:0] + ".>" }`, "^TestAttacks$"},
	{"keys may not use JetStream's own requests", "cmd/clmc/internal/cluster/hub/permissions.go",
		"[]string{cluster.Publishes(r, who)}", `[]string{cluster.Publishes(r, who), "$JS.API.INFO"}`, "^TestAttacks$"},
	{"the registrar answers only to who has asked", registrar,
		`!strings.HasPrefix(m.Reply, inboxOf(a.who)+".") || `, "", "^TestAnswersNobodyElse$"},
	{"what is not in the table is not done", rights,
		"	return Nothing\n", "	return Any\n", "^Test(AsksForTooMuch|Permissions)$"},
	{"an asker's jobs are those that it has submitted", registrar,
		"if err == nil && !slices.Contains(s.Askers, a.who) {", "if err == nil && len(s.Askers) < 0 {", "^Test(AsksForTooMuch|Askers)$"},
	{"facts are for jobs that were taken", registrar,
		"		return nil, errNotTaken\n", "		return &hold{}, nil\n", "^TestAsksForTooMuch$"},
	{"facts rest on what was read", takers,
		"if head.read == 0 || head.read > read {", "if false {", "^TestAsksForTooMuch$"},
	{"facts are in the name of who adds them", takers,
		"	if head.worker != memberOf(a.who, q.Session, q.Link) {", "	if false {", "^TestAsksForTooMuch$"},
	{"another key has other names", "cmd/clmc/internal/cluster/member.go",
		", who, session, link", ", who[:0], session, link", "^TestAsksForTooMuch$"},
	{"another connection has other names", "cmd/clmc/internal/cluster/member.go",
		", who, session, link", ", who, session[:0], link", "^TestAsksForTooMuch$"},
	{"what is no batch is not added", takers,
		"	head, _, err := unseal(message)\n	if err != nil {", "	head, _, err := unseal(message)\n	if head.read = 1; false {", "^TestAsksForTooMuch$"},
	{"who submits a job knows what it is about", submissions,
		"	if err := r.check(ctx, a.id, message); err != nil {", "	if err := error(nil); err != nil {", "^TestAskers$"},
	{"an asker has a quota", submissions,
		"	case r.o.MaxJobs > 0 && jobs > r.o.MaxJobs:\n", "	case false:\n", "^TestAskers$"},
	{"an asker does not see the jobs of others", registrar,
		"|| extent(a.role, opJobs) == Own && !slices.Contains(s.Askers, a.who) {", "{", "^TestAskers$"},
	{"only what workers say is noted of a job", registrar,
		"	case c.Cancel != (a.op == opCancel), c.Ask, c.Join < 0 || c.Join > maxJoin, !slices.Contains(Verdicts, c.Verdict):\n", "	case false:\n", "^TestAsksForTooMuch$"},
	{"a job that is submitted between the list and the wait is heard of", registrar,
		"q.Seq != r.count", "false", "^TestHearsOfJobs$"},
})
