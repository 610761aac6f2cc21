package main

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/cmd/clmc/internal/cli"
	"github.com/clmc/clmc/internal/testkit/busy"
	"github.com/clmc/clmc/internal/testkit/daily"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/shipped"
)

var (
	inputs    = flag.Int("inputs", thorough.Of(150, 1500), "hostile inputs to try")
	inputSeed = flag.Uint64("input-seed", 0, "the first seed of the hostile inputs; 0: that of today")
)

// The guard of a single input: what it may take beyond the limits that are given on the
// command line. On a machine that does other work as well anything may be late, so that an
// input takes too long only if the process has had as much of the processors too.
const (
	guardTime   = 10 * time.Second
	guardMemory = 1 << 30
)

// TestHostileInputs runs the whole command, in this process, on models, kernels, litmus tests, lists and
// traces that are nearly right: spliced from tokens of right ones, made by a grammar, or with
// bytes changed. Whatever it is given, it must say what is wrong or explore it within the
// limits, and print nothing that a terminal would obey. What was found so is in testdata/hostile.
func TestHostileInputs(t *testing.T) {
	seed := *inputSeed
	if seed == 0 {
		seed = daily.Seed()
	}
	h := newHostile(t)
	for i := range uint64(*inputs) {
		h.try(rand.New(rand.NewPCG(seed+i, 0)), seed+i)
		if t.Failed() {
			t.Fatalf("repeat it with -input-seed %d -inputs 1", seed+i)
		}
	}
	t.Logf("seed %d: %d inputs, exit codes %v; %v, of which are read to their end: %v", seed, *inputs, h.codes, h.made, h.whole)
	for _, name := range []string{"kernel.cl", "list.yaml"} {
		if n, whole := h.made[name], h.whole[name]; n >= 20 && 2*whole < n {
			t.Errorf("only %d of %d files %s are read to their end: nothing else is tried", whole, n, name)
		}
	}
	for code, n := range map[int]int{0: 200, 1: 200, 2: 20, 3: 500} { // one in so many at least has that exit code
		if *inputs >= 5*n && h.codes[code] < *inputs/n {
			t.Errorf("only %d of %d inputs had exit code %d: what is tried has become too poor", h.codes[code], *inputs, code)
		}
	}
}

// TestHostileFinds runs the inputs that once made clmc misbehave. The first line of each has the
// arguments, after a comment sign; the input itself is FILE.
func TestHostileFinds(t *testing.T) {
	paths, err := filepath.Glob("testdata/hostile/*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no finds", err)
	}
	h := newBare(t)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		_, args, ok := strings.Cut(first, "clmc ")
		if !ok {
			t.Fatalf("%s: the first line has no arguments", path)
		}
		h.run(strings.Fields(strings.ReplaceAll(args, "FILE", path)), path)
	}
}

// hostile makes inputs and sees what becomes of them.
type hostile struct {
	t     *testing.T
	dir   string
	kinds []kind
	codes map[int]int
	made  map[string]int // inputs of each name,
	whole map[string]int // and those that are read to their end
	hub   func() *pasture
}

// kind is a sort of input: what the file is called, how one is made, and which commands it is
// for, with FILE in the place of its name.
type kind struct {
	weight   int
	name     string
	make     func(r *rand.Rand) string
	commands []string
	// whole, if there is one, tells whether an input is read to its end.
	whole func(path string, text []byte) bool
}

// newBare returns one that makes no inputs itself, for those that are there.
func newBare(t *testing.T) *hostile {
	return &hostile{t: t, dir: t.TempDir(), codes: map[int]int{}, made: map[string]int{}, whole: map[string]int{}}
}

