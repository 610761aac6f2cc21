package hub_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/zeebo/xxh3"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/cmd/clmc/internal/cluster/hub"
)

var attacks = flag.Int("attacks", 25, "attempts of each sort of TestAttacks")

// attacker is somebody with a key who speaks NATS without clmc.
type attacker struct {
	t       *testing.T
	rng     *rand.Rand
	nc      *nats.Conn
	role    cluster.Role
	who     string
	refused atomic.Int64
}

func attackerWith(t *testing.T, h *hub.Hub, role cluster.Role, file string) *attacker {
	t.Helper()
	a := &attacker{t: t, rng: rand.New(rand.NewPCG(1, uint64(len(role)))), role: role, who: publicOf(t, file)}
	key, err := nats.NkeyOptionFromSeed(file)
	if err != nil {
		t.Fatal(err)
	}
	a.nc, err = nats.Connect(h.URL, nats.RootCAs(h.CA), key, nats.CustomInboxPrefix(cluster.InboxPrefix+"."+a.who),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				a.refused.Add(1)
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.nc.Close)
	return a
}

func publicOf(t *testing.T, file string) string {
	t.Helper()
	seed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := nkeys.ParseDecoratedNKey(seed)
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return public
}

// one picks something.
func one[T any](a *attacker, of ...T) T { return of[a.rng.IntN(len(of))] }

// target is a request of JetStream's that would do harm.
func (a *attacker) target() string {
	return one(a, "$JS.API.STREAM.DELETE.clmc-job-"+job, "$JS.API.STREAM.PURGE.KV_clmc-jobs", "$JS.API.STREAM.PURGE.clmc-job-"+job,
		"$JS.API.STREAM.UPDATE.clmc-job-"+job, "$JS.API.STREAM.DELETE.KV_clmc-jobs", "$JS.API.STREAM.MSG.DELETE.clmc-job-"+job, "$KV.clmc-jobs."+job, "clmc.job."+job+".job",
		cluster.Publishes(cluster.Admin, "x")[:len("clmc.ask.admin.x.")]+"remove."+job, "$JS.API.STREAM.CREATE.evil", "$JS.API.CONSUMER.DELETE.KV_clmc-jobs.x")
}

// stream is the name of one that is there, is a job's or is not.
func (a *attacker) stream() string {
	return one(a, "evil", fmt.Sprintf("evil-%x", a.rng.Uint32()), "clmc-job-"+other32, "clmc-job-"+job, "KV_clmc-jobs", "KV_clmc-evil", "clmc-job-"+fmt.Sprintf("%032x", a.rng.Uint64()))
}

// created is a request to make a stream with something special about it.
func (a *attacker) created(change func(*jetstream.StreamConfig)) (subject string, body any) {
	name := a.stream()
	c := jetstream.StreamConfig{
		Name: name, Subjects: []string{one(a, "clmc.job."+fmt.Sprintf("%032x", a.rng.Uint64())+".job", "clmc.job.>", "mine.>", "$KV.clmc-jobs.>", ">", "$JS.EVENT.>")},
		Storage: jetstream.FileStorage, DenyDelete: a.rng.IntN(2) == 0,
	}
	change(&c)
	return one(a, "$JS.API.STREAM.CREATE.", "$JS.API.STREAM.CREATE.", "$JS.API.STREAM.UPDATE.") + name, c
}

