package load_test

import (
	"context"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/load"
)

// hostVariables are host programs whose commands access variables of functions, and what must come of them: the id of
// what is violated, "" if nothing is, or what is said of the program when it is refused.
var hostVariables = map[string]struct{ main, want string }{
	"written from and read to": {`
	var in, out [4]int32
	in[1] = 7
	cl.EnqueueWriteBuffer(buf[:], cl.CLBlocking, 0, in[:])
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(4, 1))
	cl.EnqueueReadBuffer(buf[:], cl.CLBlocking, 0, out[:])
	cl.Assert(out[1] == 8 && out[0] == 1, "the kernel adds one")`, ""},
	"of a helper, a part, a struct": {`
	var h struct{ n int32; a [6]int32 }
	upload := func(p []int32) { cl.EnqueueWriteBuffer(buf[:], cl.CLBlocking, 0, p) }
	h.a[2] = 5
	upload(h.a[2:])
	load(h.a[:4])
	cl.Assert(h.a[0] == 5 && h.a[1] == 0 && h.n == 0, "moved by two")`, ""},
	// clEnqueueReadBuffer that does not block: the host reads before the event is complete (rule 12.21).
	"read too early": {`
	var out [4]int32
	cl.EnqueueReadBuffer(buf[:], cl.CLNonBlocking, 0, out[:])
	cl.Assert(out[1] == 0, "zeros")`, "CL1001"},
	"read after clFinish": {`
	var out [4]int32
	cl.EnqueueReadBuffer(buf[:], cl.CLNonBlocking, 0, out[:])
	cl.Finish()
	cl.Assert(out[1] == 0, "zeros")`, ""},
	// Each round declares the variable anew, and finds zeros in it.
	"of each round": {`
	for i := range 2 {
		var tmp [4]int32
		cl.Assert(tmp[0] == 0, "zero")
		tmp[0] = int32(i) + 1
		cl.EnqueueWriteBuffer(buf[:], cl.CLBlocking, 0, tmp[:])
	}
	var out [4]int32
	cl.EnqueueReadBuffer(buf[:], cl.CLBlocking, 0, out[:])
	cl.Assert(out[0] == 2, "of the last round")`, ""},
	// The command of the first round may still read when the second one writes.
	"of a round that is over": {`
	for i := range 2 {
		var tmp [4]int32
		tmp[0] = int32(i)
		cl.EnqueueWriteBuffer(buf[:], cl.CLNonBlocking, 0, tmp[:])
	}
	cl.Finish()`, "CL1001"},
	"none but events and queues": {`
	q := cl.CreateCommandQueue(0, cl.CLQueueOutOfOrderExecModeEnable)
	var e [2]cl.Event
	for i := range e {
		e[i] = cl.EnqueueFillBuffer(buf[i:i+1], int32(i), 0, 1, cl.OnQueue(q))
	}
	cl.WaitForEvents(e[:]...)
	cl.Assert(buf[1] == 1, "filled")`, ""},
	"kept in a variable": {`
	var in [4]int32
	in[3] = 9
	b, p := cl.NewBuffer[int32](4), in[:]
	upload := func() { cl.EnqueueWriteBuffer(b, cl.CLBlocking, 0, p) }
	upload()
	cl.EnqueueNDRangeKernel(func() { cl.Assert(b[3] == 9, "uploaded") }, cl.NDRange1D(1, 1))
	cl.Finish()`, ""},
	"given to a kernel, too": {`
	var in [4]int32
	p := in[:]
	cl.EnqueueWriteBuffer(buf[:], cl.CLBlocking, 0, p)
	cl.EnqueueNDRangeKernel(func() { p[0] = 1 }, cl.NDRange1D(1, 1))
	cl.Finish()`, "private variable (rule 12.20)"},
	"captured by a host thread": {`
	var in [4]int32
	cl.EnqueueWriteBuffer(buf[:], cl.CLBlocking, 0, in[:])
	go func() { cl.Assert(in[0] == 0, "zero") }()`, "a host variable that commands access (rule 12.20)"},
}

// TestHostVariables checks that commands reach variables of the host's functions, and nobody else does.
func TestHostVariables(t *testing.T) {
	for name, c := range hostVariables {
		t.Run(name, func(t *testing.T) {
			check(t, `
var buf [4]int32

func k() { buf[cl.GetGlobalID(0)]++ }

func load(p []int32) { cl.EnqueueReadBuffer(buf[:], cl.CLBlocking, 0, p) }

func main() {`+c.main+`
}
`, c.want)
		})
	}
}

// TestAddressOfPointee checks that &*p reads nothing: neither is an atomic variable copied, nor does it race with who
// writes there; only a pointer that is nil is found.
func TestAddressOfPointee(t *testing.T) {
	for code, want := range map[string]string{
		`p := &n; cl.AtomicFetchAdd(&*p, 1)`: "",
		`p := &x; if cl.GetGlobalID(0) == 0 { *p = 1 } else { q := &(*p); cl.Assert(q == &x, "the same") }`: "",
		`cl.Assert(&*null == null, "never")`: "CL1006",
		`p := &x; if cl.GetGlobalID(0) == 0 { *p = 1; y := -*p; cl.Assert(y == -1, "it is read") }`: "",
		`y := *&n; _ = y`: "atomic variables cannot be",
		`p := &n; _ = *p`: "atomic variables cannot be copied",
	} {
		t.Run(code, func(t *testing.T) {
			check(t, `
var n cl.AtomicInt
var x int32
var null *int32

func k() { `+code+` }

func main() {
	null = nil
	cl.EnqueueNDRangeKernel(k, cl.NDRange1D(2, 1))
	cl.Finish()
}
`, want)
		})
	}
}

// check explores a program: it violates what is wanted, or is refused with that; "" if nothing is wrong.
func check(t *testing.T, code, want string) {
	t.Helper()
	p, err := load.Source("m.go", []byte("package main\n\nimport \"github.com/clmc/clmc/models/cl\"\n"+code), load.Options{})
	if err != nil {
		if want == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("refused, want %q:\n%v", want, err)
		}
		return
	}
	r := explore.Run(context.Background(), p, explore.Options{})
	got := ""
	if len(r.Violations) > 0 {
		got = r.Violations[0].Kind.ID()
	}
	if !r.Complete && got == "" {
		t.Errorf("not explored: %v", r.Incomplete)
	}
	if got != want {
		t.Errorf("violated: %q, want %q", got, want)
	}
}
