package check

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/testkit/busy"
	"github.com/clmc/clmc/internal/testkit/daily"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/clc/internal/tree"
)

var (
	inputs    = flag.Int("inputs", thorough.Of(500, 1000), "mutated kernels to try")
	inputSeed = flag.Uint64("input-seed", 0, "the first seed of the mutated kernels; 0: that of today")
)

// The guard of a single kernel.
const (
	guardTime   = 2 * time.Second
	guardMemory = 1 << 30
	slowMachine = 5 // how much longer it may take on a machine that does other work
)

// TestMutated parses kernels that are nearly right: with tokens moved, taken from other kernels or at some
// limit, or with bytes changed. Whatever it is given, Parse says what is wrong with a place or makes a unit that is as
// promised, in time and space.
func TestMutated(t *testing.T) {
	seed := *inputSeed
	if seed == 0 {
		seed = daily.Seed()
	}
	m := newMutator(t)
	good := 0
	for i := range uint64(*inputs) {
		r := rand.New(rand.NewPCG(seed+i, 0))
		if m.try(t, r) {
			good++
		}
		if t.Failed() {
			t.Fatalf("repeat it with -input-seed %d -inputs 1", seed+i)
		}
	}
	t.Logf("seed %d: %d of %d accepted", seed, good, *inputs)
	if *inputs >= 500 && (good < *inputs/25 || good > *inputs*9/10) {
		t.Error("what is tried has become too poor")
	}
}

// TestFinds parses what once made Parse misbehave.
func TestFinds(t *testing.T) {
	paths, err := filepath.Glob("testdata/finds/*.cl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no finds", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		guarded(t, string(text), tree.CL30)
	}
}

// mutator has the kernels that are changed.
type mutator struct {
	texts  []string
	tokens [][]string
}

func newMutator(t *testing.T) *mutator {
	m := &mutator{}
	for _, r := range readTable(t) {
		m.add(r.text)
		if r.ok { // what is right is worth more
			for range 5 {
				m.add(r.text)
			}
		}
	}
	paths, err := filepath.Glob("testdata/*.cl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) < 10000 {
			for range 20 {
				m.add(string(text))
			}
		}
	}
	return m
}

var lexeme = regexp.MustCompile(`[A-Za-z_]\w*|\d[\w.]*|\s+|"[^"\n]*"|//[^\n]*|[-+*/%&|^<>=!:#]+|.`)

func (m *mutator) add(text string) {
	m.texts = append(m.texts, text)
	m.tokens = append(m.tokens, lexeme.FindAllString(text, -1))
}

// odd are tokens that are at a limit of something.
var odd = []string{"0", "-1", "1<<31", "1<<63", "0xffffffffffffffff", "18446744073709551616", "1e400", "1e-400f", "0x1p99999f", "1.0h", "'\\x'", "'", "\"", "\\", "\x00", "\xff", "\u00e9",
	"#define F(x) F(x) x\n", "#define G G G\nG", "#include \"k.cl\"\n", "#if\n", "#if ((-(\n", "#endif\n", ") ( a [ 0 ] = 7 ; (", "__attribute__((packed, aligned(4), packed))", "__attribute__((vec_type_hint(int), packed))", "#line 7 \"x\"\n", "#line 4294967296\n", "??/\n", "/*", "*/", "//", "...", "->", "{", "}", "(", ")", "[", "]", ";", ",",
	"^", "^{", "^(int x){", "({", "})", "sizeof", "_Alignof(", "typedef", "struct", "union", "enum", "struct s", "void", "goto", "case", "default:", "switch", "_Generic(", "typeof(", "asm(", "static", "extern", "inline",
	"float4", "float3", "half", "bool", "size_t", "atomic_int", "event_t", "image2d_t", "sampler_t", "queue_t", "local", "global", "constant", "generic", "kernel", "read_only", "pipe",
	"__attribute__((packed))", "__attribute__((aligned(64)))", "__attribute__((ext_vector_type(4)))", "__attribute__((reqd_work_group_size(1,2,3)))", "__attribute__((overloadable))", ".xyzw", ".s0123456789abcdef", ".hi", ".odd",
	"__clc_deduced", "__clc_block", "__predefined_declarator", "__func__", "__LINE__", "__COUNTER__", "__VA_ARGS__", "defined(", "convert_int4_sat_rte(", "as_float(", "vload4(", "atomic_add(", "get_global_id(0)", "enqueue_kernel(", "printf(", "NULL"}

