package clc_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/clc"
)

// queue is a pipe as the specification tells of it: packets in a row, each there or not yet, each taken or not yet.
type queue struct {
	room    int
	packets []slot
	next    int // numbers packets, so that reservations can name them
}

type slot struct {
	number, value     int
	there, held, done bool
}

// write reserves n packets behind all others; the numbers are from the result on, -1 if there is no room.
func (q *queue) write(n int) int {
	if len(q.packets)+n > q.room {
		return -1
	}
	first := q.next
	for range n {
		q.packets = append(q.packets, slot{number: q.next})
		q.next++
	}
	return first
}

// read holds the next n packets.
func (q *queue) read(n int) int {
	at := slices.IndexFunc(q.packets, func(s slot) bool { return !s.held })
	if at < 0 || at+n > len(q.packets) || slices.ContainsFunc(q.packets[at:at+n], func(s slot) bool { return !s.there }) {
		return -1
	}
	for i := range n {
		q.packets[at+i].held = true
	}
	return q.packets[at].number
}

func (q *queue) of(number int) *slot {
	return &q.packets[slices.IndexFunc(q.packets, func(s slot) bool { return s.number == number })]
}

// free removes what readers are done with.
func (q *queue) free() {
	for len(q.packets) > 0 && q.packets[0].done {
		q.packets = q.packets[1:]
	}
}

// deed is a call of a function on a pipe, by one work-item. It is possible only if the one of the same number
// that reserved was.
type deed struct {
	op     string // put, take, reserve, access, commit
	write  bool
	n      int // how many; index; or value to put
	number int // of the reservation of the work-item
	value  int
}

// pipeProgram is what some work-items do to a pipe.
type pipeProgram struct {
	room, before int
	write        bool
	items        [][]deed
	// Reservations are made and committed by a group of so many work-items for each of the items, of which the first does the rest:
	// work_group_ or sub_group_; or by one alone.
	group string
	lanes int
}

// world is a state of the naive interpreter.
type world struct {
	q    queue
	pc   []int
	held []map[int]int // by item: the first packet of each reservation, -1 if there is none
	out  []int
}

func (w world) clone() world {
	w.q.packets, w.pc, w.out = slices.Clone(w.q.packets), slices.Clone(w.pc), slices.Clone(w.out)
	w.held = slices.Clone(w.held)
	for i := range w.held {
		w.held[i] = maps.Clone(w.held[i])
	}
	return w
}

// outcomes performs the calls in all orders, each as one step.
func (p *pipeProgram) outcomes() map[string][]int {
	found := map[string][]int{}
	start := world{q: queue{room: p.room}, pc: make([]int, len(p.items)), out: make([]int, len(p.items))}
	for i := range p.before {
		start.q.of(start.q.write(1)).value = 1 + i
		start.q.packets[i].there = true
	}
	for range p.items {
		start.held = append(start.held, map[int]int{})
	}
	var visit func(w world)
	visit = func(w world) {
		ended := true
		for u := range p.items {
			if w.pc[u] < len(p.items[u]) {
				ended = false
				next := w.clone()
				next.perform(u, &p.items[u][w.pc[u]])
				next.pc[u]++
				visit(next)
			}
		}
		if ended {
			out := w.out
			if p.write { // what a reader finds then
				out = slices.Clone(out)
				for range p.room {
					v := 0
					if k := w.q.read(1); k >= 0 {
						v = w.q.of(k).value
					}
					out = append(out, v)
				}
			}
			found[fmt.Sprint(out)] = out
		}
	}
	visit(start)
	return found
}

func (w *world) perform(u int, d *deed) {
	q := &w.q
	note := func(v int) { w.out[u] = w.out[u]*8 + v }
	first, known := w.held[u][d.number]
	switch d.op {
	case "put":
		if k := q.write(1); k >= 0 {
			q.of(k).there, q.of(k).value = true, d.value
			note(1)
		} else {
			note(0)
		}
	case "take":
		if k := q.read(1); k >= 0 {
			note(q.of(k).value)
			q.of(k).done = true
		} else {
			note(0)
		}
	case "reserve":
		if d.write {
			w.held[u][d.number] = q.write(d.n)
		} else {
			w.held[u][d.number] = q.read(d.n)
		}
		note(min(w.held[u][d.number]+1, 1))
	case "access":
		if known && first >= 0 && d.write {
			q.of(first + d.n).value = d.value
		} else if known && first >= 0 {
			note(q.of(first + d.n).value)
		}
	case "commit":
		for i := range d.n {
			if first >= 0 && d.write {
				q.of(first + i).there = true
			} else if first >= 0 {
				q.of(first + i).done = true
			}
		}
	}
	q.free()
}