func newHostile(t *testing.T) *hostile {
	h := newBare(t)
	h.hub = sync.OnceValue(func() *pasture { return newPasture(t) })
	var sources, tests [][]string
	for _, m := range shipped.All() {
		if m.IsKernel() {
			continue
		}
		sources = append(sources, split(m.Source[strings.Index(m.Source, "\npackage main")+1:]))
	}
	for _, text := range h.corpus() {
		tests = append(tests, split(text))
	}
	kernels := h.kernels()
	sound := filepath.Join(h.dir, "sound.cl")
	if err := os.WriteFile(sound, []byte(sumKernel), 0o600); err != nil {
		t.Fatal(err)
	}
	sim := sound + simulator
	lists := [][]string{split(list)}
	trace := h.trace()
	explore := []string{"explore FILE", "explore --all --por none FILE", "explore --por sleep --spec 2.0 FILE",
		"explore --promises 0 --workers 2 FILE", "explore --symmetry=false --spec popl16 --format json FILE", "explore --all --graph OUT.svg --trace OUT.json FILE",
		"explore --no-cache FILE", "explore --exact --spec 3.1 --graph OUT.dot FILE", "explore --store OUT.store FILE",
		"explore --liveness all FILE", "explore --liveness gpu --require liveness=gpu --trace OUT.json FILE", "explore --liveness all --fairness strong --format json FILE",
		"optimise FILE", "optimise --from strongest --patch OUT.patch FILE", "optimise --fast --write FILE", "optimise --check --format json FILE",
		"repair FILE", "repair --format json FILE", "repair --write FILE"}
	onKernels := append([]string{"test FILE", "simulate --runs 20 FILE", "explore --global 4 --local 2 FILE", "explore --keep-values --html OUT.html FILE", "prove FILE",
		"prove --any-size --format json FILE", "prove --local 4 --groups 2 FILE", "init --force FILE", "explore --launches 3 FILE", "explore --strict --format json FILE", "FILE",
		"optimise --config '--global 4 --local 2' FILE", "repair --global 4 --local 2 --patch OUT.patch FILE"}, explore...)
	onTests := append([]string{"litmus FILE", "litmus --expect --format json FILE", "litmus --liveness all FILE", "litmus --specs all FILE", "litmus --why FILE",
		"litmus --emit OUT.emit FILE", "litmus --emit OUT.emit --mapping c11 FILE", "litmus --emit OUT.emit --mapping legacy FILE", "litmus --emit OUT.emit --mapping ptx FILE"}, explore...)
	onLists := []string{"run -q --budget 100ms FILE", "run -q --budget 100ms --format json FILE"}
	right := slices.DeleteFunc(slices.Clone(kernels), func(k []string) bool { return !isKernelFile("kernel.cl", []byte(strings.Join(k, ""))) })
	bare := make([][]string, len(right)) // as nobody says how they are launched
	for i, k := range right {
		bare[i] = slices.DeleteFunc(slices.Clone(k), func(w string) bool { return strings.HasPrefix(w, "//clmc:launch") })
	}
	late := make([][]string, len(right)) // with buffers that hold anything
	for i, k := range right {
		late[i] = split(filled.ReplaceAllString(strings.Join(k, ""), "=any$1"))
	}
	costs := h.costs()
	const notes = "capture --layer FILE -o OUT.capture --contents --time-limit 1s --mem 2GiB -- sh -c 'cp \"$0\" \"$CLMC_CAPTURE_DIR/00.log\"' FILE"
	onNotes := []string{notes, strings.Replace(notes, "--contents", "--scale 4", 1)}
	h.kinds = []kind{
		{2, "kernel.cl", func(r *rand.Rand) string { return careful(r, late) }, slices.Concat(onKernels, []string{"explore --any-width 3 FILE", "explore --all --any-width 2 FILE"}), isKernelFile},
		{1, "table.cost", func(r *rand.Rand) string { return splice(r, costs) }, []string{"optimise --cost FILE @sb_relaxed"}, nil},
		{1, "notes.log", func(r *rand.Rand) string { return splice(r, [][]string{split(applicationNotes)}) }, onNotes, nil},
		{1, "notes.log", func(r *rand.Rand) string { return bytesOf(r, applicationNotes) }, onNotes, nil},
		{4, "model.go", func(r *rand.Rand) string { return splice(r, sources) }, explore, nil},
		{8, "model.go", func(r *rand.Rand) string { return newGrammar(r).model() }, explore, nil},
		{1, "model.go", func(r *rand.Rand) string { return bytesOf(r, strings.Join(sources[r.IntN(len(sources))], "")) }, explore, nil},
		{4, "test.litmus", func(r *rand.Rand) string { return splice(r, tests) }, onTests, nil},
		{3, "kernel.cl", func(r *rand.Rand) string { return splice(r, kernels) }, onKernels, isKernelFile},
		{5, "kernel.cl", func(r *rand.Rand) string { return careful(r, right) }, onKernels, isKernelFile},
		{2, "kernel.cl", func(r *rand.Rand) string { return careful(r, bare) }, onKernels, isKernelFile},
		{5, "kernel.cl", func(r *rand.Rand) string { return newGrammar(r).kernelFile() }, onKernels, isKernelFile},
		{1, "kernel.cl", func(r *rand.Rand) string { return bytesOf(r, strings.Join(kernels[r.IntN(len(kernels))], "")) }, onKernels, isKernelFile},
		{1, "kernel.sim", func(r *rand.Rand) string { return splice(r, [][]string{split(sim)}) }, []string{"explore FILE", "simulate --runs 20 FILE"}, nil},
		{1, "kernel.sim", func(r *rand.Rand) string { return bytesOf(r, sim) }, []string{"explore FILE"}, nil},
		{3, "list.yaml", func(r *rand.Rand) string { return newGrammar(r).list() }, onLists, isList},
		{1, "list.yaml", func(r *rand.Rand) string { return splice(r, lists) }, onLists, isList},
		{1, "list.yaml", func(r *rand.Rand) string { return bytesOf(r, list) }, onLists, isList},
		{1, "trace.json", func(r *rand.Rand) string { return bytesOf(r, trace) }, []string{"replay FILE", "replay --format json FILE", "replay --graph OUT.svg FILE"}, nil},
		{1, "job.json", func(r *rand.Rand) string { return h.hub().description(r) }, []string{"worker --until-idle --workers 1 --cluster URL"}, nil},
		{1, "trace.json", func(r *rand.Rand) string { return splice(r, [][]string{split(trace)}) }, []string{"replay FILE"}, nil},
	}
	return h
}

