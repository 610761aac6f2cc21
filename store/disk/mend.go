package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"google.golang.org/protobuf/proto"

	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/store"
)

// The database notes in its manifest what it is about to change, and takes back what it cannot finish, but not the note: a manifest whose
// disk has failed once names tables that were given up, and the database does not open any more. What those tables were to
// hold is still where it was, in a log or in the tables that they were to replace. So the numbers of tables that are given up are written
// down, when the database says that it has failed, and the next time the changes that were to make them are left out. A table that
// is missing for another reason is damage.

// givenUpName is the file with the numbers of tables that were given up.
const givenUpName = "given-up"

// Bounds on what is read.
const (
	maxGivenUp  = 1 << 20
	maxManifest = 64 << 20
)

// change is one of a manifest.
type change struct {
	raw  []byte               // with its length and checksum
	sets []*pb.ManifestChange // what it makes and removes
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// manifestHead is the size of what a manifest begins with.
const manifestHead = 8

// readManifest reads what begins a manifest, and its changes up to one that is cut short, as the database does.
func readManifest(name string) (head []byte, all []change, err error) {
	text, err := regular.Read(name, maxManifest)
	if err != nil {
		return nil, nil, err
	}
	if len(text) < manifestHead {
		return nil, nil, fmt.Errorf("%s is cut short", name)
	}
	head, text = text[:manifestHead], text[manifestHead:]
	for len(text) >= 8 {
		n := int64(binary.BigEndian.Uint32(text))
		if n > int64(len(text)-8) {
			break
		}
		body := text[8 : 8+n]
		var set pb.ManifestChangeSet
		if crc32.Checksum(body, castagnoli) != binary.BigEndian.Uint32(text[4:]) || proto.Unmarshal(body, &set) != nil {
			return nil, nil, fmt.Errorf("%s: the checksum of a change is wrong", name)
		}
		all = append(all, change{text[:8+n], set.Changes})
		text = text[8+n:]
	}
	return head, all, nil
}

// tablesOf are the tables that a manifest names, with these changes.
func tablesOf(all []change) map[uint64]bool {
	tables := map[uint64]bool{}
	for i := range all {
		for _, c := range all[i].sets {
			if c.Op == pb.ManifestChange_CREATE {
				tables[c.Id] = true
			} else {
				delete(tables, c.Id)
			}
		}
	}
	return tables
}

// missing are the tables that a manifest names and that are not there, or hold nothing: the database empties what it is about to remove.
func missing(db string, all []change) (ids []uint64) {
	for id := range tablesOf(all) {
		info, err := os.Stat(table.NewFilename(id, db))
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() < minTable {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// noteGivenUp writes down which tables the database has given up. It is called by the database when it has failed, and has
// taken back what it had begun. That it cannot be written leaves a store that may have to begin anew.
func noteGivenUp(dir string) {
	db := filepath.Join(dir, dbName)
	_, all, err := readManifest(filepath.Join(db, badger.ManifestFilename))
	if err != nil {
		return
	}
	before, err := givenUp(dir)
	if err != nil {
		return
	}
	ids := append(before, missing(db, all)...)
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == len(before) {
		return
	}
	text := ""
	for _, id := range ids {
		text += strconv.FormatUint(id, 10) + "\n"
	}
	name := filepath.Join(dir, givenUpName)
	if os.WriteFile(name+".new", []byte(text), 0o666) == nil {
		os.Rename(name+".new", name)
	}
}

// givenUp reads which tables were given up.
func givenUp(dir string) (ids []uint64, err error) {
	text, err := regular.Read(filepath.Join(dir, givenUpName), maxGivenUp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Fields(string(text)) {
		id, err := strconv.ParseUint(line, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: %s does not list tables", store.ErrDamaged, givenUpName)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// mend leaves the changes out of the manifest that were to make tables which were given up. The manifest as it was stays beside it.
func (d *Store) mend() error {
	ids, err := givenUp(d.dir)
	if err != nil || len(ids) == 0 {
		return err
	}
	db := filepath.Join(d.dir, dbName)
	name := filepath.Join(db, badger.ManifestFilename)
	head, all, err := readManifest(name)
	if err != nil {
		return err
	}
	gone := missing(db, all)
	kept := slices.DeleteFunc(slices.Clone(all), func(c change) bool { return makesOnly(c, ids, gone) })
	if len(kept) < len(all) {
		if err := rewrite(db, head, kept); err != nil {
			return err
		}
	}
	return os.Remove(filepath.Join(d.dir, givenUpName)) // their numbers may be used again
}

// rewrite replaces the manifest by one with these changes. As it was it stays beside it.
func rewrite(db string, head []byte, kept []change) error {
	text := slices.Clone(head)
	for i := range kept {
		text = append(text, kept[i].raw...)
	}
	name := filepath.Join(db, badger.ManifestFilename)
	before, err := os.ReadFile(name)
	if err == nil {
		err = replaceFile(db, badger.ManifestFilename+".before", before)
	}
	if err != nil {
		return err
	}
	return replaceFile(db, badger.ManifestFilename, text)
}

// makesOnly reports whether a change makes tables, and none but such as were given up and are missing.
func makesOnly(c change, givenUp, gone []uint64) bool {
	made := 0
	for _, x := range c.sets {
		if x.Op != pb.ManifestChange_CREATE {
			continue
		}
		if made++; !slices.Contains(givenUp, x.Id) || !slices.Contains(gone, x.Id) {
			return false
		}
	}
	return made > 0
}

// largest are the bounds on the sizes of the database's files: more than it makes of them, and little enough to be read. It reads
// whatever is there before it looks at anything.
var largest = map[string]int64{
	"KEYREGISTRY": 1 << 20, "MANIFEST": maxManifest, "DISCARD": 64 << 20, "*.mem": 256 << 20, "*.vlog": 512 << 20, "*.sst": 4 << 30,
}

// bounded reports files that are larger than the database makes them.
func (d *Store) bounded() error {
	entries, err := os.ReadDir(filepath.Join(d.dir, dbName))
	if err != nil {
		return err
	}
	for _, e := range entries {
		for pattern, most := range largest {
			if ok, _ := filepath.Match(pattern, e.Name()); !ok {
				continue
			}
			info, err := os.Stat(filepath.Join(d.dir, dbName, e.Name()))
			switch {
			case err != nil:
				return err
			case !info.Mode().IsRegular():
				return fmt.Errorf("%w: %s is not a regular file", store.ErrDamaged, filepath.Join(dbName, e.Name()))
			case info.Size() > most:
				return fmt.Errorf("%w: %s has %d bytes, and at most %d are possible", store.ErrDamaged, filepath.Join(dbName, e.Name()), info.Size(), most)
			}
		}
	}
	return nil
}
