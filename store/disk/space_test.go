package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dgraph-io/badger/v4/pb"

	"github.com/clmc/clmc/store"
)

// TestCompactions reckons what compactions write that begin when a store is opened. The figures follow from the sizes of the tables: all of level 0
// and all of the first level below are written anew once there are five tables, those that logs are to become among them, and then everything once more, or twelve times as much. With fewer,
// one table of a level is written with twice its share of the next.
func TestCompactions(t *testing.T) {
	const kib = 1 << 10
	for _, test := range []struct {
		what   string
		levels []uint32 // of tables, the first of 1 KiB, each of the others of 1 KiB more
		logs   int
		want   int64
	}{
		{"nothing", nil, 0, 0},
		{"four", []uint32{0, 0, 0, 0}, 0, 0},
		{"five", []uint32{0, 0, 0, 0, 0}, 0, 2 * (1 + 2 + 3 + 4 + 5) * kib},
		{"one is in a log", []uint32{0, 0, 0, 0}, 1, 2 * (1 + 2 + 3 + 4) * kib},
		{"with the first level below", []uint32{0, 0, 0, 0, 0, 5, 5}, 0, 2 * (1 + 2 + 3 + 4 + 5 + 6 + 7) * kib},
		{"with the next", []uint32{0, 0, 0, 0, 0, 5, 5, 6, 6}, 0, (15+6+7)*kib + (15+6+7+8+9)*kib},
		{"a level alone", []uint32{5, 5, 6}, 0, (2 + 3) * kib},
		{"a share of the next", []uint32{5, 5, 5, 5, 6}, 0, (4 + 2.5) * kib},
	} {
		t.Run(test.what, func(t *testing.T) {
			d := tempStore(t, 1<<20)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			logs, _ := filepath.Glob(filepath.Join(d.dir, dbName, "*.mem"))
			for _, name := range logs {
				os.Remove(name)
			}
			var sets []*pb.ManifestChange
			for id := range tableIDs(t, d) {
				sets = append(sets, &pb.ManifestChange{Id: id, Op: pb.ManifestChange_DELETE})
			}
			for i, level := range test.levels {
				sets = append(sets, &pb.ManifestChange{Id: uint64(100 + i), Op: pb.ManifestChange_CREATE, Level: level})
				sparse(t, d, fmt.Sprintf("%06d.sst", 100+i), int64(i+1)*kib)
			}
			for i := range test.logs {
				sparse(t, d, fmt.Sprintf("%05d.mem", 90+i), kib)
			}
			spoil(t, d.dir, sets...)
			if got := d.compactions(); got != test.want {
				t.Errorf("%d bytes, want %d", got, test.want)
			}
		})
	}
}

// TestRoomForCompactions does not open a store that compactions would overfill the disk with: Badger writes into mapped memory, so that the process would end.
func TestRoomForCompactions(t *testing.T) {
	d := tempStore(t, 1<<20)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	left, known := Free(d.dir)
	if !known {
		t.Skip("the space that is left is not known here")
	}
	var sets []*pb.ManifestChange
	for id := range uint64(compactAt) {
		sets = append(sets, &pb.ManifestChange{Id: 100 + id, Op: pb.ManifestChange_CREATE})
		sparse(t, d, fmt.Sprintf("%06d.sst", 100+id), left)
	}
	spoil(t, d.dir, sets...)
	if _, err := Open(d.dir, Options{}); !errors.Is(err, store.ErrFull) {
		t.Errorf("%v", err)
	}
}

// tableIDs are the tables that the manifest of a store names.
func tableIDs(t *testing.T, d *Store) map[uint64]bool {
	t.Helper()
	_, all, err := readManifest(filepath.Join(d.dir, dbName, "MANIFEST"))
	if err != nil {
		t.Fatal(err)
	}
	return tablesOf(all)
}

// sparse makes a file of the database of that size, which takes no space.
func sparse(t *testing.T, d *Store, name string, size int64) {
	t.Helper()
	f, err := os.Create(filepath.Join(d.dir, dbName, name))
	if err == nil {
		err = errors.Join(f.Truncate(size), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
