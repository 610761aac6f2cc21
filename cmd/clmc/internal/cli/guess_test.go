package cli

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

var everyGuess = flag.Bool("guessed", false, "explore all kernels of testdata/guessed.txtar, and not a few")

// few are kernels whose launches are found by different rules: sizes by a loop, a constant that groups are multiplied by, a distance, a local array,
// sub-groups; contents of buffers that the kernel writes; small scalars; a buffer that must become longer.
var few = []string{"mriq_const.cl", "lud_diagonal.cl", "seg_scan_shuffle.cl", "odd_even.cl", "pathfinder.cl", "bitonic_global.cl", "merge_sort.cl", "radix_count.cl",
	"mandel_queue.cl", "look_back.cl"}

// withoutProof explores launches that are found, without the proof for all sizes that is tried before: on that the launches do not depend.
var withoutProof = []string{"explore", "-q", "--no-proof"}

// TestGuessedLaunches explores kernels with launches that are found: the mistakes are, and the kernels without them show no violation.
func TestGuessedLaunches(t *testing.T) {
	text, err := os.ReadFile("testdata/guessed.txtar")
	if err != nil {
		t.Fatal(err)
	}
	verdict := regexp.MustCompile(`(?m)^.*: verdict: (.*)$`)
	files := txtar.Parse(text).Files
	tried, found, free := 0, 0, 0
	for _, f := range files {
		if !*everyGuess && !slices.Contains(few, f.Name) {
			continue
		}
		tried++
		path := filepath.Join(t.TempDir(), f.Name)
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, mistake := range []bool{false, true} {
			args := append(slices.Clone(withoutProof), path)
			if mistake {
				args = append(args, "-D", "BUG")
			}
			var stdout, stderr bytes.Buffer
			Main(args, &stdout, &stderr)
			m := verdict.FindSubmatch(stdout.Bytes())
			if m == nil {
				t.Errorf("%s: no verdict: %s%s", f.Name, &stdout, &stderr)
				continue
			}
			violated := bytes.Contains(m[1], []byte("violated"))
			switch {
			case violated && mistake:
				found++
			case !violated && !mistake:
				free++
			default:
				t.Logf("%s: with the mistake: %v: %s", f.Name, mistake, m[1])
			}
		}
	}
	switch {
	case !*everyGuess && (tried != len(few) || found < tried || free < tried):
		t.Errorf("of %d kernels %d mistakes are found, and %d right ones show no violation", tried, found, free)
	case *everyGuess && (tried < 60 || found < 50 || free < 55):
		t.Errorf("of %d kernels %d mistakes are found, want 50, and %d right ones show no violation, want 55", tried, found, free)
	}
	t.Logf("%d kernels: %d mistakes found, %d right ones without a violation", tried, found, free)
}

// soon are kernels of testdata/styles.txtar that are always tried: a sub-group for each row, rows of local memory, local arrays that say the sizes.
var soon = []string{"g5_image.cl", "r3_lud.cl", "p4_sgemm.cl"}

// TestGuessedStyles explores kernels in the styles of public libraries. None is told to be wrong in full but r2_bfs.cl, in which all work-items write *g_over without
// an atomic operation; of the others nearly all are verified, and the rest hang on guesses: the content of a permutation, and how long a row is.
func TestGuessedStyles(t *testing.T) {
	text, err := os.ReadFile("testdata/styles.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := txtar.Parse(text).Files
	for _, f := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o777), os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	verdict := regexp.MustCompile(`(?m)^.*: verdict: (.*)$`)
	tried, verified := 0, 0
	for _, f := range files {
		if filepath.Ext(f.Name) != ".cl" || !*everyGuess && !slices.Contains(soon, f.Name) {
			continue
		}
		tried++
		var stdout, stderr bytes.Buffer
		args := append(slices.Clone(withoutProof), "--time-limit", "10m", filepath.Join(dir, f.Name)) // a slow machine, or the race detector, takes longer than launches have by default
		Main(args, &stdout, &stderr)
		m := verdict.FindSubmatch(stdout.Bytes())
		switch {
		case m == nil:
			t.Errorf("%s: no verdict: %s%s", f.Name, &stdout, &stderr)
		case bytes.HasPrefix(m[1], []byte("verified for")):
			verified++
		case bytes.HasPrefix(m[1], []byte("violated")) != (f.Name == "r2_bfs.cl"):
			t.Errorf("%s: %s", f.Name, m[1])
		default:
			t.Logf("%s: %s", f.Name, m[1])
		}
	}
	if verified < tried-4 || !*everyGuess && verified < tried {
		t.Errorf("%d of %d kernels are verified", verified, tried)
	}
	t.Logf("%d of %d kernels are verified", verified, tried)
}