// direct are attacks on the server itself: by subject, answer's subject and body.
var direct = map[string]func(a *attacker) (subject, reply string, body any){
	"RePublish": func(a *attacker) (string, string, any) {
		s, b := a.created(func(c *jetstream.StreamConfig) {
			c.RePublish = &jetstream.RePublish{Source: one(a, c.Subjects[0], ">", ""), Destination: a.target(), HeadersOnly: a.rng.IntN(2) == 0}
		})
		return s, "", b
	},
	"Mirror": func(a *attacker) (string, string, any) {
		s, b := a.created(func(c *jetstream.StreamConfig) {
			c.Subjects, c.Mirror = nil, &jetstream.StreamSource{Name: one(a, "clmc-job-"+job, "KV_clmc-jobs"), OptStartSeq: a.rng.Uint64N(3)}
		})
		return s, "", b
	},
	"Sources": func(a *attacker) (string, string, any) {
		s, b := a.created(func(c *jetstream.StreamConfig) {
			c.Sources = []*jetstream.StreamSource{{Name: one(a, "clmc-job-"+job, "KV_clmc-jobs"), SubjectTransforms: []jetstream.SubjectTransformConfig{{Source: ">", Destination: a.target()}}}}
		})
		return s, "", b
	},
	"SubjectTransform": func(a *attacker) (string, string, any) {
		s, b := a.created(func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: ">", Destination: a.target()}
		})
		return s, "", b
	},
	"foreign names": func(a *attacker) (string, string, any) {
		s, b := a.created(func(*jetstream.StreamConfig) {})
		return s, "", b
	},
	"oversized streams": func(a *attacker) (string, string, any) {
		s, b := a.created(func(c *jetstream.StreamConfig) { c.MaxBytes, c.MaxMsgs = 1<<(30+a.rng.IntN(30)), a.rng.Int64() })
		return s, "", b
	},
	"lossy streams": func(a *attacker) (string, string, any) {
		s, b := a.created(func(c *jetstream.StreamConfig) {
			c.Name, c.MaxAge, c.Storage = "clmc-job-"+job, time.Duration(a.rng.Int64N(1e12)), jetstream.MemoryStorage
		})
		return s, "", b
	},
	"forged state": func(a *attacker) (string, string, any) {
		return "$KV." + one(a, "clmc-jobs."+job, "clmc-jobs."+other32, "clmc-workers.x", "clmc-jobs.>"), "",
			cluster.JobState{State: one(a, cluster.JobDone, cluster.JobCancelled, "\x1b[31m"), Verdict: "verified", Askers: []string{a.who}}
	},
	"purge": func(a *attacker) (string, string, any) {
		return "$JS.API.STREAM.PURGE." + a.stream(), "", map[string]any{"seq": a.rng.Uint32()}
	},
	"stream deletion": func(a *attacker) (string, string, any) { return "$JS.API.STREAM.DELETE." + a.stream(), "", nil },
	"message deletion": func(a *attacker) (string, string, any) {
		return "$JS.API.STREAM.MSG.DELETE." + a.stream(), "", map[string]any{"seq": 1}
	},
	"consumer deletion": func(a *attacker) (string, string, any) {
		return "$JS.API.CONSUMER.DELETE." + a.stream() + fmt.Sprintf(".c%d", a.rng.IntN(9)), "", nil
	},
	"consumers that deliver elsewhere": func(a *attacker) (string, string, any) {
		s := a.stream()
		return one(a, "$JS.API.CONSUMER.CREATE."+s, "$JS.API.CONSUMER.CREATE."+s+".c", "$JS.API.CONSUMER.DURABLE.CREATE."+s+".c"), "",
			map[string]any{"stream_name": s, "config": jetstream.ConsumerConfig{DeliverSubject: a.target(), AckPolicy: jetstream.AckNonePolicy}}
	},
	"answers that go elsewhere": func(a *attacker) (string, string, any) {
		s := a.stream()
		return one(a, "$JS.API.INFO", "$JS.API.STREAM.INFO."+s, "$JS.API.STREAM.LIST", "$JS.API.DIRECT.GET."+s, "$JS.API.STREAM.MSG.GET."+s, "$JS.API.CONSUMER.MSG.NEXT."+s+".c"), a.target(), nil
	},
	"reading past the hub": func(a *attacker) (string, string, any) {
		s := a.stream()
		return one(a, "$JS.API.STREAM.MSG.GET."+s, "$JS.API.DIRECT.GET."+s, "$JS.API.STREAM.INFO."+s, "$JS.API.STREAM.SNAPSHOT."+s), a.nc.NewInbox(), map[string]any{"seq": 1}
	},
	"batches past the hub": func(a *attacker) (string, string, any) {
		return one(a, "clmc.job."+job+".job", "clmc.job."+job+fmt.Sprintf(".batch.%016x", a.rng.Uint64()), "clmc.job."+other32+".batch.x"), "", nil
	},
	"another's name": func(a *attacker) (string, string, any) {
		role, who := one(a, cluster.Roles...), one(a, a.who, "UANOTHER", cluster.Anybody)
		if role == a.role && who == a.who {
			who = "UANOTHER"
		}
		return strings.TrimSuffix(cluster.Publishes(role, who), ">") + one(a, "remove.", "cancel.", "submit.", "append.", "take.") + job, a.nc.NewInbox(), nil
	},
	"the server's own requests": func(a *attacker) (string, string, any) {
		s := a.stream()
		return one(a, "$SYS.REQ.SERVER.PING", "$SYS.REQ.ACCOUNT.PING.JSZ", "$SYS.REQ.USER.INFO", "$SYS.REQ.SERVER.RELOAD", "$SYS.ACCOUNT.$G.CONNECT", "$JS.API.META.LEADER.STEPDOWN",
			"$JS.API.SERVER.REMOVE", "$JS.API.ACCOUNT.PURGE.$G", "$JS.API.STREAM.LEADER.STEPDOWN."+s, "$JS.API.STREAM.PEER.REMOVE."+s, "$JS.API.STREAM.RESTORE."+s,
			"$JS.API.CONSUMER.PAUSE."+s+".c", "$JS.API.CONSUMER.UNPIN."+s+".c", "$SRV.PING", "$LDS.x", "$NRG.V.x", "$GR.x", "_GR_.x", "$JSC.R.x", "_R_.x"), a.nc.NewInbox(), map[string]any{}
	},
	"a revision of the state": func(a *attacker) (string, string, any) {
		return "$KV.clmc-jobs." + job, a.nc.NewInbox(), cluster.JobState{State: cluster.JobDone, Verdict: "verified"}
	},
	"streams that schedule, count or expire": func(a *attacker) (string, string, any) {
		name := a.stream()
		return one(a, "$JS.API.STREAM.CREATE.", "$JS.API.STREAM.UPDATE.") + name, a.nc.NewInbox(), map[string]any{
			"name": name, "subjects": []string{"mine.>"}, "storage": "file", "allow_rollup_hdrs": true, "allow_msg_ttl": true, "allow_msg_schedules": true,
			"allow_msg_counter": a.rng.IntN(2) == 0, "allow_atomic": true, "subject_delete_marker_ttl": int64(time.Second), "mirror_direct": true,
		}
	},
	"another's answers": func(a *attacker) (string, string, any) {
		return one(a, cluster.InboxPrefix+".UANOTHER.x", "_INBOX.x", "$JS.ACK.x", "$SYS.REQ.SERVER.PING", "$JS.EVENT.ADVISORY.x"), "", "a forged answer"
	},
}

