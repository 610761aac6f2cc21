package clc_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
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
	const rounds = 40
	loaded := 0
	for i, text := range texts {
		for n := range rounds {
			seed := uint64(i*rounds + n)
			mutated := mutate(rand.New(rand.NewPCG(seed, 1)), text, texts)
			p, err := clc.Source("k.cl", []byte(mutated), clc.Options{})
			if err != nil {
				if strings.Contains(err.Error(), "this is a bug of clmc") { // package check has a test of its own
					t.Errorf("seed %d: %v\n%s", seed, err, mutated)
				}
				continue
			}
			loaded++
			if n%10 == 0 {
				explore.Run(context.Background(), p, explore.Options{MaxStates: 200})
			}
		}
	}
	if loaded < len(texts) {
		t.Errorf("%d mutated kernels were loaded, too few to tell anything", loaded)
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
