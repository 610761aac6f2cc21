package disk

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/clmc/clmc/internal/guard"
)

// trouble hears what the database says. It repeats for ever what it cannot write when a table in memory is
// full, and at its end, once a second: if the directory has been removed, neither would ever end. What is in the
// table is in its log already, so that nothing is lost by not waiting for it.
type trouble struct {
	dir   string        // of the store
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

func newTrouble(dir string) *trouble {
	t := &trouble{dir: dir, over: make(chan struct{})}
	latest.Store(t)
	return t
}

// latest is the trouble of the database that was opened last.
var latest atomic.Pointer[trouble]

// Errorf implements badger.Logger.
func (t *trouble) Errorf(format string, args ...any) {
	if !strings.Contains(format, "flushing memtable") {
		t.hear(args)
		return
	}
	noteGivenUp(t.dir)
	if t.tried(args) {
		select {} // it would try for ever, and leave off in the middle when the process ends
	}
}

// hear notes what the database has met, if it says.
func (t *trouble) hear(args []any) {
	for _, a := range args {
		if err, ok := a.(error); ok {
			t.mu.Lock()
			t.err = err
			t.mu.Unlock()
		}
	}
}

// tried notes that a table could not be written, and reports whether that has been tried too often.
func (t *trouble) tried(args []any) bool {
	t.hear(args)
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.last) > sameTrial {
		t.tries = 0
	}
	t.tries, t.last = t.tries+1, time.Now()
	if t.tries >= maxTries {
		if t.err == nil {
			t.err = errors.New("the database cannot write a table")
		}
		select {
		case <-t.over:
		default:
			close(t.over)
		}
		return true
	}
	return false
}

// Warningf implements badger.Logger. Of a compaction that has failed it is told so.
func (t *trouble) Warningf(format string, args ...any) {
	if strings.Contains(strings.ToLower(format), "compact") {
		noteGivenUp(t.dir)
		t.hear(args)
	}
}

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