// asked are headers that a server obeys in what is published to a stream: none of them is the business of who has a key.
var asked = [][2]string{
	{"Nats-Rollup", "all"}, {"Nats-Rollup", "sub"}, {"Nats-TTL", "1s"}, {"Nats-Expected-Last-Subject-Sequence", "1"}, {"Nats-Expected-Last-Sequence", "0"}, {"Nats-Expected-Stream", "evil"},
	{"Nats-Msg-Id", "1"}, {"KV-Operation", "PURGE"}, {"KV-Operation", "DEL"}, {"Nats-Marker-Reason", "Purge"}, {"Nats-Incr", "+1"}, {"Nats-Schedule", "@every 1s"},
	{"Nats-Schedule-Target", "clmc.job." + job + ".job"}, {"Nats-Batch-Id", "b"}, {"Nats-Batch-Sequence", "1"}, {"Nats-Batch-Commit", "1"}, {"Nats-Required-Api-Level", "0"},
	{"Nats-Request-Info", `{"acc":"$SYS"}`}, {"Nats-Stream-Source", "clmc-job-" + job + " 1 > > x"},
}

// adorn adds some of them, half of the time.
func (a *attacker) adorn(m *nats.Msg) {
	if a.rng.IntN(2) == 0 {
		return
	}
	if m.Header == nil {
		m.Header = nats.Header{}
	}
	for range 1 + a.rng.IntN(3) {
		h := asked[a.rng.IntN(len(asked))]
		m.Header.Set(h[0], h[1])
	}
}

