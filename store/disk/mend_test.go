package disk

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4/pb"
	"google.golang.org/protobuf/proto"

	"github.com/clmc/clmc/store"
)

// spoil has the manifest of a store name a table that is not there, as it does when the disk fails while the change is noted.
func spoil(t *testing.T, dir string, sets ...*pb.ManifestChange) {
	t.Helper()
	body, err := proto.Marshal(&pb.ManifestChangeSet{Changes: sets})
	if err != nil {
		t.Fatal(err)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(binary.BigEndian.AppendUint32(b, crc32.Checksum(body, castagnoli)), body...)
	f, err := os.OpenFile(filepath.Join(dir, dbName, "MANIFEST"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.Write(b)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A table that the database has given up keeps nobody from what the store holds; one that is missing for another reason is damage, and so
// is one that was given up beside one that was not.
func TestGivenUp(t *testing.T) {
	make99 := &pb.ManifestChange{Id: 99, Op: pb.ManifestChange_CREATE}
	for _, test := range []struct {
		what  string
		sets  []*pb.ManifestChange
		noted string
		good  bool
	}{
		{"given up", []*pb.ManifestChange{make99}, "99\n", true},
		{"in place of others", []*pb.ManifestChange{make99, {Id: 1, Op: pb.ManifestChange_DELETE}}, "7\n99\n", true},
		{"missing", []*pb.ManifestChange{make99}, "", false},
		{"another is given up", []*pb.ManifestChange{make99}, "98\n", false},
		{"beside another", []*pb.ManifestChange{make99, {Id: 98, Op: pb.ManifestChange_CREATE}}, "99\n", false},
		{"no list", []*pb.ManifestChange{make99}, "x\n", false},
	} {
		t.Run(test.what, func(t *testing.T) {
			d := tempStore(t, 1<<20)
			for n := range 1 << 12 {
				d.set.Put(numbered(n), store.Entry{Note: uint64(n)})
			}
			if err := errors.Join(d.Checkpoint([]byte("head"), nil), d.Wait(), d.Close()); err != nil {
				t.Fatal(err)
			}
			spoil(t, d.dir, test.sets...)
			if err := os.WriteFile(filepath.Join(d.dir, givenUpName), []byte(test.noted), 0o666); err != nil {
				t.Fatal(err)
			}
			again, err := Open(d.dir, Options{})
			if !test.good {
				if !errors.Is(err, store.ErrDamaged) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if head, err := again.Head(); err != nil || string(head) != "head" || again.set.Len() != 1<<12 {
				t.Errorf("%q, %v, %d states", head, err, again.set.Len())
			}
			if _, err := os.Stat(filepath.Join(d.dir, givenUpName)); err == nil {
				t.Error("the number may be used again, and is still said to be given up")
			}
		})
	}
}

// A file that is larger than the database makes it is not read.
func TestLargeFiles(t *testing.T) {
	for _, name := range []string{"KEYREGISTRY", "MANIFEST", "DISCARD", "000009.vlog", "00009.mem"} {
		d := tempStore(t, 1<<20)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(filepath.Join(d.dir, dbName, name), os.O_CREATE|os.O_WRONLY, 0o666)
		if err == nil {
			err = errors.Join(f.Truncate(1<<30), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(d.dir, Options{}); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "bytes") {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
