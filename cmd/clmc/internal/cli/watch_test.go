package cli

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// heap is what a command prints, read while it goes on.
type heap struct {
	sync.Mutex
	bytes.Buffer
}

func (h *heap) Write(p []byte) (int, error) {
	h.Lock()
	defer h.Unlock()
	return h.Buffer.Write(p)
}

func (h *heap) text() string {
	h.Lock()
	defer h.Unlock()
	return h.String()
}

// watching is a clmc watch in a folder of its own.
type watching struct {
	*testing.T
	dir  string
	out  *heap
	end  func() int // interrupts it and returns the exit code
	seen int        // how much of out has been looked at
}

func (w *watching) write(name, text string) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o666); err != nil {
		w.Fatal(err)
	}
}

// next returns what is printed from now on until clmc waits for changes.
func (w *watching) next() string {
	w.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		text := w.out.text()[w.seen:]
		if at := strings.Index(text, "waiting for changes"); at >= 0 {
			w.seen += at + len("waiting for changes")
			return text[:at]
		}
	}
	w.Fatalf("clmc does not wait for changes:\n%s", w.out.text())
	return ""
}

func watchIn(t *testing.T, files map[string]string, args ...string) *watching {
	w := &watching{T: t, dir: t.TempDir(), out: &heap{}}
	t.Chdir(w.dir)
	for name, text := range files {
		w.write(name, text)
	}
	ctx, cancel := context.WithCancel(context.Background())
	a := &app{out: bufio.NewWriter(w.out), err: w.out, tty: w.out}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.guard(func() error { return a.execute(ctx, append([]string{"watch", "--progress", "never"}, args...)) })
	}()
	w.end = sync.OnceValue(func() int { cancel(); <-ended; return a.code })
	t.Cleanup(func() { w.end() })
	return w
}

const (
	watchRight = "//clmc:launch k global=2 local=1\nkernel void k(global int *a) { a[get_global_id(0)] = 1; }\n"
	watchWrong = "//clmc:launch k global=2 local=1\nkernel void k(global int *a) { a[0] = get_global_id(0); }\n"
)

func expectIn(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, s := range want {
		if absent, not := strings.CutPrefix(s, "!"); not && strings.Contains(text, absent) || !not && !strings.Contains(text, s) {
			t.Errorf("want %q in:\n%s", s, text)
		}
	}
}

// A file that is saved is explored again, and no other; what has changed comes first, with the verdict before.
func TestWatch(t *testing.T) {
	w := watchIn(t, map[string]string{"a.cl": watchRight, "z.cl": watchRight}, "-q", ".")
	expectIn(t, w.next(), "a.cl: verdict: verified", "z.cl: verdict: verified")
	w.write("z.cl", watchWrong)
	text := w.next()
	expectIn(t, text, "!exploring a.cl", "z.cl: verdict: violated (CL1001 data race)\n  before: z.cl: verdict: verified")
	w.write("a.cl", watchRight+"\n")
	expectIn(t, w.next(), "exploring a.cl", "!exploring z.cl", "!before")
	w.write("b.cl", watchRight) // one more model
	expectIn(t, w.next(), "b.cl: verdict: verified")
	w.write("notes.txt", "no model")
	if err := os.Remove("z.cl"); err != nil {
		t.Fatal(err)
	}
	expectIn(t, w.next(), "z.cl: gone")
	if code := w.end(); code != exitVerified {
		t.Errorf("exit code %d", code)
	}
}

// An include is a part of the model, also one that is not there yet; what is wrong with a file is said, and the next change is heard of.
func TestWatchIncludes(t *testing.T) {
	w := watchIn(t, map[string]string{"k.cl": "#include \"at.h\"\n" + strings.Replace(watchRight, "a[get_global_id(0)]", "a[AT]", 1)}, "-q", "k.cl")
	expectIn(t, w.next(), "at.h", "!verdict")
	w.write("at.h", "#define AT get_global_id(0)\n")
	expectIn(t, w.next(), "k.cl: verdict: verified")
	w.write("at.h", "#define AT 0\n")
	expectIn(t, w.next(), "violated (CL1001", "before: k.cl: verdict: verified")
	// as editors save: another file takes the name
	w.write("at.h~", "#define AT get_global_id(0)\n")
	if err := os.Rename("at.h~", "at.h"); err != nil {
		t.Fatal(err)
	}
	expectIn(t, w.next(), "k.cl: verdict: verified")
	w.write("at.h", "#define AT 0\n")
	w.next()
	if code := w.end(); code != exitViolation {
		t.Errorf("exit code %d", code)
	}
}

// A change ends a search that goes on; the result is that of the new text.
func TestWatchInterrupts(t *testing.T) {
	long := "//clmc:launch k global=6 local=1\nkernel void k(global atomic_int *a, global int *b) { for (int i = 0; i < 40; i++) b[get_global_id(0)] += 3 * atomic_exchange(&a[i % 3], i + get_global_id(0)); }\n"
	w := watchIn(t, map[string]string{"k.cl": long}, "-q", "k.cl")
	for !strings.Contains(w.out.text(), "exploring k.cl") {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	w.write("k.cl", watchRight)
	expectIn(t, w.next(), "k.cl: verdict: verified", "!inconclusive")
}

// Without a launch line launches are found; what is shipped does not change.
func TestWatchGuesses(t *testing.T) {
	w := watchIn(t, map[string]string{"k.cl": strings.SplitN(watchRight, "\n", 2)[1]}, "--format", "github", "k.cl")
	expectIn(t, w.next(), "k.cl: verdict: verified for")
	w.write("k.cl", strings.SplitN(watchWrong, "\n", 2)[1])
	expectIn(t, w.next(), "::error file=k.cl,line=1,col=", "title=CL1001 data race::")
	w.write("k.cl", "kernel void k(\n")
	expectIn(t, w.next(), "::error file=k.cl,line=", "title=not explored::")
	if code := w.end(); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
	if code := Main([]string{"watch", "@kernel_dot.cl"}, &heap{}, &heap{}); code != exitUsage {
		t.Errorf("exit code %d of what is shipped", code)
	}
}
