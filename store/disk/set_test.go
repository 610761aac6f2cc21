package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clmc/clmc/internal/testkit/daily"
	"github.com/clmc/clmc/store"
)

// model is what a Set should be.
type model map[store.Fingerprint]store.Entry

// numbered returns a fingerprint that depends on n alone.
func numbered(n int) store.Fingerprint {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	return store.Fingerprint{Hi: rng.Uint64(), Lo: rng.Uint64()}
}

func tempStore(t *testing.T, mem int) *Store {
	t.Helper()
	d, err := Create(filepath.Join(t.TempDir(), "store"), Options{Mem: mem}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func reopen(t *testing.T, d *Store) *Store {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := Open(d.dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// compare checks that a set holds what the model does and nothing else.
func compare(t *testing.T, s store.Set, want model, universe int) {
	t.Helper()
	if s.Len() != len(want) {
		t.Fatalf("%d states, want %d", s.Len(), len(want))
	}
	for n := range universe {
		fp := numbered(n)
		got, seen := s.Lookup(fp)
		if w, ok := want[fp]; seen != ok || ok && got != w {
			t.Fatalf("state %d: %v, %v, want %v, %v", n, got, seen, w, ok)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestSet performs random operations on a set and on a map, on disk behind fronts
// from tiny to ample, with checkpoints and entries written between them, and closed
// and opened again at the last checkpoint.
func TestSet(t *testing.T) {
	for _, mem := range []int{1 << 10, 20 << 10, 1 << 20} {
		seed := daily.Seed()
		rng := rand.New(rand.NewPCG(seed, uint64(mem)))
		t.Logf("mem %d, seed %d", mem, seed)
		d := tempStore(t, mem)
		s := d.Set()
		now, saved := model{}, model{}
		const universe = 3000
		for range 40_000 {
			fp := numbered(rng.IntN(universe))
			switch op := rng.IntN(100); {
			case op < 50:
				e := store.Entry{Sleep: rng.Uint64N(4), Note: rng.Uint64()}
				s.Put(fp, e)
				now[fp] = e
			case op < 60: // a visit that is taken back
				s.Put(fp, store.Entry{Sleep: 9, Note: 9})
				for range rng.IntN(5) {
					s.Has(numbered(rng.IntN(universe)))
				}
				s.Undo()
			case op < 99:
				got, seen := s.Lookup(fp)
				if want, ok := now[fp]; seen != ok || ok && got != want {
					t.Fatalf("%v, %v, want %v, %v", got, seen, want, ok)
				}
			case rng.IntN(20) > 0:
				var err error
				switch {
				case rng.IntN(4) == 0:
					err = d.Checkpoint([]byte("head"), nil)
					saved = maps.Clone(now)
				case s.Full(0):
					err = d.Relieve()
				case rng.IntN(3) == 0:
					err = d.Drain()
				case rng.IntN(2) == 0 && !d.Writing():
					d.drain() // however little there is
				default:
					err = d.Poll()
				}
				if err != nil {
					t.Fatal(err)
				}
			default:
				d = reopen(t, d)
				s = d.Set()
				now = maps.Clone(saved)
			}
		}
		compare(t, s, now, universe)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRollBack cuts a checkpoint short, and the repair of that, too: the store
// is at the one before.
// TestGrowWhileWriting has the front grow, by little, while entries are being
// written: those for which there is no room must not be lost meanwhile.
func TestGrowWhileWriting(t *testing.T) {
	const size = 1 << 14
	d := tempStore(t, 1<<20)
	s := d.set
	s.front.slots, s.front.marks, s.front.max = make([]slot, size), make([]mark, size), size+size/64
	n := 0
	for ; !s.front.crowded(); n++ {
		s.Put(mixed(n), store.Entry{Note: uint64(n)})
	}
	if len(s.spilt) > 0 {
		t.Fatal("the table had no room before it grew: choose another size")
	}
	writing := s.changed(n)
	s.Put(mixed(n), store.Entry{Note: uint64(n)})
	if len(s.front.slots) == size || len(s.moving) == 0 {
		t.Fatal("the table has not grown, or had room for all: choose another size")
	}
	for i := range n + 1 {
		if e, seen := s.Lookup(mixed(i)); !seen || e.Note != uint64(i) {
			t.Fatalf("state %d of %d: %v, %v", i, n, e, seen)
		}
	}
	s.done(writing.entries)
	if len(s.moving) > 0 {
		t.Error("what has been written is still kept")
	}
}

func TestRollBack(t *testing.T) {
	const universe = 2000
	d := tempStore(t, 1<<20)
	want := model{}
	for n := range universe / 2 {
		e := store.Entry{Sleep: uint64(n), Note: 1}
		d.Set().Put(numbered(n), e)
		want[numbered(n)] = e
	}
	if err := d.Checkpoint([]byte("good"), []store.Blob{{Kind: 'p', Index: 1, Data: []byte("path")}}); err != nil {
		t.Fatal(err)
	}
	d = reopen(t, d)
	for torn := range 3 {
		// What is written lacks a commit record: newer entries, entries and blobs
		// that were not there. The second time a repair has begun.
		b := d.batch(d.last.Epoch + 1 + uint64(torn&1))
		for n := universe / 4; n < universe; n++ {
			if e, ok := want[numbered(n)]; ok && torn&1 == 1 {
				b.set(appendKey(nil, stateKey, numbered(n)), appendEntry(nil, e))
			} else if torn&1 == 0 {
				b.set(appendKey(nil, stateKey, numbered(n)), appendEntry(nil, store.Entry{Sleep: 7, Note: uint64(torn)}))
			}
		}
		if torn&1 == 0 {
			b.blob(&store.Blob{Kind: 'p', Index: 1, Data: []byte("newer path")})
			b.blob(&store.Blob{Kind: headBlob, Index: 0, Data: []byte("bad")})
		}
		if err := b.flush(); err != nil {
			t.Fatal(err)
		}
		d = reopen(t, d)
		compare(t, d.Set(), want, universe)
		head, err := d.Head()
		path, err2 := d.Blob('p', 1)
		if string(head) != "good" || string(path) != "path" || err != nil || err2 != nil {
			t.Fatalf("%q, %v, %q, %v", head, err, path, err2)
		}
	}
	d.Close()
}

// TestTamper changes single things in a store without spoiling any checksum of
// Badger's. Each must be noticed.
func TestTamper(t *testing.T) {
	for name, tamper := range map[string]func(d *Store, b *batch){
		"an entry is lost": func(d *Store, b *batch) { b.delete(appendKey(nil, stateKey, numbered(5))) },
		"an entry differs": func(d *Store, b *batch) {
			b.set(appendKey(nil, stateKey, numbered(5)), appendEntry(nil, store.Entry{Sleep: 5, Note: 2}))
		},
		"entries are swapped": func(d *Store, b *batch) {
			b.set(appendKey(nil, stateKey, numbered(5)), appendEntry(nil, store.Entry{Sleep: 6, Note: 1}))
			b.set(appendKey(nil, stateKey, numbered(6)), appendEntry(nil, store.Entry{Sleep: 5, Note: 1}))
		},
		"an entry is added": func(d *Store, b *batch) {
			b.set(appendKey(nil, stateKey, numbered(5000)), appendEntry(nil, store.Entry{}))
		},
		"an entry is short":   func(d *Store, b *batch) { b.set(appendKey(nil, stateKey, numbered(5)), []byte{1}) },
		"the head is another": func(d *Store, b *batch) { b.blob(&store.Blob{Kind: headBlob, Index: 0, Data: []byte("older")}) },
		"a blob is another's": func(d *Store, b *batch) {
			other, _ := d.read.Get(pieceKey('p', 2, 0))
			v, _ := other.ValueCopy(nil)
			b.set(pieceKey('p', 1, 0), v)
		},
		"a blob differs": func(d *Store, b *batch) {
			own, _ := d.read.Get(pieceKey('p', 1, 0))
			v, _ := own.ValueCopy(nil)
			v[len(v)-1]++
			b.set(pieceKey('p', 1, 0), v)
		},
		"a blob is gone":          func(d *Store, b *batch) { b.delete(pieceKey('p', 1, 0)) },
		"a blob's end is gone":    func(d *Store, b *batch) { b.delete(pieceKey('p', 2, 1)) },
		"the commit is gone":      func(d *Store, b *batch) { b.delete([]byte{commitKey}) },
		"the commit is no record": func(d *Store, b *batch) { b.set([]byte{commitKey}, []byte("nonsense")) },
	} {
		d := tempStore(t, 1<<20)
		for n := range 100 {
			d.Set().Put(numbered(n), store.Entry{Sleep: uint64(n), Note: 1})
		}
		blobs := []store.Blob{{Kind: 'p', Index: 1, Data: []byte("one")}, {Kind: 'p', Index: 2, Data: make([]byte, 3*pieceBytes)}}
		if err := errors.Join(d.Checkpoint([]byte("head"), blobs), d.Wait()); err != nil {
			t.Fatal(err)
		}
		b := d.batch(d.last.Epoch)
		tamper(d, b)
		if err := errors.Join(b.flush(), d.Close()); err != nil {
			t.Fatal(name, err)
		}
		if d, err := Open(d.dir, Options{}); err == nil {
			_, e1 := d.Head()
			_, e2 := d.Blob('p', 1)
			_, e3 := d.Blob('p', 2)
			if err = errors.Join(e1, e2, e3); err == nil {
				t.Errorf("%s: not noticed", name)
			}
			d.Close()
		} else if !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAudit has two states share a fingerprint.
func TestAudit(t *testing.T) {
	d := tempStore(t, 1<<20)
	s := d.Set()
	s.Audit()
	for n := range 50 {
		if !s.Same(numbered(n), []byte{byte(n)}) {
			t.Fatal("a new state is taken for another")
		}
		s.Put(numbered(n), store.Entry{})
	}
	if err := errors.Join(d.Checkpoint(nil, nil), d.Wait()); err != nil {
		t.Fatal(err)
	}
	d = reopen(t, d)
	s = d.Set()
	s.Audit()
	for n := range 50 {
		if !s.Same(numbered(n), []byte{byte(n)}) || s.Same(numbered(n), []byte{byte(n), 0}) {
			t.Fatalf("state %d is not told from another", n)
		}
	}
	if s.Same(numbered(99), []byte("a")); s.Same(numbered(99), []byte("b")) {
		t.Fatal("not told from another")
	}
	d.Close()
}

// TestReadOnlyDirectory names the directory and the reason.
func TestReadOnlyDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere")
	}
	d := tempStore(t, 1<<20)
	d.Close()
	for _, dir := range []string{d.dir, filepath.Join(d.dir, dbName)} {
		os.Chmod(dir, 0o555)
		defer os.Chmod(dir, 0o777)
	}
	if d, err := Open(d.dir, Options{}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("%v", err)
		if err == nil {
			d.Close()
		}
	}
	if _, err := Create(filepath.Join(d.dir, "below"), Options{Mem: 1 << 20}, nil, nil); !errors.Is(err, os.ErrPermission) {
		t.Errorf("%v", err)
	}
}

// TestSecondOpen is refused while the first is open.
func TestSecondOpen(t *testing.T) {
	d := tempStore(t, 1<<20)
	defer d.Close()
	if _, err := Open(d.dir, Options{}); !errors.Is(err, store.ErrInUse) {
		t.Errorf("%v", err)
	}
	if !Running(d.dir) {
		t.Error("not said to be running")
	}
}

// TestInterruptedCreate begins again where a crash left a directory that is no
// store yet.
func TestInterruptedCreate(t *testing.T) {
	d := tempStore(t, 1<<20)
	d.Close()
	if err := os.Remove(filepath.Join(d.dir, markName)); err != nil {
		t.Fatal(err)
	}
	d, err := Create(d.dir, Options{Mem: 1 << 20}, []byte("head"), nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

// TestTroubles checks that a store is not called damaged, and given up, because
// of any trouble of the system's, in whatever way Badger hands it on.
func TestTroubles(t *testing.T) {
	d := &Store{dir: "s"}
	want := map[syscall.Errno]error{
		syscall.ENOSPC: store.ErrFull, syscall.EDQUOT: store.ErrFull, syscall.EFBIG: store.ErrFull, syscall.EWOULDBLOCK: store.ErrInUse,
		syscall.ENOENT: store.ErrDamaged, syscall.EEXIST: store.ErrDamaged, syscall.ENOTDIR: store.ErrDamaged, syscall.EISDIR: store.ErrDamaged, syscall.EINVAL: store.ErrDamaged,
	}
	tried := 0
	for e := syscall.Errno(1); e <= lastErrno; e++ {
		if e.Error() == fmt.Sprintf("errno %d", int(e)) {
			continue
		}
		tried++
		kind := want[e]
		if kind == nil {
			kind = store.ErrSystem
		}
		for _, err := range []error{
			&fs.PathError{Op: "open", Path: "s/db/000001.sst", Err: e},
			fmt.Errorf("Opening file: 000001.sst err: %+v", e), // as Badger says it
			errors.Join(e, errors.New("unable to open: 000001.sst")),
			fmt.Errorf("while opening memtables err: %v\nwhile closing: 000001.mem", e),
		} {
			got := d.judge(err)
			if !errors.Is(got, kind) || !strings.HasPrefix(got.Error(), "s: ") {
				t.Errorf("%v: got %v, want %v", err, got, kind)
			}
			for _, other := range store.Kinds {
				if other != kind && errors.Is(got, other) {
					t.Errorf("%v: is %v, too", err, other)
				}
			}
		}
	}
	if tried < 40 {
		t.Errorf("only %d errors of the system have a text", tried)
	}
	if got := d.judge(errors.New("manifest has checksum mismatch")); !errors.Is(got, store.ErrDamaged) {
		t.Errorf("got %v", got)
	}
}

// TestMove checks that a store that is in use, or whose new name is taken, stays
// where it is, and that one that is moved is whole.
func TestMove(t *testing.T) {
	d := tempStore(t, 1<<20)
	to := d.dir + "-2"
	if err := Move(d.dir, to); !errors.Is(err, store.ErrInUse) {
		t.Errorf("in use: %v", err)
	}
	d.Close()
	if err := os.Mkdir(to, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Move(d.dir, to); !errors.Is(err, fs.ErrExist) || !Exists(d.dir) {
		t.Errorf("taken: %v", err)
	}
	if err := errors.Join(os.Remove(to), Move(d.dir, to)); err != nil || Exists(d.dir) {
		t.Fatal(err)
	}
	d, err := Open(to, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

// TestMemory checks that a store that is opened again has the memory that it
// had, unless more or less is asked for, or there is not as much.
func TestMemory(t *testing.T) {
	const before = 8 << 20
	d := tempStore(t, before)
	for _, test := range []struct {
		opt  Options
		want int
	}{
		{Options{}, before},
		{Options{MaxMem: 16 << 20}, before},
		{Options{MaxMem: 4 << 20}, 4 << 20},
		{Options{Mem: 2 << 20}, 2 << 20},
	} {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		var err error
		if d, err = Open(d.dir, test.opt); err != nil {
			t.Fatal(err)
		}
		if d.Mem() != test.want {
			t.Errorf("%+v: %d bytes, want %d", test.opt, d.Mem(), test.want)
		}
	}
	d.Close()
}