// try parses one mutated kernel, and reports whether it is accepted.
func (m *mutator) try(t *testing.T, r *rand.Rand) bool {
	text := m.bytes(r)
	if r.IntN(4) > 0 {
		text = m.splice(r)
	}
	std := []tree.Std{tree.CL30, tree.CL30, tree.CL20, tree.CL12}[r.IntN(4)]
	return guarded(t, text, std)
}

// splice changes a few tokens of one of the kernels into ones of any of them.
func (m *mutator) splice(r *rand.Rand) string {
	list := append([]string(nil), m.tokens[r.IntN(len(m.tokens))]...)
	for range 1 + r.IntN(3)*r.IntN(2) {
		if len(list) == 0 {
			break
		}
		i, other := r.IntN(len(list)), m.tokens[r.IntN(len(m.tokens))]
		switch r.IntN(10) {
		case 0:
			list = append(list[:i], list[i+1:]...)
		case 1:
			j := r.IntN(len(list))
			list[i], list[j] = list[j], list[i]
		case 2, 3:
			j := r.IntN(len(other))
			k := min(j+1+r.IntN(30), len(other))
			list = append(list[:i], append(append([]string(nil), other[j:k]...), list[i:]...)...)
		case 4:
			list[i] = odd[r.IntN(len(odd))]
		case 5:
			list = append(list[:i], append([]string{odd[r.IntN(len(odd))]}, list[i:]...)...)
		default: // one of its sort
			for range 100 {
				if w := other[r.IntN(len(other))]; w != list[i] && sort(w) == sort(list[i]) && sort(w) != 3 {
					list[i] = w
					break
				}
			}
		}
	}
	return strings.Join(list, "")
}

func sort(w string) int {
	switch c := w[0]; {
	case isWord(c) && (c < '0' || c > '9'):
		return 1
	case isWord(c):
		return 2
	case c == ' ' || c == '\n' || c == '\t':
		return 3
	}
	return 4
}

// bytes changes a few bytes.
func (m *mutator) bytes(r *rand.Rand) string {
	b := []byte(m.texts[r.IntN(len(m.texts))])
	for range 1 + r.IntN(4) {
		if len(b) == 0 {
			break
		}
		i := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b[i] = byte(r.IntN(256))
		case 1:
			b = append(b[:i], b[min(i+1+r.IntN(8), len(b)):]...)
		case 2:
			b = append(b[:i], append([]byte(odd[r.IntN(len(odd))]), b[i:]...)...)
		default:
			j := r.IntN(len(b))
			b[i], b[j] = b[j], b[i]
		}
	}
	return string(b)
}

// guarded parses a text under a guard, and reports whether it is accepted.
func guarded(t *testing.T, text string, std tree.Std) bool {
	t.Helper()
	before := heap()
	took := busy.Start()
	watch := time.AfterFunc(20*slowMachine*guardTime, func() {
		debug.SetTraceback("all")
		panic("it hangs on:\n" + text)
	})
	defer watch.Stop()
	defer func() {
		if e := recover(); e != nil {
			t.Errorf("panic %v\n%s\n%s", e, debug.Stack(), text)
		}
	}()
	u, _, err := Parse(Options{loud: true, Path: "k.cl", Source: []byte(text), Std: std, Read: func(string) ([]byte, error) { return nil, os.ErrNotExist }})
	if took.Over(slowMachine * guardTime) {
		t.Errorf("it takes %v:\n%s", took, text)
	}
	if after := heap(); after > before+guardMemory {
		t.Errorf("it takes %d MiB:\n%s", (after-before)>>20, text)
	}
	if err != nil {
		if strings.Contains(err.Error(), "internal error") || !strings.Contains(err.Error(), ": ") {
			t.Errorf("%v\n%s", err, text)
		}
		return false
	}
	verify(t, u)
	if t.Failed() {
		t.Log(text)
	}
	return true
}

// heap returns how much memory this process has asked for.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}