// simulator is a file of Oclgrind's about sumKernel, behind the kernels' file name.
const simulator = `
sum
4 1 1
2 1 1
<size=16 range=0:1:3 dump>
<size=4 fill=0 int>
<size=4>
4
`

const sumKernel = `kernel void sum(global const int *a, global atomic_int *out, int n) {
	int i = get_global_id(0);
	if (i < n) atomic_fetch_add(out, a[i]);
}
`

// filled is a buffer of a launch line, and what it holds.
var filled = regexp.MustCompile(`=(?:zero|int|uint)(\[\d+\])(?:\{[^}]*\})?`)

// applicationNotes are what the layer of clmc capture notes of an application.
const applicationNotes = `{"t":"process","pid":1,"cwd":"/"}
{"t":"program","n":1,"made":"source","cut":false,"options":"-DWG=4 -I include -cl-std=CL2.0","text":"kernel void sum(global const int *a, global int *out, int n, local float4 *t, float2 v) { if (get_global_id(0) < n) out[WG] = a[0]; }","inputs":[],"headers":[]}
{"t":"program","n":2,"made":"linked","options":"","text":"","inputs":[1],"headers":[{"n":1,"name":"a.h"}]}
{"t":"launch","program":1,"queue":9,"outoforder":false,"kernel":"sum","global":[64,2],"local":[4,1],"offset":[0,0],"args":[{"size":8,"mem":3,"bytes":256,"flags":4,"content":"0000c03f000000c0"},{"size":8,"mem":4,"bytes":256,"sub":true,"origin":16,"writer":"init"},{"size":4,"value":"40000000"},{"size":64,"null":true},{"size":8,"value":"0000c03f000000c0"}]}
{"t":"launch","program":2,"queue":8,"outoforder":true,"kernel":"sum","global":[64],"local":null,"offset":null,"args":[{"size":8,"svm":true},{"size":8,"mem":4,"bytes":256},{"unset":true},{"size":64,"null":true},{"size":8,"image":[2,8,8,1]}]}
{"t":"limit","what":"too many objects","name":""}
`

// costs are tables of costs, for clmc optimise.
func (h *hostile) costs() (texts [][]string) {
	paths, err := filepath.Glob("../../internal/optimise/cost/*.yaml")
	if err != nil || len(paths) == 0 {
		h.t.Fatal("no tables", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			h.t.Fatal(err)
		}
		texts = append(texts, split(string(text)))
	}
	return texts
}

// list is a list of checks that has all that lists can have.
const list = `budget: 300ms
store: list.store
keep: 720h
defaults: {spec: "3.0", max-states: 100}
checks:
  - model: "@kernel_dot"
    define: {n: 2}
  - model: "@mp_relaxed"
    expect: [CL1001]
    all: true
    por: sleep
    promises: 1
    time-limit: 100ms
  - model: "@sb_relaxed"
    expect: verified
`

