package cli

import (
	"strings"
	"testing"
)

// TestRowsRevised explores kernels with races where a guessed scalar says how far apart rows are. The comment of each says whether there is a distance at which all have
// places of their own: then that is guessed, and the kernel is verified. Otherwise the race is told, in full or as one that hangs on a guess.
func TestRowsRevised(t *testing.T) {
	const id = `int x = get_global_id(0), y = get_global_id(1); `
	const real, guess = "violated (CL1001", "inconclusive: violated (CL1001"
	for name, c := range map[string]struct{ text, want string }{
		// Rows of five elements.
		"a pitch": {`kernel void k(global int *o, int pitch) { ` + id + `for (int j = 0; j < 5; j++) o[x*pitch + j] = y == 0 ? j : 0; }`, real},
		"a row":   {`kernel void k(global int *o, int pitch) { int x = get_global_id(0); for (int j = 0; j < 20; j++) o[x*pitch + j] = j; }`, "verified"},
		// Planes of rows: either distance may be too short.
		"planes": {`kernel void k(global int *o, int plane, int row) { ` + id + `o[get_global_id(2)*plane + y*row + x] = 1; }`, "verified"},
		// Elements of four, and two in a row of which the half is meant.
		"a quotient":    {`kernel void k(global float4 *o, int w) { ` + id + `o[y*(w/4) + x] = 1.0f; }`, "verified"},
		"a shift of it": {`kernel void k(global int *o, int w) { ` + id + `o[y*(w >> 1)*2 + x] = 1; }`, "verified"},
		"of an image":   {`kernel void k(write_only image1d_buffer_t o, int rows) { ` + id + `write_imagef(o, x*rows + y, 1.0f); }`, "verified"},
		// Columns overlap at any distance: the number of one is halved.
		"halves of an image": {`kernel void k(write_only image1d_buffer_t o, int rows) { ` + id + `write_imagef(o, x/2*rows + y, 1.0f); }`, real},
		// An element of the next row is written, whatever the distance is.
		"one beyond":   {`kernel void k(global int *o, int pitch) { int x = get_global_id(0); for (int j = 0; j <= pitch; j++) o[x*pitch + j] = j; }`, real},
		"two in a row": {`kernel void k(global int *o, int pitch) { int x = get_global_id(0); o[x/2*pitch] = x; }`, real},
		// A transposition in place exchanges what another work-item exchanges.
		"transposed": {`kernel void k(global int *o, int w) { ` + id + `o[y*w + x] = o[x*w + y]; }`, real},
		// The row above is another work-item's.
		"above": {`kernel void k(global int *o, int w) { ` + id + `o[y*w + x] = o[(y+1)*w + x]; }`, real},
		// What is added is no distance of rows: the neighbour's element is read while it is written, and a number that is large enough only leads past all of them.
		"a shift": {`kernel void k(global int *o, int by) { int x = get_global_id(0); o[x] = o[x + by]; }`, guess},
		// So it is where nobody comes to the place with another number.
		"not reached": {`kernel void k(global int *o, int pitch) { ` + id + `if (pitch < 32)
o[y*pitch + x/2] = x;
else
o[2*(y*pitch + x)] = 1; }`, real},
		// Rows of two, of which the last element is the next one's first: of eight elements that is one row with a distance of 64, so that only one work-item comes there.
		"fewer come": {`kernel void k(global int *o, int width, int n) { int i = get_global_id(0) * width * 2;
if (i >= n) return;
for (int j = i; j < min(i + 2*width + 1, n); j++) o[j] = i; }`, guess},
		// Which row is written a content says: equal ones overlap at any distance.
		"a content": {`kernel void k(global const int *to, global int *o, int pitch) { int x = get_global_id(0); o[to[x]*pitch] = 1; }`, guess},
		// Of 16 work-items some share one of eight places at any distance, and the four of one group do not.
		"a table": {`kernel void k(global int *o, int size) { ` + id + `o[(y*size + x) % 8] = 1; }`, guess},
	} {
		if got := guessedVerdict(t, c.text); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
