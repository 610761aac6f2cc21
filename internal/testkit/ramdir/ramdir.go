// Package ramdir has folders for tests that write much and are not about disks: in memory, where the system has room there, and else
// where temporary files are. Badger, the database of stores, waits for the disk when it is opened and closed, which takes five times as long as
// what such a test is about.
//
// It is part of clmc and not of its Go API.
package ramdir

import (
	"os"
	"testing"
)

// least is how much room there must be in memory, in bytes: what is mapped and has no room ends the process.
const least = 1 << 30

// New returns a new folder, which is removed when the test ends. A test that makes many removes each itself when it has done with it.
func New(t testing.TB) string {
	t.Helper()
	if room(inMemory) >= least {
		if dir, err := os.MkdirTemp(inMemory, "clmc-test-"); err == nil {
			t.Cleanup(func() {
				if err := os.RemoveAll(dir); err != nil {
					t.Error(err)
				}
			})
			return dir
		}
	}
	return t.TempDir()
}
