package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestGuessesWeighed explores small kernels with launches that are found. What comes first in the verdict is derived in the comment of each: whether some launch that the
// text of the kernel allows goes wrong, or only one that the guess has made.
func TestGuessesWeighed(t *testing.T) {
	const row = `kernel void k(global float *o, global const float *in, int w) { int x = get_global_id(0), y = get_global_id(1); int c = y*w + x; `
	const lid = `kernel void k(global int *o, local int *t, int n) { int l = get_local_id(0), i = get_global_id(0); `
	const count = `kernel void k(volatile local int *t, global const int *in, int n) { int i = get_global_id(0), data = in[i]; t[get_local_id(0)] = 0; 
barrier(CLK_LOCAL_MEM_FENCE);
`
	for name, c := range map[string]struct{ text, want string }{
		// A row that ends where x is w - 1 has w work-items: with fewer elements than work-items rows would overlap.
		"the last of a row": {row + `o[c] = x == w - 1 ? in[c] : in[c+1]; }`, "verified"},
		"not the last":      {row + `if (x != w - 1) o[c] = in[c+1]; }`, "verified"},
		// The same with a guard is for more work-items than elements; and two work-items of each row write the same place, however long it is.
		"a guard":          {row + `if (x < w) o[c] = in[c]; }`, "verified"},
		"two in one place": {row + `o[y*w + x/2] = x == w - 1; }`, "violated (CL1001"},
		// The first and the last write the same.
		"both ends": {`kernel void k(global int *o, int n) { int i = get_global_id(0); if (i == n-1 || i == 0) *o = i; }`, "violated (CL1001"},
		// Work-items beyond n leave before the barrier: if n is the local size, or more, there are none.
		"a bound of local ids": {lid + `if (l >= n) return; t[l] = l; 
barrier(CLK_LOCAL_MEM_FENCE);
 o[i] = t[l ^ 1]; }`, "inconclusive: violated (CL1003"},
		// A bound of global ids is there because there are more work-items than that.
		"a bound of global ids": {lid + `if (i >= n) return; t[l] = l; 
barrier(CLK_LOCAL_MEM_FENCE);
 o[i] = t[0]; }`, "violated (CL1003"},
		// A place is written until it holds what has been written: so others write it, whatever the content is that says which it is.
		"written again": {count + `do t[data] = i; while (t[data] != i); }`, "violated (CL1001"},
		"at a distance": {count + `uint c; do { c = t[data + 1] + 1; t[data + 1] = c; } while (c != t[data + 1]); }`, "violated (CL1001"},
		"in a function": {`void put(volatile local int *t, int at, int v) { do { t[at] = v; } while (t[at] != v); }
` + count + `put(t, data, i); }`, "violated (CL1001"},
		// Written once, it may be a place for each; so may one that is looked at elsewhere, or for another value, or for more than what has been written.
		"written once":  {count + `t[data] = i; }`, "inconclusive: violated (CL1001"},
		"another place": {count + `do t[data] = data; while (in[i] != data); }`, "inconclusive: violated (CL1001"},
		"another value": {count + `do t[data] = i; while (t[data] != t[data]); }`, "inconclusive: violated (CL1001"},
		"for more":      {count + `do t[data] = i; while (t[data] > i); }`, "inconclusive: violated (CL1001"},
		// With a number in the place of n, or a content, or a size, it is wrong whatever scalars are given.
		"a number": {lid + `if (l >= 2) return; t[l] = n; 
barrier(CLK_LOCAL_MEM_FENCE);
 o[i] = t[l ^ 1]; }`, "violated (CL1003"},
		"a content that stops": {`kernel void k(global int *o, global const int *stop, int n) { int i = get_global_id(0); if (stop[i]) return;
barrier(CLK_LOCAL_MEM_FENCE);
if (i == n - 1) o[i] = 1; }`, "violated (CL1003"},
		"a content": {`kernel void k(global int *o, global const int *on, int n) { int i = get_global_id(0); if (on[i] > n) 
barrier(CLK_LOCAL_MEM_FENCE);
 o[i] = n; }`, "violated (CL1003"},
		"a size": {lid + `if (l < get_local_size(0) - 1) { t[l] = n; 
barrier(CLK_LOCAL_MEM_FENCE);
 } o[i] = 1; }`, "violated (CL1003"},
	} {
		if got := guessedVerdict(t, c.text); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// guessedVerdict explores a kernel with launches that are found, and returns the verdict.
func guessedVerdict(t *testing.T, text string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "k.cl")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	Main(append(append(withoutProof[:len(withoutProof):len(withoutProof)], flags...), path), &stdout, &stderr)
	m := regexp.MustCompile(`(?m)^.*: verdict: (.*)$`).FindSubmatch(stdout.Bytes())
	if m == nil {
		return stderr.String()
	}
	return string(m[1])
}

func TestMutantsApply(t *testing.T) { mutant.Apply(t, mutants) }

// TestMutants breaks how launches that are guessed are weighed.
func TestMutants(t *testing.T) {
	mutant.Try(t, mutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		return m.Survives(t, "-run", "^(TestGuess(esWeighed|edMacros|esTakeTurns|esLeft|esSettled)|TestProofsMakeLaunchesNeedless|TestRowsRevised)$", ".")
	})
}

