package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/store"
	"github.com/clmc/clmc/store/disk"
)

// TestOtherRecord checks that a search of another clmc is refused, and what
// differs is named.
func TestOtherRecord(t *testing.T) {
	ours := record{Format: recordFormat, Version: version(), Fingerprint: fingerprints}
	for _, c := range []struct {
		change func(*record)
		want   string
	}{
		{func(r *record) { r.Format = 0 }, "its description has format 0; this clmc reads format 1"},
		{func(r *record) { r.Format++ }, "its description has format 2; this clmc reads format 1"},
		{func(r *record) { r.Version = "v0.0.1" }, "clmc v0.0.1 wrote the store, and this is clmc " + version()},
		{func(r *record) { r.Fingerprint = "md5" }, "fingerprints are md5; those of this clmc are xxh3-128"},
	} {
		r := ours
		c.change(&r)
		dir := begunStore(t, &r)
		var stdout, stderr bytes.Buffer
		code := Main([]string{"resume", dir}, &stdout, &stderr)
		if code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.want) || !strings.Contains(stderr.String(), dir) {
			t.Errorf("exit code %d, want %q: %s%s", code, c.want, &stdout, &stderr)
		}
	}
}

// begunStore makes the store of a search that has a record, and nothing else yet.
func begunStore(t *testing.T, r *record) (dir string) {
	t.Helper()
	blob, err := r.blob()
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "store")
	d, err := disk.Create(dir, disk.Options{Mem: 32 << 20}, nil, []store.Blob{blob})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// raceOfWrongFlag is the line of @kernel_dot_wrongflag that races, by its derivation: the write of a product.
const raceOfWrongFlag = "\tproducts[i] = "

// TestKnownRecord goes on with a search of a list that says what is known: that is set aside, as it is for the list.
func TestKnownRecord(t *testing.T) {
	m, err := model.Target("@kernel_dot_wrongflag").Load(model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := m.Program.Sources[0]
	before, _, found := strings.Cut(file.Text, raceOfWrongFlag)
	if !found {
		t.Fatalf("%s has no %q", file.Name, raceOfWrongFlag)
	}
	race := fmt.Sprintf("%s:%d", file.Name, strings.Count(before, "\n")+1)
	for known, want := range map[string]struct {
		code int
		says string
	}{
		"":                      {exitViolation, "CL1001"},
		"CL1001 " + race + " x": {exitVerified, race + ", which a list of checks says is known (x)"},
	} {
		x := &exploreFlags{searchFlags: searchFlags{symmetry: true}, all: true}
		if known != "" {
			x.known = []string{known}
		}
		if err := x.spec.Set("3.0"); err != nil {
			t.Fatal(err)
		}
		dir := begunStore(t, newRecord(m, x))
		var stdout, stderr bytes.Buffer
		code := Main([]string{"resume", "--progress", "never", dir}, &stdout, &stderr)
		if text := strings.Join(strings.Fields(stdout.String()), " "); code != want.code || !strings.Contains(text, want.says) {
			t.Errorf("%q: exit code %d, want %d and %q: %s%s", known, code, want.code, want.says, &stdout, &stderr)
		}
	}
}
