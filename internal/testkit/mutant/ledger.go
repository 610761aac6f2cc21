package mutant

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The ledger says of each mutant when a test last told it, and which. It is a text file, a line for each mutant:
//
//	package  rule  row  date  commit  test  seconds
//
// with tabs between. A run appends a line when a mutant is caught, so that one that is killed loses nothing
// of what it has done; of several lines for one mutant the last counts. TestLedger, with -update, brings it into order.

var (
	keepLedger = flag.Bool("ledger", false, "write what is caught into the ledger, internal/testkit/mutant/ledger.txt")
	notAgain   = flag.Int64("since", 0, "leave out the mutants that by the ledger have been caught, as they are, on the day of this number (see package daily) or later; 0: none")
)

// entry is one line of the ledger.
type entry struct {
	pkg, rule string
	row       string // of what stands in the list: when that changes, the line says nothing any more
	date      string
	commit    string
	test      string
	took      time.Duration
}

// ledger is the lines for the mutants of one package, by their rules.
type ledger map[string]entry

// row is a short form of what a mutant changes.
func (m Mutant) row() string {
	return fmt.Sprintf("%08x", hash(strings.Join([]string{m.File, m.Old, m.New}, "\x00")))
}

func (e entry) String() string {
	return strings.Join([]string{e.pkg, e.rule, e.row, e.date, e.commit, e.test, fmt.Sprintf("%.1f", e.took.Seconds())}, "\t") + "\n"
}

func parseEntry(line string) (e entry, err error) {
	f := strings.Split(line, "\t")
	if len(f) != 7 {
		return e, fmt.Errorf("%d fields, want 7: %q", len(f), line)
	}
	seconds, err := strconv.ParseFloat(f[6], 64)
	if err != nil {
		return e, err
	}
	if _, err := time.Parse(time.DateOnly, f[3]); err != nil {
		return e, err
	}
	return entry{f[0], f[1], f[2], f[3], f[4], f[5], time.Duration(seconds * float64(time.Second))}, nil
}

func ledgerPath(root string) string {
	return filepath.Join(root, "internal", "testkit", "mutant", "ledger.txt")
}

// readEntries reads all lines, of which the last for each mutant counts.
func readEntries(path string) (map[[2]string]entry, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[[2]string]entry{}
	for s, n := bufio.NewScanner(bytes.NewReader(b)), 1; s.Scan(); n++ {
		e, err := parseEntry(s.Text())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		all[[2]string{e.pkg, e.rule}] = e
	}
	return all, nil
}

// readLedger reads the lines of the package whose tests run.
func readLedger(path string) (ledger, error) {
	all, err := readEntries(path)
	if err != nil {
		return nil, err
	}
	here, err := folder()
	if err != nil {
		return nil, err
	}
	book := ledger{}
	for key, e := range all {
		if key[0] == here {
			book[e.rule] = e
		}
	}
	return book, nil
}

// openPath is the file that names mutants which were there before there was a ledger and which no run has come to, a line for each: package, rule and row.
func openPath(root string) string {
	return filepath.Join(root, "internal", "testkit", "mutant", "open.txt")
}

// readOpen returns the rows of the mutants that are named, none without the file.
func readOpen(root string) (map[[2]string]string, error) {
	b, err := os.ReadFile(openPath(root))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	open := map[[2]string]string{}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("%s: %q: want three fields", openPath(root), line)
		}
		open[[2]string{f[0], f[1]}] = f[2]
	}
	return open, err
}

// folder is that of the package whose tests run, from the module's root.
func folder() (string, error) {
	root, err := root()
	if err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, here)
	return filepath.ToSlash(rel), err
}

// recorder writes what is caught.
type recorder struct {
	book         ledger
	path, pkg    string
	date, commit string
	mu           sync.Mutex
}

// openLedger reads the ledger, once.
var openLedger = sync.OnceValues(func() (*recorder, error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	r := &recorder{path: ledgerPath(root), date: time.Now().UTC().Format(time.DateOnly)}
	if r.book, err = readLedger(r.path); err != nil {
		return nil, err
	}
	if r.pkg, err = folder(); err != nil {
		return nil, err
	}
	head, _, _ := revision(root)
	r.commit = head[:min(len(head), 10)]
	return r, nil
})

// date is that of a day, as the ledger has it.
func date(day int64) string { return time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly) }

// since reports whether the run that is being taken up again has caught a mutant.
func (r *recorder) since(m Mutant) bool {
	e, ok := r.book[m.Rule]
	return *notAgain > 0 && ok && e.row == m.row() && e.date >= date(*notAgain)
}

// caught writes a line, if it is asked to. Whoever tries a share by the commit adds what the ledger lacks and leaves the rest as
// it is, for many do so and would differ in each other's lines.
func (r *recorder) caught(m *Run) error {
	e, known := r.book[m.Rule]
	if !*keepLedger || *which == "commit" && known && e.row == m.row() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(entry{r.pkg, m.Rule, m.row(), r.date, r.commit, m.caught, m.took}.String())
	return errors.Join(err, f.Close())
}

// ordered is the text of a ledger in order.
func ordered(all map[[2]string]entry) string {
	keys := slices.SortedFunc(maps.Keys(all), func(a, b [2]string) int {
		return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1])
	})
	var b strings.Builder
	for _, k := range keys {
		b.WriteString(all[k].String())
	}
	return b.String()
}
