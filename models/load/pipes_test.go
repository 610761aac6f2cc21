package load_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/load"
)

// pipeKernels are a producer and a consumer that run at the same time.
const pipeKernels = `typedef struct { long a; int b; } pair;
kernel void produce(write_only pipe int p, int n) {
  for (int v = 1; v <= n; v++) while (write_pipe(p, &v) < 0);
}
kernel void produce_some(write_only pipe int p, int n) { for (int v = 1; v <= n; v++) write_pipe(p, &v); }
kernel void consume(read_only pipe int p, int n, global int *out) {
  for (int i = 0; i < n; i++) while (read_pipe(p, &out[i]) < 0);
}
kernel void consume_once(read_only pipe int p, global int *out) { read_pipe(p, out); }
kernel void publish(write_only pipe int p, global int *data) {
  int v = 1;
  data[0] = 7;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_all_svm_devices);
  write_pipe(p, &v);
}
kernel void look(read_only pipe int p, global int *data, global int *out) {
  int v;
  if (read_pipe(p, &v)) return;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_all_svm_devices);
  out[0] = data[0];
}
kernel void reserve(write_only pipe int p, int n) {
  reserve_id_t a = reserve_write_pipe(p, 1), b = reserve_write_pipe(p, 1);
  int v = 2;
  write_pipe(p, b, 0, &v);
  commit_write_pipe(p, b);
  v = 1;
  write_pipe(p, a, 0, &v);
  commit_write_pipe(p, a);
}
kernel void put_pair(write_only pipe pair p, int n) {
  for (int i = 1; i <= n; i++) { pair v = {(long)i << 33 | i, i}; while (write_pipe(p, &v)); }
}
kernel void get_pair(read_only pipe pair p, int n, global int *out) {
  pair v;
  for (int i = 0; i < n; i++) { while (read_pipe(p, &v)); out[i] = v.b == i + 1 && v.a == ((long)v.b << 33 | v.b); }
}
kernel void held(read_only pipe int p, global int *out) {
  reserve_id_t r = reserve_read_pipe(p, 1);
  if (!is_valid_reserve_id(r)) return;
  read_pipe(p, r, 0, out);
  commit_read_pipe(p, r);
}
kernel void both(read_only pipe int p, write_only pipe int q) { int v; if (!read_pipe(p, &v)) write_pipe(q, &v); }
`

const pipeModel = `package main

import "github.com/clmc/clmc/models/cl"

type pair struct {
	a int64
	b int32
}

//cl:program k.cl
var kernels struct {
	Produce     func(p cl.Pipe[int32], n int32)
	ProduceSome func(p cl.Pipe[int32], n int32)
	Consume     func(p cl.Pipe[int32], n int32, out []int32)
	ConsumeOnce func(p cl.Pipe[int32], out []int32)
	Publish     func(p cl.Pipe[int32], data []int32)
	Look        func(p cl.Pipe[int32], data, out []int32)
	Reserve     func(p cl.Pipe[int32], n int32)
	PutPair     func(p cl.Pipe[pair], n int32)
	GetPair     func(p cl.Pipe[pair], n int32, out []int32)
	Held        func(p cl.Pipe[int32], out []int32)
	Both        func(p, q cl.Pipe[int32])
}

var (
	p    = cl.NewPipe[int32](room)
	pp   = cl.NewPipe[pair](1)
	out  [4]int32
	data [1]int32
)

const room = 1

func main() {
	other := cl.CreateCommandQueue(0, 0)
	one := cl.NDRange1D(1, 1)
	cl.EnqueueNDRangeKernel(func() { FIRST }, one)
	cl.EnqueueNDRangeKernel(func() { SECOND }, one, cl.OnQueue(other))
	cl.Finish()
	cl.Finish(other)
	cl.Assert(ASSERT, "what comes out")
}
`

