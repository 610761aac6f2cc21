package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
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
