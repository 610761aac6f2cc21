package cli

import (
	"strings"
	"testing"
)

// TestGuessedMacros explores files that leave macros to their hosts. The comment of each says what is missing, and so what is guessed or asked for.
func TestGuessedMacros(t *testing.T) {
	const sum = `kernel void k(global const int *in, global int *out) { local int t[WGS]; int l = get_local_id(0); t[l] = in[get_global_id(0)]; `
	for name, c := range map[string]struct {
		text  string
		flags []string
		want  string // the verdict begins with it, and ends with what is behind the dots
	}{
		// The size of a group, and how many elements each work-item has.
		"a size":    {sum + `barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = t[WGS - 1 - l]; }`, nil, "verified...; WGS=4)"},
		"two sizes": {sum + `barrier(CLK_LOCAL_MEM_FENCE); for (int i = 0; i < PER_ITEM; i++) out[get_global_id(0)*PER_ITEM + i] = t[0]; }`, nil, "verified...; WGS=4; PER_ITEM=4)"},
		"attribute": {`kernel __attribute__((reqd_work_group_size(WGS, 1, 1))) void k(global int *a) { a[get_global_id(0)] = 1; }`, nil, "verified...; WGS=4)"},
		// What goes wrong hangs on the guess, but for a race that happens with other numbers, too. With the macro that the host gives it does not.
		"a race":              {sum + `out[get_global_id(0)] = t[WGS - 1 - l]; }`, nil, "violated (CL1001"},
		"a short row":         {`kernel void k(global int *a) { for (int i = 0; i < 8; i++) a[get_global_id(0)*PITCH + i] = i; }`, nil, "inconclusive: violated (CL1001"},
		"a race of the given": {sum + `out[get_global_id(0)] = t[WGS - 1 - l]; }`, []string{"-D", "WGS=8"}, "violated (CL1001"},
		// Types, also of two elements, and in a struct. One that is an index, or the argument of an atomic operation, is an integer.
		"a type":        {`kernel void k(global T *a, const T x) { a[get_global_id(0)] += x / (T)2; }`, nil, "verified...; T=float)"},
		"vectors":       {`kernel void k(global real2 *a) { real2 v = a[get_global_id(0)]; a[get_global_id(0)] = v.yx; }`, nil, "verified...; real2=float2)"},
		"an integer":    {`kernel void k(global T *a) { atomic_inc(&a[get_local_id(0) % WIDTH]); }`, nil, "verified...; T=int; WIDTH=4)"},
		"a race of any": {`kernel void k(global T *a) { a[0] = get_global_id(0); }`, nil, "violated (CL1001"},
		// What conditions of the preprocessor ask for is defined nowhere, or everywhere.
		"a condition": {`#if WGS > 2
kernel void k(global int *a) { a[get_global_id(0)] = WGS; }
#else
kernel void k(global int *a) { a[get_global_id(0)] = 1; }
#endif`, nil, "verified"},
		// What is called stands for its first argument. Neighbours that share a place then may not do so with the macro of the host.
		"a call":              {`kernel void k(global T *a) { int i = get_global_id(0); a[i] = OP(a[i], 1) + ZERO(); }`, nil, "verified...; T=float; OP(a1,a2)=(a1); ZERO()=4)"},
		"a call with a place": {`kernel void k(global T *a) { int i = get_global_id(0); a[i] = OP(a[i], 1); }`, nil, "verified...; T=float; OP(a1,a2)=(a1))"},
		"a call of an index":  {`kernel void k(global int *a) { a[MAP(get_global_id(0) / 2)] = 1; }`, nil, "inconclusive: violated (CL1001"},
		// A file that refuses to be compiled says what it needs: a type and a number, or one of two flags.
		"refuses": {`#if !defined(T) || !defined(N)
#error both
#endif
kernel void k(global T *a) { a[get_global_id(0)] = N; }`, nil, "verified...; T=float; N=4)"},
		"refuses all": {`#if !defined(ONE) && !defined(OTHER)
#error one of them
#endif
kernel void k(global int *a) {
#ifdef OTHER
  a[0] = get_global_id(0);
#endif
  a[get_global_id(0) + 1] = 4; }`, nil, "verified...; ONE)"},
		"refuses for good": {"#error never\nkernel void k(global int *a) { a[get_global_id(0)] = N; }", nil, "clmc: "},
		// Without the second name there is no kernel, and with it there is a race that does not hang on a number.
		"hidden": {`#if defined(NONE) && 0 || defined(PART)
kernel void k(global int *a) { a[0] = get_global_id(0); }
#endif`, nil, "violated (CL1001"},
		"hidden for good": {"#if 0 && N\nkernel void k(global int *a) { a[0] = 1; }\n#endif", nil, "clmc: "},
		// Names in small letters are not defined by hosts, but mistaken; so are those that are like another; nobody knows what a function does.
		"a variable": {`kernel void k(global int *a) { a[get_global_id(0)] = width; }`, nil, "clmc: "},
		"a mistake": {`enum { BLOCK_SIZE = 4 };
kernel void k(global int *a) { a[get_global_id(0)] = BLOCK_SIZ; }`, nil, "clmc: "},
		"a function": {`kernel void k(global int *a) { a[get_global_id(0)] = op(1); }`, nil, "clmc: "},
		"a struct":   {`kernel void k(global item_t *a) { a[get_global_id(0)].next = 1; }`, nil, "clmc: "},
	} {
		got := guessedVerdict(t, c.text, c.flags...)
		begin, end, _ := strings.Cut(c.want, "...")
		if !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, end) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