// pipeCases are two kernels on two queues, what must hold in the end, and the verdict.
var pipeCases = []struct{ name, room, first, second, assert, want string }{
	// Each waits for the other: two packets through a pipe for one, in their order (14.3, 14.5).
	{"wait", "1", "kernels.Produce(p, 2)", "kernels.Consume(p, 2, out[:])", "out[0] == 1 && out[1] == 2", ""},
	{"wait with room", "2", "kernels.Produce(p, 3)", "kernels.Consume(p, 3, out[:])", "out[0] == 1 && out[1] == 2 && out[2] == 3", ""},
	// A packet of several parts is one, although the slot is used again at once.
	{"whole packets", "1", "kernels.PutPair(pp, 2)", "kernels.GetPair(pp, 2, out[:])", "out[0] == 1 && out[1] == 1", ""},
	// Who looks once sees it or not.
	{"once", "1", "kernels.Produce(p, 1)", "kernels.ConsumeOnce(p, out[:])", "out[0] == 0 || out[0] == 1", ""},
	// A second packet takes the slot of the first, and never its place.
	{"once, of two", "1", "kernels.ProduceSome(p, 2)", "kernels.ConsumeOnce(p, out[:])", "out[0] == 0 || out[0] == 1", ""},
	{"once: seen", "1", "kernels.Produce(p, 1)", "kernels.ConsumeOnce(p, out[:])", "out[0] == 0", "CL1004"},
	{"once: not seen", "1", "kernels.Produce(p, 1)", "kernels.ConsumeOnce(p, out[:])", "out[0] == 1", "CL1004"},
	{"held", "1", "kernels.Produce(p, 2)", "kernels.Held(p, out[:])", "out[0] == 0", "CL1004 CL1018 CL1011"},
	// The packet that was reserved first comes first, though it is committed last: nobody takes the other before (14.4).
	{"reserved order", "2", "kernels.Reserve(p, 2)", "kernels.ConsumeOnce(p, out[:])", "out[0] == 0 || out[0] == 1", ""},
	{"reserved order: both", "2", "kernels.Reserve(p, 2)", "kernels.Consume(p, 2, out[:])", "out[0] == 1 && out[1] == 2", ""},
	// Pipes order no other memory, whatever fences are around (14.6).
	{"publish", "1", "kernels.Publish(p, data[:])", "kernels.Look(p, data[:], out[:])", "true", "CL1001"},
	// One end of a pipe each (14.2).
	{"both ends", "1", "kernels.Both(p, p)", "", "true", "refused: cannot read from and write to the same pipe object"},
	{"both ends, two pipes", "2", "kernels.Both(p, q)", "", "true", ""},
	{"other packets", "1", "kernels.Produce(pp, 1)", "", "true", "refused: cl.Pipe"},
	{"no room", "0", "", "", "true", "refused: from 1 to 40"},
}

// TestPipes explores a producer and a consumer that run at the same time.
func TestPipes(t *testing.T) {
	for _, c := range pipeCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			text := strings.NewReplacer("FIRST", c.first, "SECOND", c.second, "ASSERT", c.assert, "room = 1", "room = "+c.room).Replace(pipeModel)
			if strings.Contains(text, ", q)") {
				text = strings.Replace(text, "pp   =", "q    = cl.NewPipe[int32](room)\n\tpp   =", 1)
			}
			for name, s := range map[string]string{"m.go": text, "k.cl": pipeKernels} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			m, err := load.File(filepath.Join(dir, "m.go"), load.Options{})
			if why, ok := strings.CutPrefix(c.want, "refused: "); ok {
				if err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("found %v, want it refused: %s", err, why)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r := explore.Run(t.Context(), m, explore.Options{})
			var found []string
			for _, v := range r.Violations {
				found = append(found, v.Kind.ID())
			}
			if c.want == "" && r.Verdict != explore.Verified || c.want != "" && !slices.ContainsFunc(found, func(id string) bool { return strings.Contains(c.want, id) }) {
				t.Errorf("found %v %v, want %q", r.Verdict, found, c.want)
			}
		})
	}
}
