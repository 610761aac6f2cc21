package trace

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/load"
)

// long goes round for longer than is attended to, and ends with a failing assertion.
const long = `package main

import "github.com/clmc/clmc/models/cl"

var in [2]int32

func k() {
	before := in[1] + 4
	s := in[0]
	for j := int32(0); j < 600_000; j++ {
		s += j & 1
	}
	after := s + before
	cl.Assert(after == 7, "seven")
}

func main() {
	in[0] = 1
	in[1] = 2
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(1, 1))
	cl.Finish()
}
`

// Of a long private computation the middle is not attended to, and told is what is known all the same: what
// is set before and not changed there, and what is set at its end.
func TestLongComputation(t *testing.T) {
	p, err := load.Source("long.go", []byte(long), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(t.Context(), p, explore.Options{})
	if len(r.Violations) != 1 {
		t.Fatal(r.Incomplete)
	}
	tr, err := Build(p, r.Spec, r.Violations[0])
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for _, v := range tr.Private {
		told[v.Name] = v.Value
	}
	// s is 1 + 300,000; the loop's last rounds are attended to, and before is set before it.
	if tr.Skipped == 0 || told["before"] != "6" || told["s"] != "300001" || told["after"] != "300007" {
		t.Errorf("skipped %d, told %v", tr.Skipped, told)
	}
	if tr.Slice != nil {
		t.Errorf("a slice is told: %v", tr.Slice)
	}
}

// Where there is no time to repeat an execution, the violation and its place are told, and its schedule is kept.
func TestNoTime(t *testing.T) {
	p, err := load.Source("long.go", []byte(long), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(t.Context(), p, explore.Options{})
	tr, err := BuildUntil(p, r.Spec, r.Violations[0], time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if !tr.Untold || len(tr.Steps) > 0 || tr.At.Line != 14 || tr.Message != "Assertion failed, by k(0)." || len(tr.Schedule) != len(r.Violations[0].Schedule) {
		t.Errorf("%+v", tr)
	}
}

// toil computes for long by itself on the host, and in each work-item between a barrier and a race.
const toil = `package main

import "github.com/clmc/clmc/models/cl"

const rounds = 1_000_000

var x int32

func k() {
	cl.WorkGroupBarrier(cl.CLKLocalMemFence)
	s := int32(0)
	for j := int32(0); j < rounds; j++ {
		s += j & 1
	}
	x = s
}

func main() {
	s := int32(0)
	for j := int32(0); j < rounds; j++ {
		s += j & 1
	}
	x = s
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 2))
	cl.Finish()
}
`

// When there is no time left, private computation that is repeated is given up, be it before the first step or
// behind another, and nothing is told of it.
func TestNoTimeInPrivate(t *testing.T) {
	p, err := load.Source("toil.go", []byte(toil), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const most, rounds = 100_000, 1_000_000 // private instructions of the host, and of one work-item, that are attended to at the most
	r := explore.Run(t.Context(), p, explore.Options{})
	v, past := r.Violations[0], time.Now().Add(-time.Hour)
	for m := range explore.Replayers(p, r.Spec, nil) {
		late := newReplay(m, v, attention{most: maxAttended}, past)
		if err := late.perform(v); !errors.Is(err, errLate) || late.all > most {
			t.Errorf("before the first step: %d instructions, %v", late.all, err)
		}
		break
	}
	for m := range explore.Replayers(p, r.Spec, nil) {
		late := newReplay(m, v, attention{most: maxAttended}, time.Time{})
		host := late.all
		if host < rounds {
			t.Fatalf("%d instructions of the host", host)
		}
		late.until = past
		for i, move := range v.Schedule {
			if err = late.do(i, move); err != nil {
				break
			}
		}
		if !errors.Is(err, errLate) || late.all-host > 2*most {
			t.Errorf("behind a step: %d instructions, %v", late.all-host, err)
		}
		break
	}
	if _, _, err := Repeat(p, r.Spec, nil, past); !errors.Is(err, errLate) {
		t.Errorf("an execution that is shown: %v", err)
	}
}

// What lanes come to see is told up to a bound; who races, where and why is told all the same.
func TestSightsAreBounded(t *testing.T) {
	p, err := load.Source("sights.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var a [64]int32
var x int32

func k() {
	i := cl.GetGlobalID(0)
	for r := range 4 {
		a[i*16+r] = int32(r)
		cl.WorkGroupBarrier(cl.CLKGlobalMemFence)
	}
	x = int32(i)
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 4))
	cl.Finish()
}
`), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := explore.Run(t.Context(), p, explore.Options{})
	whole, err := build(p, r.Spec, r.Violations[0], time.Time{}, maxAttended)
	if err != nil {
		t.Fatal(err)
	}
	part, err := build(p, r.Spec, r.Violations[0], time.Time{}, 100) // 400 locations: hardly more than the 65 of each of the four
	if err != nil {
		t.Fatal(err)
	}
	count := func(tr *Trace) (n int) {
		for i := range tr.Steps {
			n += len(tr.Steps[i].Sees)
		}
		return n + len(tr.History().Sights)
	}
	if whole.Unseen || !part.Unseen || count(part) >= count(whole) || part.Message != whole.Message || part.Why[0].Text != whole.Why[0].Text || len(part.Steps) != len(whole.Steps) {
		t.Errorf("unseen: %v, %v; %d and %d are seen\n%s\n%s", whole.Unseen, part.Unseen, count(whole), count(part), part.Message, whole.Message)
	}
	for range 10 { // barriers of four: in a random order ten times the same has a chance of less than 10^-13
		again, err := build(p, r.Spec, r.Violations[0], time.Time{}, maxAttended)
		if err != nil || !reflect.DeepEqual(again.History(), whole.History()) {
			t.Fatalf("another history each time, %v", err)
		}
	}
}

// An update is lost where what is written comes of what was read, or whether it is written does; who only happens to have looked has updated nothing.
func TestLostUpdates(t *testing.T) {
	for does, want := range map[string]bool{
		"store(load() + 1)":                         true,
		"if load() < 9 { store(9) }":                true,
		"v := load(); w := v * 2; store(w + 1)":     true,
		"seen = load(); store(5)":                   false,
		"load(); store(int32(cl.GetGlobalSize(0)))": false,
	} {
		p, err := load.Source("lost.go", []byte(`package main

import "github.com/clmc/clmc/models/cl"

var x cl.AtomicInt
var seen int32

func load() int32   { return cl.AtomicLoadExplicit(&x, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) }
func store(v int32) { cl.AtomicStoreExplicit(&x, v, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) }

func k() {
	if cl.GetGlobalID(0) == 0 {
		`+does+`
	} else {
		store(7)
	}
}

func looks() {
	v := load()
	cl.Assert(v == 7 || seen == 7 || v > 7 && v != 9, "")
}

func main() {
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
	cl.EnqueueNDRangeKernel(looks, cl.NDRange1D(1, 1))
	cl.Finish()
}
`), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := explore.Run(t.Context(), p, explore.Options{All: true})
		told := false
		for _, v := range r.Violations {
			tr, err := Build(p, r.Spec, v)
			if err != nil {
				t.Fatal(err)
			}
			for _, why := range tr.Why {
				told = told || strings.HasPrefix(why.Text, "A lost update: ")
			}
		}
		if told != want || len(r.Violations) == 0 {
			t.Errorf("%s: a lost update is told: %v, want %v; %d violations", does, told, want, len(r.Violations))
		}
	}
}