// listed is for how long the hub may show the jobs as they were, and a little.
const listed = 600 * time.Millisecond

// harmless is what must be as it was after attacks.
func harmless(t *testing.T, admin *cluster.Cluster, dir string) string {
	t.Helper()
	time.Sleep(listed)
	jobs, said, err := admin.Jobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs {
		jobs[i].Last = time.Time{}
	}
	text, err := admin.Description(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	var streams []string
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && filepath.Base(filepath.Dir(path)) == "streams" {
			streams = append(streams, e.Name())
		}
		return nil
	})
	return fmt.Sprintf("%+v\n%+v\n%s\n%v", jobs, said, text, streams)
}

// TestAttacks has those who have keys try what they must not do, many times of each sort: all is refused, and nothing has changed.
func TestAttacks(t *testing.T) {
	dir := t.TempDir()
	h := start(t, hub.Options{Listen: "0.0.0.0:0", Dir: dir, MaxJobs: 3, Check: checked})
	owner, admin := by(t, h, h.Asker), by(t, h, h.Admin)
	use(t, owner)
	before := harmless(t, admin, dir)
	if !strings.Contains(before, "KV_clmc-jobs") || !strings.Contains(before, "clmc-job-"+job) {
		t.Fatalf("what there is:\n%s", before)
	}
	for _, k := range []struct {
		role cluster.Role
		file string
	}{{cluster.Worker, h.Worker}, {cluster.Asker, h.Asker}, {cluster.Admin, h.Admin}} {
		t.Run(string(k.role), func(t *testing.T) {
			a := attackerWith(t, h, k.role, k.file)
			for what, try := range direct {
				was := a.refused.Load()
				for range *attacks {
					subject, reply, body := try(a)
					data, err := json.Marshal(body)
					if err != nil {
						t.Fatal(err)
					}
					if body == nil || a.rng.IntN(10) == 0 {
						data = nil
					}
					if strings.HasSuffix(subject, ">") { // no subject to publish to
						subject = "$KV.clmc-jobs.x"
					}
					m := &nats.Msg{Subject: subject, Reply: reply, Data: data}
					a.adorn(m)
					if err := a.nc.PublishMsg(m); err != nil {
						t.Fatal(err)
					}
				}
				if err := a.nc.Flush(); err != nil {
					t.Fatal(err)
				}
				if !eventually(func() bool { return a.refused.Load()-was == int64(*attacks) }) {
					t.Errorf("%s: %d of %d are refused", what, a.refused.Load()-was, *attacks)
				}
			}
			for _, subject := range []string{">", "clmc.>", "clmc.ask.>", "clmc.job.>", cluster.InboxPrefix + ".>", "$JS.>", "$KV.>", "_INBOX.>", "*.*.*.*.*"} {
				was := a.refused.Load()
				if _, err := a.nc.SubscribeSync(subject); err != nil {
					t.Fatal(err)
				}
				a.nc.Flush()
				if !eventually(func() bool { return a.refused.Load() > was }) {
					t.Errorf("it may listen to %s", subject)
				}
			}
			if after := harmless(t, admin, dir); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

func eventually(ok func() bool) bool {
	for range 1000 {
		if ok() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// checked takes descriptions for the two jobs of these tests only.
func checked(id string, text []byte) error {
	if id == job && string(text) == "what it is about" || id == other32 && string(text) == "another" {
		return nil
	}
	return errors.New("its description belongs to another job")
}

// ask asks the registrar for something, and returns what is wrong.
func (a *attacker) ask(op, id, reply string, ask any, body []byte) (answered bool, wrong string) {
	a.t.Helper()
	subject := strings.TrimSuffix(cluster.Publishes(a.role, a.who), ">") + op
	if id != "" {
		subject += "." + id
	}
	text, ok := ask.(string)
	if !ok {
		data, err := json.Marshal(ask)
		if err != nil {
			a.t.Fatal(err)
		}
		text = string(data)
	}
	m := nats.NewMsg(subject)
	m.Header.Set("Clmc-Ask", text)
	a.adorn(m)
	m.Data = body
	if reply != "" {
		m.Reply = reply
		if err := a.nc.PublishMsg(m); err != nil {
			a.t.Fatal(err)
		}
		return false, ""
	}
	got, err := a.nc.RequestMsg(m, 10*time.Second)
	if err != nil {
		return false, err.Error()
	}
	return true, got.Header.Get("Clmc-Error")
}

// memberOf is the name of a worker of a connection with a key: the first eight bytes of a hash of what makes it, as a number.
func memberOf(who, session string, link uint64) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", who, session, link))
	return binary.LittleEndian.Uint64(sum[:])
}

// batch is a message as workers write them, in the name of one of them, which rests on the message of a number.
func batch(worker, read uint64, payload string) []byte {
	b := binary.LittleEndian.AppendUint16([]byte("clmB"), 1)
	for _, n := range []uint64{worker, 1, read, 0} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = append(b, payload...)
	return binary.LittleEndian.AppendUint64(b, xxh3.Hash(b))
}

// asks are attacks by way of the registrar. What it answers begins with no good news.
var asks = map[string]func(a *attacker) (op, id string, ask any, body []byte){
	"facts for a job that it has not taken": func(a *attacker) (string, string, any, []byte) {
		return "append", one(a, job, other32), map[string]any{"session": fmt.Sprint(a.rng.Uint64())}, batch(7, 1, "batch")
	},
	"garbage for facts": func(a *attacker) (string, string, any, []byte) {
		b := make([]byte, a.rng.IntN(2000))
		for i := range b {
			b[i] = byte(a.rng.Uint32())
		}
		return "append", job, map[string]any{"session": "taken"}, b
	},
	"flipped facts": func(a *attacker) (string, string, any, []byte) {
		b := batch(7, 1, "batch")
		b[a.rng.IntN(len(b))] ^= 1 << a.rng.IntN(8)
		return "append", job, map[string]any{"session": "taken"}, b
	},
	"facts that rest on what it has not read": func(a *attacker) (string, string, any, []byte) {
		return "append", job, map[string]any{"session": "taken"}, batch(memberOf(a.who, "taken", 0), one(a, 0, 2+a.rng.Uint64N(100), a.rng.Uint64()|2), "batch")
	},
	"facts in the name of another worker": func(a *attacker) (string, string, any, []byte) {
		link, other := a.rng.Uint64(), a.rng.Uint64()
		whose := one(a, memberOf("UANOTHER", "taken", link), memberOf(a.who, "victim's", link), memberOf(a.who, "taken", other), link, 7, 0)
		return "append", job, map[string]any{"session": "taken", "link": fmt.Sprint(link)}, batch(whose, 1, "batch")
	},
	"forged state": func(a *attacker) (string, string, any, []byte) {
		return one(a, "report", "cancel"), job, map[string]any{"session": one(a, "taken", "not"), "change": one(a,
			map[string]any{"Done": true, "Verdict": "proved\x1b[31m"}, map[string]any{"Join": -1}, map[string]any{"Join": int64(1) << 40}, map[string]any{"Ask": true},
			map[string]any{"Ask": true, "Cancel": true}, map[string]any{"Done": true, "Cancel": false, "Verdict": strings.Repeat("x", 1000)})}, nil
	},
	"submissions that are none": func(a *attacker) (string, string, any, []byte) {
		return "submit", one(a, job, other32), map[string]any{"name": strings.Repeat("n", a.rng.IntN(1e4))}, bytes.Repeat([]byte{byte(a.rng.Uint32())}, a.rng.IntN(1<<16))
	},
	"what is asked for without a job": func(a *attacker) (string, string, any, []byte) {
		return one(a, "take", "submit", "append", "remove", "cancel", "read", "message", "state", "report"), "", map[string]any{}, nil
	},
	"requests that there are not": func(a *attacker) (string, string, any, []byte) {
		return one(a, "delete", "purge", "STREAM", fmt.Sprintf("x%d", a.rng.Uint32())), one(a, "", job), map[string]any{}, nil
	},
	"what is no request": func(a *attacker) (string, string, any, []byte) {
		return one(a, "jobs", "beat", "leave"), "", one(a, "{", "[]", `{"page":1}`, strings.Repeat("[", 20000), `{"seq":-1}`), nil
	},
	"processes that are none": func(a *attacker) (string, string, any, []byte) {
		return one(a, "beat", "leave"), "", map[string]any{
			"beat":  map[string]any{"id": one(a, "", "*", ">", "a.b", "a b", strings.Repeat("x", 1000), "../x"), "job": one(a, "", job, "x")},
			"leave": one(a, "", ">", "*", "a.b"),
		}, nil
	},
	"messages that are not there": func(a *attacker) (string, string, any, []byte) {
		return one(a, "message", "read"), job, map[string]any{"session": "taken", "seq": 3 + a.rng.Uint64N(1e18), "name": "clmc.job." + job + ".batch.x"}, nil
	},
	"jobs that are not there": func(a *attacker) (string, string, any, []byte) {
		return one(a, "take", "remove", "cancel", "report", "read"), fmt.Sprintf("%032x", a.rng.Uint64()), map[string]any{"change": map[string]any{"Cancel": true}}, nil
	},
}

// TestAsksForTooMuch has those who have keys ask the registrar for what is not for them, or makes no sense. All is refused, nothing has
// changed, and whoever asks for answers to be sent elsewhere gets none there.
func TestAsksForTooMuch(t *testing.T) {
	dir := t.TempDir()
	h := start(t, hub.Options{Listen: "0.0.0.0:0", Dir: dir, MaxJobs: 1, Check: checked, Askers: []string{"alice", "bob"}})
	use(t, by(t, h, h.Asker))
	admin := by(t, h, h.Admin)
	before := harmless(t, admin, dir)
	for role, file := range map[cluster.Role]string{cluster.Worker: h.Worker, cluster.Asker: h.Askers[0]} {
		t.Run(string(role), func(t *testing.T) {
			a := attackerWith(t, h, role, file)
			if role == cluster.Worker {
				if ok, wrong := a.ask("take", job, "", map[string]any{"session": "taken"}, nil); !ok || wrong != "" {
					t.Fatalf("it cannot take the job: %s", wrong)
				}
				if ok, wrong := a.ask("append", job, "", map[string]any{"session": "taken"}, batch(memberOf(a.who, "taken", 0), 1, "")); !ok || !strings.Contains(wrong, "has read 0") {
					t.Errorf("who has taken a job and not read it: %s", wrong)
				}
			} else {
				for _, op := range []string{"take", "state", "remove", "cancel"} {
					if ok, wrong := a.ask(op, job, "", map[string]any{"session": "taken"}, nil); !ok || !strings.Contains(wrong, "another key") {
						t.Errorf("an asker is let %s another's job: %s", op, wrong)
					}
				}
			}
			n := max(*attacks/5, 1)
			if *attacks >= 1000 {
				n = *attacks
			}
			because := map[string]string{}
			if role == cluster.Worker {
				because = map[string]string{"facts for a job that it has not taken": "has not been taken", "garbage for facts": "not a batch", "flipped facts": "not a batch",
					"facts in the name of another worker": "in the name of another worker", "facts that rest on what it has not read": "this connection has read 0"}
			}
			for what, try := range asks {
				for range n {
					op, id, ask, body := try(a)
					if answered, wrong := a.ask(op, id, "", ask, body); !answered || wrong == "" || !strings.Contains(wrong, because[what]) {
						t.Errorf("%s: %s %s %.100v: answered %v, %q", what, op, id, ask, answered, wrong)
						break
					}
				}
			}
			for range n { // the answer would be the registrar's word there
				a.ask(one(a, "hello", "jobs", "room", "workers", "nothing"), "", one(a, a.target(), cluster.InboxPrefix+".UANOTHER.x", cluster.InboxPrefix+"."+a.who, cluster.InboxPrefix+"."+a.who+".*"), map[string]any{}, nil)
			}
			was := a.refused.Load()
			for range n { // the server would tell there what becomes of the message
				m := nats.NewMsg(strings.TrimSuffix(cluster.Publishes(a.role, a.who), ">") + "hello")
				m.Header.Set("Nats-Trace-Dest", a.target())
				if err := a.nc.PublishMsg(m); err != nil {
					t.Fatal(err)
				}
			}
			a.nc.Flush()
			if !eventually(func() bool { return a.refused.Load()-was == int64(n) }) {
				t.Errorf("%d of %d traces are refused", a.refused.Load()-was, n)
			}
			if ok, wrong := a.ask("hello", "", "", map[string]any{}, nil); !ok || wrong != "" {
				t.Errorf("the hub does not answer any more: %s", wrong)
			}
			if after := harmless(t, admin, dir); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

// The registrar's answers go to who has asked, and to nobody else, whatever it is asked: the hub has no keys here, so that the server
// itself lets everybody hear everything.
func TestAnswersNobodyElse(t *testing.T) {
	h := start(t, hub.Options{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	nc, err := nats.Connect(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, try := range []struct {
		reply string
		heard bool
	}{
		{"victim", false}, {"clmc.job." + job + ".job", false}, {cluster.InboxPrefix + ".another.x", false}, {cluster.InboxPrefix + ".me", false},
		{cluster.InboxPrefix + ".me.x", true},
	} {
		sub, err := nc.SubscribeSync(try.reply)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []string{"hello", "jobs", "nothing", "take." + job} {
			if err := nc.PublishRequest("clmc.ask.worker.me."+op, try.reply, nil); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for until := 300 * time.Millisecond; n < 4; n++ {
			if _, err := sub.NextMsg(until); err != nil {
				break
			}
			until = 5 * time.Second
		}
		if try.heard && n != 4 || !try.heard && n != 0 {
			t.Errorf("%s hears %d answers of 4", try.reply, n)
		}
	}
}

// Askers see, and look after, their own jobs; who asks the same has a part in the job; and nobody's jobs take more than they may.
func TestAskers(t *testing.T) {
	h := start(t, hub.Options{Listen: "0.0.0.0:0", Dir: t.TempDir(), MaxJobs: 1, Check: checked, Askers: []string{"alice", "bob"}})
	alice, bob := by(t, h, h.Askers[0]), by(t, h, h.Askers[1])
	use(t, alice)
	if jobs, _, err := bob.Jobs(t.Context()); err != nil || len(jobs) != 0 {
		t.Errorf("bob sees %v, %v", jobs, err)
	}
	if _, err := bob.Description(t.Context(), job); !errors.Is(err, cluster.ErrDenied) {
		t.Errorf("bob reads alice's program: %v", err)
	}
	if err := change(bob, job, cluster.Change{Cancel: true}); !errors.Is(err, cluster.ErrDenied) {
		t.Errorf("bob cancels alice's job: %v", err)
	}
	if _, err := alice.Submit(t.Context(), other32, "x", []byte("another"), 0); !cluster.IsFull(err) || !strings.Contains(err.Error(), "1 jobs") {
		t.Errorf("alice has more jobs than she may: %v", err)
	}
	if _, err := bob.Submit(t.Context(), job, "x", []byte("something else"), 0); err == nil || !strings.Contains(err.Error(), "another job") {
		t.Errorf("bob takes part in what he does not know: %v", err)
	}
	if _, err := bob.Submit(t.Context(), job, "x", []byte("what it is about"), 0); err != nil {
		t.Fatal(err)
	}
	if d, err := bob.Description(t.Context(), job); err != nil || string(d) != "what it is about" {
		t.Errorf("%q, %v", d, err)
	}
	if err := change(alice, job, cluster.Change{Cancel: true}); err != nil {
		t.Error(err)
	}
	if s, err := bob.Submit(t.Context(), job, "x", []byte("what it is about"), 0); err != nil || s.State != cluster.JobOpen {
		t.Errorf("who asks again wants it: %+v, %v", s, err)
	}
	if err := alice.Remove(t.Context(), job); err != nil {
		t.Error(err)
	}
}

// Who waits for new jobs hears of one at once, and not only when it looks again, two seconds later. A busy machine may be as slow as that now
// and then, and not time after time.
func TestHearsOfJobs(t *testing.T) {
	h := start(t, hub.Options{Listen: "0.0.0.0:0", Dir: t.TempDir()})
	worker, asker := by(t, h, h.Worker), by(t, h, h.Asker)
	jobs := 0
	submit := func() {
		t.Helper()
		if _, err := asker.Submit(t.Context(), fmt.Sprintf("%032x", jobs), "x", []byte("x"), 0); err != nil {
			t.Fatal(err)
		}
		jobs++
	}
	hear := func() chan bool {
		heard := make(chan bool, 1)
		go func() {
			worker.Wait(t.Context())
			heard <- true
		}()
		return heard
	}
	soon := func(heard chan bool) bool {
		select {
		case <-heard:
			return true
		case <-time.After(1500 * time.Millisecond): // less than it waits if the list is another hub's
			return false
		}
	}
	for what, hears := range map[string]func() bool{
		"while it waits": func() bool {
			heard := hear()
			select {
			case <-heard:
				t.Fatal("it hears of a job that is not there")
			case <-time.After(300 * time.Millisecond):
			}
			submit()
			return soon(heard)
		},
		"between the list and the wait": func() bool { submit(); return soon(hear()) },
	} {
		heard := false
		for range 5 {
			if _, _, err := worker.Jobs(t.Context()); err != nil {
				t.Fatal(err)
			}
			if heard = hears(); heard {
				break
			}
		}
		if !heard {
			t.Errorf("it does not hear of a job that is submitted %s", what)
		}
	}
}

// docs/distribution.md has the table of who may do what, and it is that of the code; so has the setting for a team's server.
func TestRightsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../../../../docs/distribution.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"| what | worker | asker | admin |"}
	for _, r := range cluster.Rights {
		line := "| " + r.Does
		for _, role := range []cluster.Role{cluster.Worker, cluster.Asker, cluster.Admin} {
			e, ok := r.May[role]
			if !ok {
				e = cluster.Nothing
			}
			line += " | " + string(e)
		}
		want = append(want, line+" |")
	}
	lines := strings.Split(string(page), "\n")
	at := slices.Index(lines, want[0])
	if at < 0 || at+1+len(want) >= len(lines) {
		t.Fatalf("the page has no table of rights; want\n%s", strings.Join(want, "\n"))
	}
	got := append([]string{lines[at]}, lines[at+2:at+1+len(want)]...)
	if !slices.Equal(got, want) || strings.HasPrefix(lines[at+1+len(want)], "|") {
		t.Errorf("the page says\n%s\nwant\n%s", strings.Join(lines[at:at+2+len(want)], "\n"), strings.Join(want, "\n"))
	}
	for _, role := range []cluster.Role{cluster.Worker, cluster.Asker} {
		p := hub.Permissions(role, "U"+strings.ToUpper(string(role))+"...")
		for _, subject := range append(p.Publish.Allow, p.Subscribe.Allow...) {
			if !strings.Contains(string(page), `"`+subject+`"`) {
				t.Errorf("the page does not let a key of a %s use %s", role, subject)
			}
		}
	}
}