// corpus returns litmus tests of all families.
func (h *hostile) corpus() (texts []string) {
	paths, err := filepath.Glob("../../models/litmus/testdata/corpus/*.txt")
	if err != nil || len(paths) == 0 {
		h.t.Fatal("no corpus", err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			h.t.Fatal(err)
		}
		for i, text := range strings.Split(string(b), "\n=== ") {
			if _, text, ok := strings.Cut(text, "\n"); ok && i%8 == 0 {
				text, _, _ = strings.Cut(text, "\n--- ") // its verdicts
				texts = append(texts, text+"\n")
			}
		}
	}
	return texts
}

// kernels returns kernel files that say how they are launched.
func (h *hostile) kernels() (texts [][]string) {
	paths, err := filepath.Glob("../../models/clc/testdata/kernels*.txtar")
	if err != nil || len(paths) == 0 {
		h.t.Fatal("no kernels", err)
	}
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, f := range a.Files {
			texts = append(texts, split(string(f.Data)))
		}
	}
	return texts
}

// trace returns a trace that was kept.
func (h *hostile) trace() string {
	file := filepath.Join(h.dir, "kept.json")
	if code := cli.Main([]string{"explore", "-q", "--trace", file, "@kernel_dot_wrongflag"}, &bytes.Buffer{}, &bytes.Buffer{}); code != 1 {
		h.t.Fatalf("exit code %d", code)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

// kind draws one by their weights.
func (h *hostile) kind(r *rand.Rand) kind {
	sum := 0
	for _, k := range h.kinds {
		sum += k.weight
	}
	at := r.IntN(sum)
	for _, k := range h.kinds {
		if at -= k.weight; at < 0 {
			return k
		}
	}
	panic("weights do not add up")
}

// try makes an input and gives it to a command for which it is meant.
func (h *hostile) try(r *rand.Rand, seed uint64) {
	k := h.kind(r)
	file := filepath.Join(h.dir, k.name)
	text := k.make(r)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	if h.made[k.name]++; k.whole != nil && k.whole(file, []byte(text)) {
		h.whole[k.name]++
	}
	out := filepath.Join(h.dir, "out")
	command := strings.NewReplacer("FILE", file, "OUT", out).Replace(k.commands[r.IntN(len(k.commands))])
	args := words(command)
	switch args[0] {
	case "explore", "litmus", file:
		args = append(args, "--time-limit", "100ms", "--max-states", "500")
	case "simulate", "test":
		args = append(args, "-q", "--time-limit", "100ms")
	case "prove", "optimise", "repair":
		args = append(args, "--time-limit", "100ms", "--mem", "2GiB")
	case "worker":
		at := h.hub()
		remove, err := at.submit(h.t, "job", []byte(text))
		if err != nil {
			return // the hub does not take it
		}
		defer remove()
		args = append(args[:len(args)-1], at.url, "--time-limit", "100ms", "--mem", "2GiB", "--progress", "never")
	}
	if args[0] == "explore" || args[0] == file { // seldom less than what this process keeps itself, as that has it collect garbage all the time
		mem := "2GiB"
		if r.IntN(64) == 0 {
			mem = "32MiB"
		}
		args = append(args, "-q", "--mem", mem)
	}
	h.run(args, fmt.Sprintf("seed %d", seed))
	for _, left := range []string{out + ".store", out + ".emit", out + ".capture", filepath.Join(h.dir, "list.store")} {
		err := os.RemoveAll(left)
		for began := time.Now(); err != nil && time.Since(began) < time.Minute; err = os.RemoveAll(left) {
			time.Sleep(10 * time.Millisecond) // what was left while it opened a store may still write there
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
	if h.t.Failed() {
		h.t.Logf("%s:\n%s", k.name, text)
	}
}

// words splits a command at spaces, but for those between single quotes.
func words(command string) (list []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.Fields(part)...)
	}
	return list
}

// control are the bytes that a terminal may obey; line ends and tabs are printed.
var control = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f]|\u009b|[\u202a-\u202e\u2066-\u2069]")

// run runs a command and sees that it behaves.
func (h *hostile) run(args []string, what string) {
	debug.SetMemoryLimit(math.MaxInt64) // which --mem only lowers
	before := heap()
	done := make(chan struct{})
	var out, messages bytes.Buffer
	took := busy.Start()
	watch := time.AfterFunc(6*guardTime, func() { // it hangs: the test ends with all stacks
		debug.SetTraceback("all")
		panic(fmt.Sprintf("%s: %q is still running after %v", what, args, 6*guardTime))
	})
	code := cli.Main(args, &out, &messages)
	watch.Stop()
	close(done)
	h.codes[code]++
	text := out.String() + messages.String()
	switch {
	case code < 0 || code > 3 || strings.Contains(text, "internal error"):
		h.t.Errorf("%s: %q exits with %d\n%.4000s", what, args, code, text)
	case code == 2 && len(text) == 0:
		h.t.Errorf("%s: %q exits with 2 and says nothing", what, args)
	case took.Over(guardTime):
		h.t.Errorf("%s: %q takes %v", what, args, took)
	case heap() > before+guardMemory:
		h.t.Errorf("%s: %q takes %d MiB", what, args, (heap()-before)>>20)
	}
	if at := control.FindStringIndex(text); at != nil && !strings.Contains(strings.Join(args, " "), "json") {
		h.t.Errorf("%s: %q prints %q", what, args, text[max(at[0]-40, 0):min(at[1]+40, len(text))])
	}
}

// heap returns how much memory this process has asked for.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}

var word = regexp.MustCompile(`[A-Za-z_]\w*|\d+|\s+|"[^"\n]*"|//[^\n]*|[-+*/%&|^<>=!:]+|.`)

// split returns the tokens of a text, with what stands between them.
func split(text string) []string { return word.FindAllString(text, -1) }

// splice changes a few tokens of one of the texts into ones of any of them.
func splice(r *rand.Rand, texts [][]string) string {
	list := append([]string(nil), texts[r.IntN(len(texts))]...)
	for range 1 + r.IntN(2)*r.IntN(3) {
		if len(list) == 0 {
			break
		}
		i, other := r.IntN(len(list)), texts[r.IntN(len(texts))]
		switch r.IntN(9) {
		case 0:
			list = append(list[:i], list[i+1:]...)
		case 1:
			j := r.IntN(len(list))
			list[i], list[j] = list[j], list[i]
		case 2: // a stretch of another one
			j := r.IntN(len(other))
			k := min(j+1+r.IntN(30), len(other))
			list = append(list[:i], append(append([]string(nil), other[j:k]...), list[i:]...)...)
		case 3:
			list[i] = odd[r.IntN(len(odd))]
		default: // one of its sort
			for range 200 {
				if w := other[r.IntN(len(other))]; w != list[i] && sort(w) == sort(list[i]) && sort(w) != 3 && sort(w) != 5 {
					list[i] = w
					break
				}
			}
		}
	}
	return strings.Join(list, "")
}

// odd are words that are at a limit of something.
var odd = []string{"0", "-1", "1", "64", "65", "255", "256", "65536", "1<<31", "1<<63", "9223372036854775807", "-9223372036854775808", "0x7fffffff", "1e400", "nil",
	"\x1b[31m", "\x00", "\xff", "\u202e", "\u009b1m", "é", "{", "}", "(", ")", "&", "*", "_", "...", "true", "~", "!!binary x", "1h", "-1s", "99999999h", "null", "[]", "{}"}

func sort(w string) int {
	switch c := w[0]; {
	case c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
		return 1
	case c >= '0' && c <= '9':
		return 2
	case c == ' ' || c == '\n' || c == '\t':
		return 3
	case c == '"':
		return 4
	}
	return 5
}

// bytesOf changes a few bytes.
func bytesOf(r *rand.Rand, text string) string {
	b := []byte(text)
	for range 1 + r.IntN(5) {
		i := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b[i] = byte(r.IntN(256))
		case 1:
			b = append(b[:i], b[min(i+1+r.IntN(8), len(b)):]...)
		case 2:
			b = append(b[:i], append([]byte(odd[r.IntN(len(odd))]), b[i:]...)...)
		default:
			if b[i] >= '0' && b[i] <= '9' {
				b[i] = byte('0' + r.IntN(10))
			}
		}
		if len(b) == 0 {
			break
		}
	}
	return string(b)
}

// A launch that is found is tried again with longer buffers, and given up at any moment.
func TestGuessesCutShort(t *testing.T) {
	h := newBare(t)
	for limit := 10; limit <= 150; limit += thorough.Of(60, 20) {
		for _, name := range []string{"guess_that_grows.cl", "way_out_too_long_to_repeat.cl"} {
			h.run([]string{"explore", "-q", "--format", "json", "--max-states", "500", "--time-limit", fmt.Sprintf("%dms", limit), "testdata/hostile/" + name}, name)
		}
	}
}