// randomPipe draws a program.
func randomPipe(r *rand.Rand) *pipeProgram {
	p := &pipeProgram{room: 1 + r.IntN(3), write: r.IntN(2) == 0, lanes: 1}
	if r.IntN(2) == 0 {
		p.group, p.lanes = []string{"work_group_", "sub_group_"}[r.IntN(2)], 1+r.IntN(2)
	}
	if !p.write {
		p.before = r.IntN(p.room + 1)
	}
	for u := range 2 + r.IntN(2) {
		var list []deed
		for k := range 1 + r.IntN(2) {
			value := 1 + (2*u+k)%7
			if r.IntN(3) > 0 {
				list = append(list, deed{op: map[bool]string{true: "put", false: "take"}[p.write], write: p.write, value: value})
				continue
			}
			n := 1 + r.IntN(2)
			list = append(list, deed{op: "reserve", write: p.write, n: n, number: k})
			for i := range n {
				list = append(list, deed{op: "access", write: p.write, n: i, number: k, value: value})
			}
			list = append(list, deed{op: "commit", write: p.write, n: n, number: k})
		}
		p.items = append(p.items, list)
	}
	return p
}

// text writes the program in OpenCL C, with what is asserted in the end.
func (p *pipeProgram) text(assert string) string {
	var b strings.Builder
	end, verb := "read_only", "read"
	if p.write {
		end, verb = "write_only", "write"
	}
	fmt.Fprintf(&b, "//clmc:launch fill global=1 local=1 p=pipe[%d] n=%d\n//clmc:launch k global=%d local=%d p=p out=zero[8]\n", p.room, p.before, p.lanes*len(p.items), p.lanes)
	if p.write {
		fmt.Fprintf(&b, "//clmc:launch drain global=1 local=1 p=p at=%d n=%d\n", len(p.items), p.room)
	}
	fmt.Fprintf(&b, "//clmc:assert %s\n", assert)
	b.WriteString("kernel void fill(write_only pipe int p, int n) { for (int v = 1; v <= n; v++) write_pipe(p, &v); }\n")
	b.WriteString("kernel void drain(read_only pipe int p, global int *out, int at, int n) { for (int i = 0; i < n; i++) read_pipe(p, &out[at + i]); }\n")
	fmt.Fprintf(&b, "kernel void k(%s pipe int p, global int *out) {\n  int v, s = 0;\n", end)
	for u, list := range p.items {
		fmt.Fprintf(&b, "  if (get_group_id(0) == %d) {\n    reserve_id_t r[2];\n", u)
		for _, d := range list {
			if p.lanes > 1 && d.op != "reserve" && d.op != "commit" {
				b.WriteString("    if (get_local_id(0) == 0) {\n")
			}
			switch d.op {
			case "put":
				fmt.Fprintf(&b, "    v = %d; s = s * 8 + (write_pipe(p, &v) == 0);\n", d.value)
			case "take":
				b.WriteString("    v = 0; read_pipe(p, &v); s = s * 8 + v;\n")
			case "reserve":
				fmt.Fprintf(&b, "    r[%d] = %sreserve_%s_pipe(p, %d); s = s * 8 + is_valid_reserve_id(r[%[1]d]);\n", d.number, p.group, verb, d.n)
			case "access":
				if p.write {
					fmt.Fprintf(&b, "    v = %d; if (is_valid_reserve_id(r[%d])) write_pipe(p, r[%[2]d], %d, &v);\n", d.value, d.number, d.n)
				} else {
					fmt.Fprintf(&b, "    if (is_valid_reserve_id(r[%d])) { read_pipe(p, r[%[1]d], %d, &v); s = s * 8 + v; }\n", d.number, d.n)
				}
			case "commit":
				fmt.Fprintf(&b, "    if (is_valid_reserve_id(r[%d])) %scommit_%s_pipe(p, r[%[1]d]);\n", d.number, p.group, verb)
			}
			if p.lanes > 1 && d.op != "reserve" && d.op != "commit" {
				b.WriteString("    }\n")
			}
		}
		b.WriteString("  }\n")
	}
	b.WriteString("  if (get_local_id(0) == 0) out[get_group_id(0)] = s;\n}\n")
	return b.String()
}

// TestRandomPipes compares small programs with what a naive queue does when the calls are made in all orders: nothing else
// happens, and each of it.
func TestRandomPipes(t *testing.T) {
	t.Parallel()
	seeds := uint64(thorough.Of(15, 60))
	for seed := range seeds {
		p := randomPipe(rand.New(rand.NewPCG(seed, 14)))
		want := p.outcomes()
		verdict := func(assert string) explore.Verdict {
			text := p.text(assert)
			m, err := clc.Source("random.cl", []byte(text), clc.Options{})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			r := explore.Run(t.Context(), m, explore.Options{})
			for _, v := range r.Violations {
				if id := v.Kind.ID(); id != "CL1004" {
					t.Fatalf("seed %d: found %s\n%s", seed, id, text)
				}
			}
			return r.Verdict
		}
		var all []string
		for _, name := range slices.Sorted(maps.Keys(want)) {
			var equal []string
			for i, v := range want[name] {
				equal = append(equal, fmt.Sprintf("out[%d] == %d", i, v))
			}
			is := strings.Join(equal, " && ")
			all = append(all, "("+is+")")
			if got := verdict("!(" + is + ")"); got != explore.Violated {
				t.Errorf("seed %d: %s does not happen: %v\n%s", seed, is, got, p.text("1"))
			}
		}
		if got := verdict(strings.Join(all, " || ")); got != explore.Verified {
			t.Errorf("seed %d: something else than %v happens: %v\n%s", seed, all, got, p.text("1"))
		}
	}
}