var mutants = mutant.List([][5]string{
	{"a work-item that is told to be the last has none beyond it", "models/clc/guess.go",
		"					value = max(value, global[d])\n", ""},
	{"a divergence that a scalar makes hangs on the guess", "cmd/clmc/internal/cli/guessweigh.go",
		"			places = append(places, v.Line)\n", ""},
	{"a divergence that a bound of global ids makes counts", "cmd/clmc/internal/cli/guessweigh.go",
		"v.Kind == state.BarrierDivergence && c.guess.Fits()", "v.Kind == state.BarrierDivergence"},
	{"a divergence that a content makes counts", "cmd/clmc/internal/cli/guessweigh.go",
		"		d.guess.SameContent(c.guess) && d.cameTo(v.Line)\n", "		d.cameTo(v.Line)\n"},
	{"what goes wrong with a number that was guessed hangs on it", "cmd/clmc/internal/cli/guessmacros.go",
		"			y.sized = x.sized || ", "			y.sized = x.sized && "},
	{"what is left of the time goes round", "cmd/clmc/internal/cli/guess.go",
		"	for again := limited; again ", "	for again := limited && false; again "},
	{"what was not explored for want of time has a verdict", "cmd/clmc/internal/cli/guesstell.go",
		"c.err == nil || errors.Is(c.err, guard.ErrLeft) }", "c.err == nil || errors.Is(c.err, guard.ErrLeft) && false }"},
	{"a race that happens with each number is told in full", "cmd/clmc/internal/cli/guesssettle.go",
		"		if c.settled = with; len(with) > 0 {\n", "		if with = nil; len(with) > 0 {\n"},
	{"a race is looked for with each other number", "cmd/clmc/internal/cli/guesssettle.go",
		"		if d.racesAt(ctx) != at {\n", "		if d.racesAt(ctx) != at && len(with) > 0 {\n"},
	{"another number leaves room for rows", "cmd/clmc/internal/cli/guesssettle.go",
		"others := []int64{8, 16 << (2 * (len(macros) + len(scalars)))}", "others := []int64{8, 16}"},
	{"a race elsewhere is another one", "cmd/clmc/internal/cli/guesssettle.go",
		"d.racesAt(ctx) != at {", "d.racesAt(ctx) == \"\" {"},
	{"a number of a host has a name like a macro", "models/clc/internal/check/expr.go",
		"	if meant == \"\" && define(name) != \"\" {\n", "	if meant == \"\" {\n"},
	{"a name like another is a mistake", "models/clc/internal/check/expr.go",
		"	if meant == \"\" && define(name) != \"\" {\n", "	if define(name) != \"\" {\n"},
	{"a type may be an integer", "cmd/clmc/internal/cli/guessmacros.go",
		"[]string{\"float\", \"int\"}", "[]string{\"float\"}"},
	{"a vector has as many elements as its name says", "models/clc/guess.go",
		"element + vectorName.FindString(d.Lacks)", "element"},
	{"nobody knows what a macro does that is called", "cmd/clmc/internal/cli/guesssettle.go",
		"strings.Contains(m, \")=\")", "strings.Contains(m, \")==\")"},
	{"a macro that is called stands for its first argument", "models/clc/guess.go",
		"			value = \"(a1)\"\n", ""},
	{"what a file refuses to be compiled without is looked for", "models/clc/guess.go",
		"Source: errorLine.ReplaceAll(text, nil)", "Source: text"},
	{"a kernel may be hidden by a condition", "models/clc/guess.go",
		"			return nil, noKernel{l.found}\n", "			return nil, l.found\n"},
	{"one flag or another stops an #error", "cmd/clmc/internal/cli/guessmacros.go",
		"errors.Is(err, clc.ErrNoKernel) || clc.Refuses(text)", "errors.Is(err, clc.ErrNoKernel)"},
	{"rows that overlap become longer", "cmd/clmc/internal/cli/guessrevise.go",
		"		if open[kernel] = helped < 0; helped >= 0 {\n", "		if open[kernel] = true; helped >= 0 {\n"},
	{"longer rows do no less", "cmd/clmc/internal/cli/guessrevise.go",
		"		if now[at] < n {\n", "		if now[at] < n && false {\n"},
	{"each work-item counts that comes to a line", "models/clc/guesslengths.go",
		"	r.comers[at][u] = true\n", "	r.comers[at][nil] = true\n"},
	{"longer rows are verified", "cmd/clmc/internal/cli/guessrevise.go",
		"d.rep == nil || d.r.Verdict != explore.Verified ||", "d.r == nil ||"},
	{"a part of a distance is one", "models/clc/guessproducts.go",
		"	if v := r.scaled(x); v != nil && !number {", "	if v := r.param(x); v != nil && !number {"},
	{"what is added is no distance of rows", "models/clc/guess.go",
		"func(name string) bool { return !g.spacing[name] })", "func(name string) bool { return false })"},
	{"who writes again expects others", "cmd/clmc/internal/cli/guessweigh.go",
		"!c.expected(v) && slices.", "slices."},
	{"a place that is written again is the one that is looked at", "models/clc/guessretry.go",
		"samePlace(a.L, place) && ", ""},
	{"what is looked for is what has been written", "models/clc/guessretry.go",
		"samePlace(bare(a.R), value)", "samePlace(value, value)"},
	{"it is looked for while it is not there", "models/clc/guessretry.go",
		"!ok || c.Op != tree.Ne", "!ok"},
	{"a launch is needless where there is a proof", "cmd/clmc/internal/cli/guessproof.go",
		"	if proofOf(g.Options.Kernel, list) == nil || g.Divides() {\n", "	if len(list) == 0 {\n"},
	{"a launch of a kernel that divides is needed", "cmd/clmc/internal/cli/guessproof.go",
		"== nil || g.Divides() {\n", "== nil {\n"},
	{"a proof needs launches that come to each line", "cmd/clmc/internal/cli/guessproof.go",
		"	return like && len(never.ran) == 0 && ", "	return like && "},
	{"a proof needs a launch that leaves work-items out", "cmd/clmc/internal/cli/guessproof.go",
		"return g.Fits() || !c.guess.Fits() })", "return true })"},
	{"what one macro hides is found next", "cmd/clmc/internal/cli/guessmacros.go",
		"	mostRounds = 8\n", "	mostRounds = 2\n"},
})
