package check

import (
	"regexp"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// GPUVerify's annotations. Some are for its proof alone: invariants, contracts of functions and what a kernel may access. Others are
// relations between two work-items, of which an execution has no notion.
var (
	annotation = regexp.MustCompile(`\b(?:__(?:unsafe_)?assert|__requires|__assume|bugle_assume|__axiom|` + proofOnly + `|` + relational + `)\s*\(`)
	ignored    = regexp.MustCompile(`^(?:__axiom|` + proofOnly + `|` + relational + `)\s*\(`)
	relation   = regexp.MustCompile(`\b(?:(?:` + relational + `)\s*\(|__same_group\b)`)
)

const (
	proofOnly  = `__(?:\w+_)?(?:invariant|ensures)(?:_\w+)?|__(?:unsafe_)?(?:global|candidate|candidate_global)_(?:assert|requires)|__(?:reads|writes)_\w+|__non_temporal_loads_\w+`
	relational = `__(?:other|distinct|uniform|old|return_val|ptr)_\w+|__all|__exclusive|__(?:no_)?(?:read|write)(?:_\w+)?|__atomic_has_taken_value|__array_snapshot`
)

// annotationMacros are defined where annotations are understood: whoever evaluates one is enabled, and numbers are
// added as they are, whether that overflows or not. A function of which only is said that it is one stays without a body: if it
// is called, somebody has to say what it is.
var annotationMacros = `#define __implies(a, b) (!(a) || (b))
#define __enabled() 1
#define __dominator_enabled() 1
#define __is_pow2(x) (((x) & ((x) - 1)) == 0)
#define __mod_pow2(x, y) (((y) - 1) & (x))
#define __unsafe_assert(x) __assert(x)
#define bugle_assume(x) __assume(x)
#define ptr_base_t int
#define DECLARE_UF_UNARY(f, a, r) r f(a);
#define DECLARE_UF_BINARY(f, a, b, r) r f(a, b);
` + typed("__ite", "(a, b, c) ((a) ? (b) : (c))") + typed("__add", "(a, b) ((a) + (b))") + typed("__add_noovfl", "(a, b) ((a) + (b))")

// typed defines a macro and those of its name for each type of integers.
func typed(name, body string) string {
	text := ""
	for _, t := range []string{"", "_unsigned", "_char", "_short", "_int", "_long", "_unsigned_char", "_unsigned_short", "_unsigned_int", "_unsigned_long", "_size_t"} {
		text += "#define " + name + t + body + "\n"
	}
	return text
}

// annotations puts 0 in the place of the annotations that are not of one work-item, and returns where the first of them
// is and how many there are. What stands elsewhere keeps its place.
func annotations(text string) (_ string, first tree.Pos, n int) {
	code := strip(text)
	w := &rewriter{in: []byte(text), code: code}
	done := 0
	for _, at := range annotation.FindAllIndex(code, -1) {
		if at[0] < done {
			continue // within another
		}
		end := w.match(at[1] - 1)
		if end < 0 {
			break
		}
		if !ignored.Match(code[at[0]:at[1]]) && !relation.Match(code[at[1]:end]) {
			continue
		}
		if n++; n == 1 {
			first = place(code, at[0])
		}
		for i := at[0]; i <= end; i++ {
			if c := w.in[i]; c != '\n' && c != '\\' {
				w.in[i] = ' '
			}
		}
		if string(code[at[0]:at[0]+7]) != "__axiom" { // which is a declaration
			w.in[at[0]] = '0'
		}
		done = end + 1
	}
	return string(w.in), first, n
}
