package disk

import (
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/clmc/clmc/store"
)

// TestRemovedMeanwhile removes a store's directory while it is open: the search that uses it must hear of it, both
// where it closes the store and where tables of the database are full, rather than wait for ever.
func TestRemovedMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are open cannot be removed")
	}
	for name, rounds := range map[string]int{"closing": 1, "writing": 200} {
		t.Run(name, func(t *testing.T) {
			d := tempStore(t, 1<<20)
			done := make(chan error, 1)
			go func() {
				var err error
				for i := 0; i < rounds && err == nil; i++ {
					for n := range 1 << 12 {
						d.set.Put(numbered(i<<12+n), store.Entry{Note: uint64(n)})
					}
					if err = errors.Join(d.Checkpoint(nil, nil), d.Wait()); i == 0 {
						os.RemoveAll(d.dir)
					}
				}
				if rounds > 1 && err == nil {
					t.Error("whoever writes does not hear of it")
				}
				done <- errors.Join(err, d.Close())
			}()
			select {
			case err := <-done:
				if !errors.Is(err, store.ErrNone) {
					t.Errorf("%v", err)
				}
			case <-time.After(2 * time.Minute):
				t.Fatal("it waits for ever")
			}
		})
	}
}
