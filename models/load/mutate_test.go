package load

import (
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestMutations checks that models with a few tokens exchanged, most of which
// are wrong in some way, are either loaded or refused in order. CLMC_MUTATIONS
// sets how many are tried.
func TestMutations(t *testing.T) {
	rounds := 500
	if n, err := strconv.Atoi(os.Getenv("CLMC_MUTATIONS")); err == nil {
		rounds = n
	}
	var models [][]string
	for _, pattern := range []string{"testdata/refuse/*.txtar", "testdata/lower/*.txtar"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(text), "-- model.go --\n")
			src, _, _ := strings.Cut(rest, "\n-- ")
			models = append(models, tokens(src))
		}
	}
	corpus, err := os.ReadFile("corpus_test.go")
	if err != nil {
		t.Fatal(err)
	}
	all := tokens(strings.Replace(string(corpus), "package load", "package main", 1) + "\nfunc main() { caseStructs(); casePointers(); caseClosures(); caseArrays() }\n")
	for range 20 {
		models = append(models, all)
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	loaded := 0
	for range rounds {
		m := append([]string(nil), models[r.IntN(len(models))]...)
		for range 1 + r.IntN(3) {
			mutate(m, models[r.IntN(len(models))], r)
		}
		src := strings.Join(m, " ")
		_, err := Source("model.go", []byte(src), Options{})
		if err == nil {
			loaded++
		} else if strings.Contains(err.Error(), "internal error") {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
	}
	t.Logf("seed %d: %d of %d mutations loaded", seed, loaded, rounds)
}

// tokens splits a Go text into its tokens; line ends that matter become semicolons.
func tokens(src string) []string {
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", -1, len(src)), []byte(src), nil, 0)
	var list []string
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return list
		case tok == token.SEMICOLON:
			list = append(list, "\n")
		case lit != "":
			list = append(list, lit)
		default:
			list = append(list, tok.String())
		}
	}
}

// mutate changes one token of m: mostly to one of the same kind, which keeps
// the model close to the language; else to anything, or to nothing.
func mutate(m, other []string, r *rand.Rand) {
	if len(m) == 0 || len(other) == 0 {
		return
	}
	i := r.IntN(len(m))
	switch r.IntN(10) {
	case 0:
		m[i] = other[r.IntN(len(other))]
	case 1:
		m[i] = ""
	case 2:
		j := r.IntN(len(m))
		m[i], m[j] = m[j], m[i]
	default:
		for range 100 {
			if t := m[r.IntN(len(m))]; kindOfToken(t) == kindOfToken(m[i]) && t != m[i] {
				m[i] = t
				return
			}
		}
	}
}

func kindOfToken(t string) int {
	switch {
	case t == "" || t == "\n":
		return 0
	case token.IsIdentifier(t):
		return 1
	case t[0] >= '0' && t[0] <= '9':
		return 2
	case strings.Contains("+ - * / % & | ^ << >> &^ == != < <= > >= && || = := += -= *= ++ --", t):
		return 3
	}
	return 4
}
