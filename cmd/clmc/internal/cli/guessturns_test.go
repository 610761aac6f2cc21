package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/models/clc"
)

// TestGuessesTakeTurns: of two launches under a limit the first has no end, and the second takes no time. Each has a quarter of the limit; what the second leaves goes to the
// first, which is explored for three quarters of it then, and for the half at least. The second has its verdict all the same, and the first has none: the exit code says so.
func TestGuessesTakeTurns(t *testing.T) {
	const limit = 2 * time.Second
	path := filepath.Join(t.TempDir(), "k.cl")
	if err := os.WriteFile(path, []byte(`kernel void endless(global int *a, global int *b) {
  for (int i = 0; i < 9; i++)
    b[get_global_id(0)*9 + i] = atomic_xchg(&a[i & 1], atomic_add(&a[2], get_global_id(0)));
}
kernel void brief(global int *a) { a[get_global_id(0)] = 1; }
`), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := Main([]string{"explore", "--no-proof", "--launches", "1", "--max-states", "1000000000", "--promises", "0", "--time-limit", limit.String(), path}, &stdout, &stderr)
	if code != exitInconclusive || !bytes.Contains(stdout.Bytes(), []byte("verdict: inconclusive: verified for 1 of the 2 launches tried")) {
		t.Fatalf("exit code %d: %s%s", code, &stdout, &stderr)
	}
	m := regexp.MustCompile(`(?m)^  inconclusive +(\S+) .*--kernel endless `).FindSubmatch(stdout.Bytes())
	if m == nil {
		t.Fatalf("nothing is said of the first: %s", &stdout)
	}
	if took, err := time.ParseDuration(string(m[1])); err != nil || took < limit/2 {
		t.Errorf("the first was explored for %s of %v", m[1], limit)
	}
}

// TestGuessesLeft: of launches for which there was no time the verdict line says that they were not explored. Where the file is at fault there is no verdict.
func TestGuessesLeft(t *testing.T) {
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for name, c := range map[string]struct {
		err     error
		skipped int
		want    string // the verdict, or else the error
	}{
		"all":     {guard.Left(late), 0, "k.cl: verdict: inconclusive: verified for 0 of the 2 launches tried; 2 not explored\n"},
		"skipped": {guard.Left(late), 3, "k.cl: verdict: inconclusive: verified for 0 of the 5 launches tried; 5 not explored\n"},
		"fault":   {errors.New("of the file"), 0, "of the file"},
	} {
		var out bytes.Buffer
		a := &app{out: bufio.NewWriter(&out)}
		x := &exploreFlags{}
		x.quiet, x.format.value = true, "text"
		all := []*tried{{guess: &clc.Guess{}, err: c.err}, {guess: &clc.Guess{}, err: c.err}}
		err := a.tellGuesses(t.Context(), x, "k.cl", all, c.skipped, map[explore.Verdict]int{}, nil)
		a.out.Flush()
		got := out.String()
		if err != nil {
			got += err.Error()
		}
		if got != c.want || err == nil && a.code != exitInconclusive {
			t.Errorf("%s: %q, exit code %d, want %q", name, got, a.code, c.want)
		}
	}
}
