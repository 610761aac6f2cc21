package device

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
)

const (
	handOver = `//clmc:launch k global=2 local=1 x=zero[1] f=zero[1] out=int[2]{7,7}
kernel void k(global int *x, global atomic_int *f, global int *out)
{
  if (get_global_id(0) == 0) {
    *x = 1;
    atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);
  } else {
    int r = atomic_load_explicit(f, memory_order_acquire, memory_scope_device);
    out[0] = r;
    if (r == 1)
      out[1] = *x;
  }
}
`
	buffered = `//clmc:launch k global=2 local=1 x=zero[2]
kernel void k(global atomic_int *x)
{
  int i = get_global_id(0);
  atomic_store_explicit(&x[i], 1, memory_order_release, memory_scope_device);
  assert(i < 2);
  int r = atomic_load_explicit(&x[1 - i], memory_order_acquire, memory_scope_device);
  __observe("r", r);
  if (i == 1) __observe("r", r + 10);
}
`
)

// counted has variables of program scope.
const counted = `global int total = 5;
global atomic_int turn[2];
//clmc:launch k global=2 local=1 out=int[2]
//clmc:assert total == 5 && turn[0] == 2
kernel void k(global int *out)
{
  out[get_global_id(0)] = atomic_fetch_add(&turn[0], 1) + total;
}
`

