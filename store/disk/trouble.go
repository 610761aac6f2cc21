package disk

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/clmc/clmc/internal/guard"
)

// trouble hears what the database says. It repeats for ever what it cannot write when a table in memory is
// full, and at its end, once a second: if the directory has been removed, neither would ever end. What is in the
// table is in its log already, so that nothing is lost by not waiting for it.
type trouble struct {
	mu    sync.Mutex    // over the rest
	tries int           // in a row that have failed
	last  time.Time     // when the last one has
	err   error         // what it met
	over  chan struct{} // closed once it has failed too often
}

// How often the database may fail to write a table before it is given up, and how long after another failure one is the first again.
const (
	maxTries  = 3
	sameTrial = 5 * time.Second
)

func newTrouble() *trouble { return &trouble{over: make(chan struct{})} }

// Errorf implements badger.Logger.
func (t *trouble) Errorf(format string, args ...any) {
	if !strings.Contains(format, "flushing memtable") {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.last) > sameTrial {
		t.tries = 0
	}
	t.tries, t.last = t.tries+1, time.Now()
	for _, a := range args {
		if err, ok := a.(error); ok {
			t.err = err
		}
	}
	if t.tries == maxTries {
		if t.err == nil {
			t.err = errors.New("the database cannot write a table")
		}
		select {
		case <-t.over:
		default:
			close(t.over)
		}
	}
}

// Warningf implements badger.Logger.
func (t *trouble) Warningf(string, ...any) {}

// Infof implements badger.Logger.
func (t *trouble) Infof(string, ...any) {}

// Debugf implements badger.Logger.
func (t *trouble) Debugf(string, ...any) {}

// met returns what the database has met.
func (t *trouble) met() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// illness words what goes wrong while the database is open. A directory that somebody has removed is not damaged.
func (d *Store) illness(err error) error {
	if _, gone := os.Stat(d.dir); errors.Is(gone, fs.ErrNotExist) {
		return plain(d.dir, gone)
	}
	return d.judge(err)
}

// close closes the database, unless that does not come to an end.
func (t *trouble) close(db *badger.DB) error {
	done := make(chan error, 1)
	guard.Go("closer", func() { done <- db.Close() })
	select {
	case err := <-done:
		return err
	case <-t.over:
		return t.met()
	}
}
