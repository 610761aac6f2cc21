package explore

import (
	"testing"

	"github.com/clmc/clmc/internal/testkit/mutant"
)

// TestStoreMutants breaks, one after the other, what keeps a search on disk the
// same as one in memory, and sees tests fail.
func TestStoreMutants(t *testing.T) {
	mutant.Try(t, storeMutants, func(t *testing.T, m *mutant.Run) (string, bool) {
		if out, survived := m.Survives(t, "-run", "^(TestSet|TestTable|TestRollBack|TestTamper|TestAudit|TestRemovedMeanwhile)$", "../store", "../store/disk"); !survived {
			return out, false
		}
		m.First("^TestHaltedAtEachQuestion$")
		return m.Survives(t, "-run", "^(TestHaltedAtEachQuestion|TestResume|TestReachedStays|TestHaltedAnywhere|TestPiles|TestLargePiles|TestResumeAnywhere|TestJumpingClock|TestFrameSurvives|TestTable)$", "-seeds", "40", ".")
	})
}

var storeMutants = mutant.List([][5]string{
	{"the path is that of the checkpoint, not an older one", "explore/checkpoint.go",
		"		if k.frames[i] != sum {\n", "		if k.frames[i] == 0 {\n"},
	{"a table that cannot be written is not waited for", "store/disk/trouble.go",
		"	if t.tries >= maxTries {\n", "	if false {\n", ""},
	{"the visited states are those of the checkpoint, not newer", "store/disk/open.go",
		"	d.readAt(d.last.Epoch)\n", "	d.readAt(math.MaxUint64)\n"},
	{"what was written after the checkpoint is taken back", "store/disk/open.go",
		"	if err := d.rollBack(); err != nil {\n		return err\n	}\n", ""},
	{"what takes it back is later than all of it", "store/disk/open.go",
		"	to := d.version + 1\n", "	to := d.last.Epoch + 2\n"},
	{"a frame that was on top of the path is written again", "explore/frame.go",
		"	s.keeper.low = min(s.keeper.low, len(s.stack))\n", ""},
	{"entries that fill the front are written", "store/disk/front.go",
		"			*m = moving\n", "			*m = 0\n"},
	{"entries are looked for in the whole front", "store/disk/front.go",
		"			f.hand, left = f.hand+8, left-8\n", "			f.hand, left = f.hand+16, left-8\n"},
	{"a visit in the middle is taken back", "explore/explore.go",
		"			s.visited.unrecord()\n", ""},
	{"the kid of a visit taken back is visited again", "explore/explore.go",
		"			f.next--\n", ""},
	{"a turn in the middle is taken back", "explore/dpor.go",
		"			d.restore(&before)\n			s.stats = stats\n			f.clear()\n			return true\n", "			_, _ = before, stats\n			return true\n"},
	{"a turn taken back covers nothing", "explore/dpor.go",
		"		before.cover = slices.Clone(d.cover) // which", "		// which"},
	{"what a halted machine says at the end of a state is asked again", "explore/dpor.go",
		"	if s.heed() {\n		return false // what", "	if false {\n		return false // what"},
	{"a first search that was cut short comes again", "explore/explore.go",
		"		if s.ctx.Err() != nil { // the first", "		if false { // the first"},
	{"a visit whose machine was halted is taken back", "explore/explore.go",
		"	s.expand(child, sleep)\n	s.heed()\n", "	s.expand(child, sleep)\n"},
	{"what comes after a race is looked for again", "explore/pastrace.go",
		"		s.check()\n", ""},
	{"a state's end that a halted machine has decided is decided again", "explore/termination.go",
		"	return !s.heed()\n", "	return true\n"},
	{"a search that pauses at the end of a turn keeps what was counted in it", "explore/explore.go",
		"			if !s.turn(f) {\n				if stats := s.stats; !s.pop() {\n", "			if stats := s.stats; !s.turn(f) {\n				if !s.pop() {\n"},
	{"what a halted machine says of who is symmetric is asked again", "explore/dpor.go",
		"		if s.paused != \"\" { // as if this one were not over\n			return true\n		}\n		s.drop(f)\n", "		s.drop(f)\n"},
	{"a pile is relieved", "explore/invisible.go",
		"\t\tif piled && s.compactMessages(n, f) {\n", "\t\tif piled && false {\n"},
	{"a turn taken back comes again", "explore/dpor.go",
		"	d.stage = cutShort\n", ""},
	{"a visit taken back reports nothing", "explore/violation.go",
		"		return false // the visit will be taken back, and meet it again\n", ""},
	{"the machine meets the casts of the path again", "explore/checkpoint.go",
		"	if j != f.next-1 && s.m.Decode(n, text) == nil {\n", "	if s.m.Decode(n, text); s.m != nil {\n"},
	{"new outcomes are written", "explore/found.go",
		"		s.fresh = append(s.fresh, o.Key)\n", ""},
	{"what is done again is not counted again", "explore/checkpoint.go",
		"	defer func() { s.stats = stats }() // they count already what is done here again\n", "	_ = stats\n"},
	{"the monotonic clock says when a checkpoint is due", "explore/checkpoint.go",
		"	due := began.Sub(k.saved) >= every\n", "	due := began.Round(0).Sub(k.saved) >= every\n"},
	{"the monotonic clock says how long a search takes", "explore/explore.go",
		"	s.stats.Elapsed = s.pace.now().Sub(s.began)\n", "	s.stats.Elapsed = s.pace.now().Round(0).Sub(s.began)\n"},
	{"effects are written", "explore/checkpoint.go",
		"k.disk.Encode(s.pool.From(k.pooled))", "k.disk.Encode(s.pool.From(k.pooled)[:0])"},
	{"violations are not found twice", "explore/checkpoint.go",
		"		s.known[h.Violations[i].key()] = true\n", "		s.known[h.Violations[i].key()] = false\n"},
	{"what was reached stays reached", "explore/checkpoint.go",
		"Learnt{Reached: h.Reached, ", "Learnt{"},
	{"what the disk does not know stays in memory", "store/disk/front.go",
		"		if f.marks[at] == 0 {\n", "		if f.marks[at]&moving == 0 {\n"},
	{"what is being written stays in memory", "store/disk/front.go",
		"		if f.marks[at] == 0 {\n", "		if f.marks[at]&dirty == 0 {\n"},
	{"a change of an entry is written", "store/disk/set.go",
		"		*m |= dirty\n", ""},
	{"what has no room in the front is found", "store/disk/set.go",
		"		if w, ok := m[l.fp]; ok {\n", "		if w, ok := m[l.fp]; ok && false {\n"},
	{"what has no room in the front is written", "store/disk/set.go",
		"			j.entries = append(j.entries, slot{fp, w})\n", "			_, _ = fp, w\n"},
	{"the filter knows what is on the disk", "store/disk/set.go",
		"		s.filter.add(fp) // here, where Lookup has just asked for it\n", ""},
	{"the filter knows what was on the disk", "store/disk/open.go",
		"		l.blocks[at].add(fp)\n", ""},
	{"reads see what was written between checkpoints", "store/disk/open.go",
		"	d.readAt(math.MaxUint64) // of", "	// of"},
	{"entries are checked", "store/disk/open.go",
		"s.states != d.last.States || s.sum != d.last.Sum", "s.states != d.last.States"},
	{"the head is checked", "store/disk/checkpoint.go",
		"err == nil && xxh3.Hash(head) != d.last.Head", "false"},
	{"blobs are checked", "store/disk/checkpoint.go",
		" || blobHash(&blob) != binary.LittleEndian.Uint64(data[8:])", ""},
	{"whole states are compared", "store/disk/audit.go",
		"			return old == string(text)\n		}\n	}\n", "			return true || old == \"\"\n		}\n	}\n"},
	{"a table takes back what was put in the place of another entry", "store/table.go",
		"	t.slots[u.at] = u.was\n", "	t.slots[u.at].entry = Entry{}\n"},
	{"a table that has grown finds what it had", "store/table.go",
		"			t.slots[at] = *s\n", "			t.slots[at].entry = s.entry\n"},
	{"whole states are compared in memory", "store/table.go",
		"		return old == string(text)\n", "		return true || old == \"\"\n"},
})
