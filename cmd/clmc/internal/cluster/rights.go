package cluster

import (
	"fmt"
	"strings"
)

// Role is what a key is for.
type Role string

// The roles.
const (
	Worker Role = "worker" // works on the jobs of all
	Asker  Role = "asker"  // submits jobs, works on them, and looks after them
	Admin  Role = "admin"  // looks after the jobs of all
)

// Roles lists them, the one that may do most first.
var Roles = []Role{Admin, Asker, Worker}

// Extent says on which jobs somebody may do something.
type Extent string

// The extents.
const (
	Nothing Extent = "no"
	Taken   Extent = "taken" // jobs that this connection has taken, which it may do with those of Own or Any only
	Own     Extent = "own"   // jobs that this key has submitted
	Any     Extent = "any"   // all jobs, or what is not about a job
)

// Right is something that can be asked of the registrar, and who may.
type Right struct {
	Op   string          // the word of the subject
	Does string          // what it is, in words
	May  map[Role]Extent // nothing if a role is not there
}

// The requests.
const (
	opHello   = "hello"
	opSubmit  = "submit"
	opJobs    = "jobs"
	opWait    = "wait"
	opState   = "state"
	opTake    = "take"
	opMessage = "message"
	opRead    = "read"
	opAppend  = "append"
	opReport  = "report"
	opCancel  = "cancel"
	opRemove  = "remove"
	opWorkers = "workers"
	opBeat    = "beat"
	opLeave   = "leave"
	opRoom    = "room"
	opOrigin  = "origin"
)

// Rights is the table of docs/distribution.md. Nothing that is not in it can be asked for.
var Rights = []Right{
	{opHello, "learn what the key is for", everybody(Any)},
	{opSubmit, "submit a job", map[Role]Extent{Asker: Any, Admin: Any}},
	{opJobs, "list jobs", map[Role]Extent{Worker: Any, Asker: Own, Admin: Any}},
	{opWait, "hear of new jobs", everybody(Any)},
	{opState, "see how a job stands", map[Role]Extent{Worker: Any, Asker: Own, Admin: Any}},
	{opTake, "take a job", map[Role]Extent{Worker: Any, Asker: Own, Admin: Any}},
	{opMessage, "read its program", everybody(Taken)},
	{opRead, "read what was found", everybody(Taken)},
	{opAppend, "add facts", everybody(Taken)},
	{opReport, "say that a job is over, or that it ended a worker", everybody(Taken)},
	{opCancel, "cancel a job", map[Role]Extent{Asker: Own, Admin: Any}},
	{opRemove, "remove a job", map[Role]Extent{Asker: Own, Admin: Any}},
	{opWorkers, "list workers", everybody(Any)},
	{opBeat, "say what a process does", everybody(Any)},
	{opLeave, "say that a process has ended", everybody(Any)},
	{opRoom, "see whether there is room", everybody(Any)},
	{opOrigin, "see whether the hub has lost all its jobs", everybody(Any)},
}

func everybody(e Extent) map[Role]Extent { return map[Role]Extent{Worker: e, Asker: e, Admin: e} }

// extent says on which jobs a role may do something.
func extent(r Role, op string) Extent {
	for i := range Rights {
		if e, ok := Rights[i].May[r]; ok && Rights[i].Op == op {
			return e
		}
	}
	return Nothing
}

// Anybody is the name of who has no key.
const Anybody = "anybody"

// askPrefix begins the subjects of requests: the role, the public key, what is asked, and the job's id follow. The server lets a
// key publish below its own role and name only, so that a subject says who asks.
const askPrefix = "clmc.ask."

// Publishes is the one subject that a key may publish to.
func Publishes(r Role, who string) string { return askPrefix + string(r) + "." + who + ".>" }

// Hears is the one subject that a key may subscribe to: that of the answers to it.
func Hears(who string) string { return inboxOf(who) + ".>" }

// InboxPrefix begins the subjects under which answers come.
const InboxPrefix = "_INBOX_clmc"

func inboxOf(who string) string { return InboxPrefix + "." + who }

// asked is what a subject says.
type asked struct {
	role Role
	who  string
	op   string
	id   string // "" if it is not about a job
}

func (a *asked) subject() string {
	s := askPrefix + string(a.role) + "." + a.who + "." + a.op
	if a.id != "" {
		s += "." + a.id
	}
	return s
}

// parseAsked reads a subject.
func parseAsked(subject string) (a asked, err error) {
	rest, ok := strings.CutPrefix(subject, askPrefix)
	parts := strings.Split(rest, ".")
	if !ok || len(parts) < 3 || len(parts) > 4 {
		return a, fmt.Errorf("%q is no request", subject)
	}
	a = asked{role: Role(parts[0]), who: parts[1], op: parts[2]}
	if len(parts) == 4 {
		if a.id = parts[3]; !ValidID(a.id) {
			return a, fmt.Errorf("%q is not the id of a job", a.id)
		}
	}
	return a, nil
}
