package disk

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2/z"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/store"
)

// verify checks Badger's tables before it opens them itself. It would do so in
// goroutines of its own, where some kinds of damage make it panic or end the
// process.
func (d *Store) verify() (err error) {
	dir := filepath.Join(d.dir, dbName)
	manifest := filepath.Join(dir, badger.ManifestFilename)
	defer undecodable(manifest, &err)
	if _, err := os.ReadFile(manifest); err != nil {
		return err // Badger takes whatever keeps it from reading for a wrong beginning
	}
	f, err := os.Open(manifest)
	if err != nil {
		return err
	}
	defer f.Close()
	m, _, err := badger.ReplayManifestFile(f, 0, badger.DefaultOptions(dir))
	if err != nil {
		return err
	}
	names := make(chan string)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg guard.Group
	for i := range errs {
		wg.Go("verify", func() {
			for name := range names {
				if errs[i] == nil {
					errs[i] = verifyTable(name)
				}
			}
		})
	}
	for id := range m.Tables {
		names <- table.NewFilename(id, dir)
	}
	close(names)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// undecodable, when deferred, turns a panic into an error that names the file:
// Badger has some on some kinds of damage, with texts that help nobody.
func undecodable(name string, err *error) {
	r := recover()
	if r == nil {
		return
	}
	*err = fmt.Errorf("%s cannot be decoded", name)
	if _, fault := r.(interface{ Addr() uintptr }); fault { // in mapped memory: so the system says that it cannot read
		*err = fmt.Errorf("%s: %w", name, syscall.EIO)
	} else if cause, known := causeOf(fmt.Errorf("%v", r)); known {
		*err = fmt.Errorf("%s: %w", name, cause)
	}
}

// verifyTable reads every block of a table.
func verifyTable(name string) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer undecodable(name, &err)
	if info, err := os.Stat(name); err != nil || info.Size() < minTable {
		return fmt.Errorf("%s is missing or cut short", name)
	}
	mf, err := z.OpenMmapFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	t, err := table.OpenTable(mf, table.Options{ReadOnly: true, BlockSize: 4 << 10, ChkMode: options.OnTableAndBlockRead})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return t.Close(-1)
}

// sweep removes log files that a crash left empty just after Badger had created
// them; it would take them for damage.
func (d *Store) sweep() error {
	for _, pattern := range []string{"*.mem", "*.vlog"} {
		logs, _ := filepath.Glob(filepath.Join(escapeGlob(d.dir), dbName, pattern)) // the pattern is well formed
		for _, name := range logs {
			if info, err := os.Stat(name); err == nil && info.Size() == 0 {
				if err := os.Remove(name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// escapeGlob keeps a directory's name from being read as a pattern.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// minTable is less than any table has: a footer with the sizes of index and
// checksum.
const minTable = 16

// caught, when deferred, turns a panic of the database into the error that has led to it: having failed to make a file, it goes on without
// one. A panic of clmc's own, or in mapped memory, goes on.
func (d *Store) caught(err *error) {
	r := recover()
	if r == nil {
		return
	}
	if _, fault := r.(interface{ Addr() uintptr }); fault {
		panic(r)
	}
	if cause, known := causeOf(fmt.Errorf("%v", r)); known {
		*err = fmt.Errorf("%s: %w", dbName, cause)
	} else if ill := d.Wait(); ill != nil {
		*err = ill
	} else if ill := d.ills.met(); ill != nil {
		*err = ill
	} else {
		panic(r)
	}
}

// fatal panics with what it is to write. Badger's last resort is log.Fatal, which
// would exit with the code of a violation. A panic in the writer comes before.
// In a goroutine of Badger's own nobody could recover: then the process is at its end.
type fatal struct{}

func (fatal) Write(b []byte) (int, error) {
	if bytes.Contains(debug.Stack(), []byte("created by github.com/dgraph-io/")) {
		Dead(epitaph(string(b)))
	}
	panic(string(b))
}

// Dead is told why the database of a store has failed in a goroutine of its own, and does not return. Set it before a store is opened.
var Dead = func(err error) { panic(err) }

// epitaph is why the database has failed, from its last words and what it has met before.
func epitaph(text string) error {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	err := fmt.Errorf("the database has failed: %s", first)
	t := latest.Load()
	if t == nil {
		return store.Classed(store.ErrSystem, err)
	}
	cause, known := causeOf(errors.New(text))
	if !known {
		if ill := t.met(); ill != nil {
			cause, known = causeOf(ill)
		}
	}
	if known {
		return plain(t.dir, cause)
	}
	return store.Classed(store.ErrSystem, fmt.Errorf("%s: %w", t.dir, err))
}