// besideOf runs a kernel on a fake beside its search.
func besideOf(t testing.TB, f *fake, text string, runs int) (*Kernel, *Ended, error) {
	t.Helper()
	h, why, err := clc.Host("k.cl", []byte(text), clc.Options{})
	if err != nil || why != "" {
		t.Fatal(why, err)
	}
	k := &Kernel{Host: h, Ends: explore.Run(t.Context(), h.Program, explore.Options{}), Runs: runs, Time: time.Minute, Seed: 3}
	c := &Client{Start: startFake(func() API { return f })}
	list, why, err := c.Devices(t.Context(), false, 0)
	if err != nil || len(list) != 1 {
		t.Fatal(why, err)
	}
	if err := c.Open(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	e, err := k.Run(t.Context(), c, list[0], nil)
	return k, e, err
}

// TestBeside: a right device shows what is verified, all of it in the end; one that breaks releases is found out, with both values.
func TestBeside(t *testing.T) {
	for what, text := range map[string]string{"hand over": handOver, "buffered": buffered, "variables": counted} {
		_, e, err := besideOf(t, newFake(t), text, 200)
		if err != nil || e.Unknown != "" || e.Forbidden() > 0 || e.Seen != e.Allowed || e.Seen < 2 || e.Runs != 200 {
			t.Errorf("%s: %+v %v", what, e, err)
			continue
		}
		for i := range e.Endings {
			if len(e.Endings[i].Fails) > 0 {
				t.Errorf("%s: %+v", what, e.Endings[i])
			}
		}
	}
	lossy := newFake(t)
	lossy.rewrite = strings.NewReplacer("fetch_add(&turn[0], 1)", "fetch_add(&turn[0], 2)")
	if _, e, err := besideOf(t, lossy, counted, 20); err != nil || e.Forbidden() != 20 || len(e.Endings[0].Fails) != 1 {
		t.Errorf("%+v %v", e, err)
	}
	wrong := newFake(t)
	wrong.rewrite = strings.NewReplacer("memory_order_release", "memory_order_relaxed", "*x = 1", "atomic_store_explicit((global atomic_int *)x, 1, memory_order_relaxed, memory_scope_device)",
		"out[1] = *x", "out[1] = atomic_load_explicit((global atomic_int *)x, memory_order_relaxed, memory_scope_device)")
	k, e, err := besideOf(t, wrong, handOver, 200)
	if err != nil || e.Forbidden() == 0 || e.Forbidden() == e.Runs {
		t.Fatalf("%+v %v", e, err)
	}
	values, _ := k.Telling(e, 8)
	i := slices.IndexFunc(values, func(v Value) bool { return v.Name == "out[1]" })
	if i < 0 || !slices.Equal(values[i].Allowed, []string{"1", "7"}) {
		t.Fatalf("%+v", values)
	}
	for j := range e.Endings {
		if n := &e.Endings[j]; n.Forbidden != (values[i].Of(n) == "0") {
			t.Errorf("%+v: %s", n, values[i].Of(n))
		}
	}
}

// TestBesideObserved: what work-items observe is compared, too, each time that they do.
func TestBesideObserved(t *testing.T) {
	f := newFake(t)
	f.rewrite = strings.NewReplacer("(long)(x))", "(long)(x) + (x == 10))")
	k, e, err := besideOf(t, f, buffered, 100)
	if err != nil || e.Forbidden() == 0 {
		t.Fatalf("%+v %v", e, err)
	}
	values, _ := k.Telling(e, 8)
	if i := slices.IndexFunc(values, func(v Value) bool { return v.Name == "1:r#2" }); i < 0 || !slices.Equal(values[i].Allowed, []string{"10", "11"}) {
		t.Errorf("%+v", values)
	}
}

// TestBesideUnknown: a run is only called wrong where all that executions leave is known.
func TestBesideUnknown(t *testing.T) {
	for text, want := range map[string]string{
		"//clmc:launch k global=2 local=2 x=zero[1]\nkernel void k(global int *x) { *x = 1; }\n":                                              "goes wrong",
		"//clmc:launch k global=1 local=1 x=zero[1]\nkernel void k(global int *x) { *x = (int)(1.0f / (float)(get_global_id(0) + x[0])); }\n": "differ from device to device",
		"//clmc:launch k global=1 local=1 x=zero[1]\nkernel void k(global int *x) { *x = (int)(1.5f + (float)x[0]); }\n":                      "small numbers",
		"//clmc:launch k global=1 local=1 x=zero[1]\nkernel void k(global const int *x) { int y = *x; }\n":                                    "nothing that can be compared",
	} {
		if _, e, err := besideOf(t, newFake(t), text, 3); err != nil || !strings.Contains(e.Unknown, want) || e.Forbidden() > 0 {
			t.Errorf("%s: %+v %v", text, e, err)
		}
	}
}

// TestBesideLimits: what a device cannot do is told with its limit, before it is tried.
func TestBesideLimits(t *testing.T) {
	for launch, want := range map[string]string{
		"global=512 local=512":                   "512 work-items, and the device does at most 256",
		"global=3 local=2":                       "no multiple",
		"global=2 local=2 --arg tmp=local[9000]": "36000 bytes of local memory, and the device has 32768",
	} {
		text := "//clmc:launch k x=zero[1] " + launch + "\nkernel void k(global int *x, local int *tmp) { if (get_global_id(0) == 0) *x = 1; }\n"
		f := newFake(t)
		_, _, err := besideOf(t, f, text, 3)
		var failure *Failure
		if !errors.As(err, &failure) || failure.Kind != TooLarge || !strings.Contains(failure.Text, want) || f.launches > 0 {
			t.Errorf("%s: %v", launch, err)
		}
	}
}

// TestBesideFails: a compiler that fails, a device that is lost and memory that there is not are told.
func TestBesideFails(t *testing.T) {
	for what, c := range map[string]struct {
		kind FailureKind
		text string
		set  func(*fake)
	}{
		"compiler": {NoCompile, "what is atomic_load", func(f *fake) { f.refuses = []string{"atomic_load"} }},
		"lost":     {DeviceFault, "CL_OUT_OF_RESOURCES", func(f *fake) { f.lost = 5 }},
		"memory":   {DeviceFault, "CL_MEM_OBJECT_ALLOCATION_FAILURE", func(f *fake) { f.full = true }},
	} {
		f := newFake(t)
		c.set(f)
		_, _, err := besideOf(t, f, handOver, 20)
		var failure *Failure
		if !errors.As(err, &failure) || failure.Kind != c.kind || !strings.Contains(failure.Text, c.text) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
