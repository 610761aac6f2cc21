package cluster

import (
	"fmt"
	"strings"
	"testing"
)

// What is handed on from memory is what the stream has: messages one behind the other, of this stream and no other one.
func TestRecent(t *testing.T) {
	r := &Registrar{recent: map[string]*recent{}}
	given := func(subject string, after uint64) string {
		var texts []string
		all := r.hand("job", &hold{subject: subject}, after)
		for len(all) > 0 {
			m, rest, err := cutFrame(all)
			if err != nil {
				t.Fatal(err)
			}
			texts, all = append(texts, string(m)), rest
		}
		return strings.Join(texts, " ")
	}
	keep := func(subject string, seq uint64) { r.keep("job", subject, seq, fmt.Appendf(nil, "%s%d", subject, seq)) }
	want := func(subject string, after uint64, want string) {
		t.Helper()
		if got := given(subject, after); got != want {
			t.Errorf("after %d of %s: %q, want %q", after, subject, got, want)
		}
	}
	want("a", 1, "")
	keep("a", 3)
	keep("a", 4)
	want("a", 1, "") // the second is not kept
	want("a", 2, "a3 a4")
	want("a", 3, "a4")
	want("a", 4, "")
	keep("a", 4) // told of twice
	want("a", 2, "a3 a4")
	keep("a", 6) // another registrar has appended the fifth
	want("a", 3, "")
	want("a", 5, "a6")
	keep("a", 5) // told of late
	want("a", 4, "")
	want("a", 5, "a6")
	keep("a", 7)
	r.keep("job", "a", 6, []byte("other6")) // the server has lost two, and has been given another one
	want("a", 5, "other6")
	want("a", 6, "")
	keep("b", 2) // the stream was made anew
	want("a", 1, "")
	want("a", 5, "")
	want("b", 1, "b2")
	h := &hold{subject: "b"}
	if r.hand("job", h, 1); h.read != 2 {
		t.Errorf("message %d counts as read, of 2", h.read)
	}
	if r.hand("job", h, 2); h.read != 2 {
		t.Errorf("message %d counts as read, of 2", h.read)
	}
	if r.forget("job"); given("b", 1) != "" {
		t.Error("a job that was removed is kept")
	}
}

// What is kept is bounded: of a job, in an answer, and in jobs.
func TestRecentIsBounded(t *testing.T) {
	r := &Registrar{recent: map[string]*recent{}}
	for seq := uint64(1); seq <= 100; seq++ {
		r.keep("job", "a", seq, make([]byte, 10<<10))
	}
	k := r.recent["job"]
	if k.bytes > maxRecent || k.from+uint64(len(k.kept)) != 101 || k.bytes != len(k.kept)*10<<10 {
		t.Errorf("%d bytes, %d messages from %d", k.bytes, len(k.kept), k.from)
	}
	r.keep("job", "a", 101, make([]byte, 512<<10)) // one that is larger is kept alone
	if k.from != 101 || len(k.kept) != 1 || len(r.hand("job", &hold{subject: "a"}, 100)) != 512<<10+frameBytes {
		t.Errorf("%d messages from %d", len(k.kept), k.from)
	}
	for i := range 10 * maxRecentJobs {
		if r.keep(fmt.Sprint(i), "a", 1, nil); len(r.recent) > maxRecentJobs {
			t.Fatalf("%d jobs", len(r.recent))
		}
	}
}
