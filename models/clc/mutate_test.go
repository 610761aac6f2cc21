package clc_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

var (
	inputs    = flag.Int("inputs", 1000, "mutated kernels to try")
	inputSeed = flag.Uint64("input-seed", 1, "the first seed of the mutated kernels")
)

// TestMutated loads kernels of testdata in which some words were exchanged, left out or said twice:
// what comes of it is a program or an error with a place, and no internal error.
func TestMutated(t *testing.T) {
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
		begin := time.Now()
		p, err := clc.Source("k.cl", []byte(mutated), clc.Options{})
		if took := time.Since(begin); took > 20*time.Second { // ten times what is allowed, for machines that do other work
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
	begin := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	explore.Run(ctx, p, explore.Options{MaxStates: 200})
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("-input-seed %d: exploring takes %v\n%s", seed, took, text)
	}
}

// mutate changes a few words of a kernel; lines of comments stay, the launch among them.
func mutate(r *rand.Rand, text string, others []string) string {
	head, words := split(text)
	_, more := split(others[r.IntN(len(others))])
	for range 1 + r.IntN(2) {
		i, j := r.IntN(len(words)), r.IntN(len(words))
		switch r.IntN(5) {
		case 0:
			words[i], words[j] = words[j], words[i]
		case 1:
			words[i] = words[j]
		case 2:
			words[i] = ""
		case 3:
			words[i] = more[r.IntN(len(more))]
		case 4:
			words[i] = []string{"0", "1", "-1", "float4", "int", "(int4)", "*", "&", "char", "0xffffffff", "unsigned", "long", "~", "!"}[r.IntN(14)]
		}
	}
	return head + strings.Join(words, " ")
}

// split parts a kernel into its comments and its words.
func split(text string) (head string, words []string) {
	spaced := strings.NewReplacer("(", " ( ", ")", " ) ", ";", " ; ", ",", " , ", "[", " [ ", "]", " ] ")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") {
			head += line
			continue
		}
		words = append(words, strings.Fields(spaced.Replace(line))...)
	}
	return head, words
}
