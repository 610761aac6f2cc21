package checks

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clmc/clmc/store/disk"
)

// TestPrune removes what is old, is the store's own, and is not in use.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	key := func(n byte) string { return digest([]byte{n}) }
	long := time.Now().Add(-2 * time.Hour)
	age := func(path string) {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	file := func(name string, old bool) string {
		path := filepath.Join(dir, resultsName, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
		if old {
			age(path)
		}
		return path
	}
	search := func(key string, old, running bool) string {
		path := SearchDir(dir, key)
		d, err := disk.Create(path, disk.Options{Mem: 1 << 20}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if running {
			t.Cleanup(func() { d.Close() })
		} else if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if old {
			for _, name := range []string{"lock", "clmc-store", "."} {
				age(filepath.Join(path, name))
			}
		}
		return path
	}
	gone := []string{
		file(key(1)+".json", true), file("new-123", true), search(key(2), true, false),
		search(key(6)+asideInfix+"1", true, false), search(key(8)+asideInfix+"12", true, false),
	}
	stays := []string{
		file(key(3)+".json", false), file(key(4)+".json", true), file("notes.json", true), file("README", true), file("new-456", false),
		search(key(5), false, false), search(key(6), true, false), search(key(6)+asideInfix+"2", false, false), search(key(7), true, true), search("mine", true, false),
	}
	inUse := map[string]bool{key(4): true, key(6): true}
	removed, err := Prune(dir, time.Now().Add(-time.Hour), inUse)
	if removed != len(gone) || err != nil {
		t.Errorf("%d removed, want %d: %v", removed, len(gone), err)
	}
	for _, path := range gone {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	for _, path := range stays {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if n, err := Prune(t.TempDir(), time.Now(), nil); n != 0 || err != nil {
		t.Errorf("an empty folder: %d, %v", n, err)
	}
}
