package clc_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/testkit/busy"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

var (
	inputs    = flag.Int("inputs", thorough.Of(300, 1000), "mutated kernels to try")
	inputSeed = flag.Uint64("input-seed", 1, "the first seed of the mutated kernels")
	maxStates = flag.Int("input-states", 200, "states of a mutated kernel to explore")
)

// TestMutated loads kernels of testdata in which some words were exchanged, left out or said twice:
// what comes of it is a program or an error with a place, and no internal error.
func TestMutated(t *testing.T) {
	t.Parallel()
	var texts []string
	files, _ := filepath.Glob("testdata/kernels*.txtar")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(text).Files {
			texts = append(texts, string(f.Data))
		}
	}
	loaded := 0
	for n := range uint64(*inputs) {
		seed := *inputSeed + n
		r := rand.New(rand.NewPCG(seed, 1))
		mutated := mutate(r, texts[r.IntN(len(texts))], texts)
		took := busy.Start()
		p, err := clc.Source("k.cl", []byte(mutated), clc.Options{})
		if took.Over(20 * time.Second) { // ten times what is allowed
			t.Errorf("-input-seed %d: loading takes %v\n%s", seed, took, mutated)
		}
		if err != nil {
			if strings.Contains(err.Error(), "this is a bug of clmc") { // package check has a test of its own
				t.Errorf("-input-seed %d: %v\n%s", seed, err, mutated)
			}
			continue
		}
		loaded++
		explored(t, seed, p, mutated)
	}
	if t.Logf("%d of %d loaded", loaded, *inputs); loaded < *inputs/40 {
		t.Errorf("%d mutated kernels were loaded, too few to tell anything", loaded)
	}
}

// explored looks a little into what a mutated kernel can do.
func explored(t *testing.T, seed uint64, p *ir.Program, text string) {
	defer func() {
		if e := recover(); e != nil {
			t.Errorf("-input-seed %d: panic %v\n%s\n%s", seed, e, debug.Stack(), text)
		}
	}()
	took := busy.Start()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r := explore.Run(ctx, p, explore.Options{MaxStates: *maxStates})
	told(t, p, r)
	if took.Over(20 * time.Second) {
		t.Errorf("-input-seed %d: exploring takes %v\n%s", seed, took, text)
	}
}

// mutate changes a few words of a kernel, and now and then of its launch, or a few bytes.
func mutate(r *rand.Rand, text string, others []string) string {
	head, words := split(text)
	if r.IntN(8) == 0 {
		head = relaunched(r, head)
	}
	if r.IntN(16) == 0 {
		return head + bytesChanged(r, strings.Join(words, ""))
	}
	_, more := split(others[r.IntN(len(others))])
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(words)), r.IntN(len(words))
		switch r.IntN(8) {
		case 0:
			words[i], words[j] = words[j], words[i]
		case 1:
			words[i] = ""
		case 2:
			words[i] = more[r.IntN(len(more))]
		case 3:
			words[i] = []string{"0", "1", "-1", "float4", "int", "(int4)", "*", "&", "char", "0xffffffff", "unsigned", "long", "~", "!"}[r.IntN(14)]
		case 4:
			words = statement(r, words, i)
		default: // a word of the same kind, of this kernel or of another
			if r.IntN(3) == 0 {
				words[i] = ofOneKind(r, words[i], more)
			} else {
				words[i] = ofOneKind(r, words[i], words)
			}
		}
	}
	return head + strings.Join(words, "")
}

// statement leaves out the statement at an index, or says it once more at another place.
func statement(r *rand.Rand, words []string, at int) []string {
	end := func(from int) int { // of the statement
		for from < len(words) && words[from] != ";" && words[from] != "{" && words[from] != "}" {
			from++
		}
		return min(from+1, len(words))
	}
	from := end(at)
	to := end(from)
	switch copied := slices.Clone(words[from:to]); r.IntN(3) {
	case 0:
		return slices.Delete(words, from, to)
	case 1:
		return slices.Insert(words, to, copied...)
	default:
		return slices.Insert(words, end(r.IntN(len(words))), copied...)
	}
}

// ofOneKind picks a word that begins with the same kind of byte.
func ofOneKind(r *rand.Rand, word string, words []string) string {
	kind := func(s string) int {
		switch c := s[0]; {
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			return 0
		case c >= '0' && c <= '9':
			return 1
		case strings.IndexByte("+-*/%<>=&|^!", c) >= 0:
			return 2
		}
		return 3
	}
	if word == "" {
		return word
	}
	for range 20 {
		if w := words[r.IntN(len(words))]; w != "" && w != " " && kind(w) == kind(word) {
			return w
		}
	}
	return word
}

// relaunched changes a number or a word of the lines before a kernel.
func relaunched(r *rand.Rand, head string) string {
	words := strings.SplitAfter(head, " ")
	i := r.IntN(len(words))
	switch r.IntN(3) {
	case 0:
		words[i] = words[r.IntN(len(words))]
	case 1:
		words[i] = strings.NewReplacer("1", "3", "2", "1", "4", "8", "8", "5", "int", "float").Replace(words[i])
	case 2:
		words[i] = bytesChanged(r, words[i])
	}
	return strings.Join(words, "")
}

// bytesChanged writes another byte in some places.
func bytesChanged(r *rand.Rand, text string) string {
	const bytes = "()[]{};,.*&+-<>=!~^|/%#\"'\\0919axulf \x00\xff"
	b := []byte(text)
	for range 1 + r.IntN(3) {
		if len(b) > 0 {
			b[r.IntN(len(b))] = bytes[r.IntN(len(bytes))]
		}
	}
	return string(b)
}

// word matches a word of a kernel.
var word = regexp.MustCompile(`[A-Za-z_]\w*|[0-9][\w.]*|"(?:\\.|[^"\\\n])*"|(?:<<|>>|[-+*/%&|^<>=!])=|&&|\|\||\+\+|--|->|<<|>>|\s+|.`)

// split parts a kernel into its comments and directives, and its words.
func split(text string) (head string, words []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") {
			head += line
			continue
		}
		words = append(words, word.FindAllString(line, -1)...)
	}
	return head, words
}
