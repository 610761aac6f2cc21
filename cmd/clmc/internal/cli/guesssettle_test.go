package cli

import (
	"strings"
	"testing"
)

// TestGuessesSettled explores kernels with races where numbers are guessed. Whether there is a race whatever the number is is derived in the comment of each: it is told in full then.
// Where another number leaves room for what is in a row, it hangs on the guess.
func TestGuessesSettled(t *testing.T) {
	const id = `int i = get_global_id(0), l = get_local_id(0); `
	const real, guess = "violated (CL1001", "inconclusive: violated (CL1001"
	for name, c := range map[string]struct{ text, want string }{
		// Without a barrier the neighbour's element is read while it is written, in groups of any size.
		"no barrier": {`kernel void k(global int *o) { local int t[WGS]; ` + id + `t[l] = i; o[i] = t[WGS - 1 - l]; }`, real},
		// All write the same place, and what they write is the number.
		"one place": {`kernel void k(global int *o) { o[0] = get_global_id(0) * SCALE; }`, real},
		// Each writes one element of the next one's row, however long a row is.
		"one beyond its row": {`kernel void k(global int *o) { ` + id + `for (int j = 0; j <= ROW; j++) o[i*ROW + j] = j; }`, real},
		// Two neighbours share a row of any length.
		"two in a row": {`kernel void k(global int *o) { ` + id + `for (int j = 0; j < ROW; j++) o[i/2*ROW + j] = j; }`, real},
		// The last work-item of each group writes the first place.
		"the last of each": {`kernel void k(global int *o) { local int t[WGS]; ` + id + `t[l] = i; if (l == WGS - 1) o[0] = t[l]; }`, real},
		// Two neighbours share a place that three scalars say, whatever they are.
		"three scalars": {`kernel void k(global int *o, int a, int b, int c) { ` + id + `i /= 2; o[i*a + i*b + i*c] = l; }`, real},
		// A row of 20 is longer than the distance of four that is guessed, and shorter than 64.
		"rows that are too short": {`kernel void k(global int *o) { ` + id + `for (int j = 0; j < 20; j++) o[i*STRIDE + j] = j; }`, guess},
		// So it is with a width that is guessed, too, and is the number of work-items.
		"a width": {`kernel void k(global int *o, int width) { ` + id + `for (int j = 0; j < width; j++) o[i*STRIDE + j] = j; }`, guess},
		// Planes of rows: with planes of 256 there is room for rows of four by four.
		"planes": {`kernel void k(global int *o) { ` + id + `for (int y = 0; y < ROWS; y++) for (int x = 0; x < COLUMNS; x++) o[i*PLANE + y*COLUMNS + x] = 1; }`, guess},
		// Where rows are long enough others race, which read a length of their own: that is not the same race.
		"another race": {`kernel void k(global int *o, global int *p) { ` + id + `if (STRIDE < 8) for (int j = 0; j < 8; j++) o[i*STRIDE + j] = j; else o[0] = i; }`, guess},
		// There is a number with which all write places of their own.
		"not with twice as much": {`kernel void k(global int *o) { ` + id + `o[SLOTS == 8 ? i : 0] = i; }`, guess},
		// A table of as many elements as work-items has no two in one place.
		"a table": {`kernel void k(global int *o) { o[get_global_id(0) % SLOTS] = 1; }`, guess},
		// The second half writes what the first does if there are no more elements than that.
		"a half": {`kernel void k(global int *o) { ` + id + `o[i < HALF ? i : i - HALF] = 1; }`, guess},
		// What a macro does that is called nobody knows: the host's may give each work-item a place of its own, whatever the number is.
		"a call": {`kernel void k(global int *o) { o[MAP(get_global_id(0)/2) * STRIDE] = 1; }`, guess},
		// Which places are written, a content says.
		"a content": {`kernel void k(global const int *to, global int *o) { o[to[get_global_id(0)] / DIV] = 1; }`, guess},
	} {
		if got := guessedVerdict(t, c.text); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
