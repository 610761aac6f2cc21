package disk

import "github.com/clmc/clmc/store"

// audit keeps the encoded states whole, to find out whether two of them share
// a fingerprint.
type audit struct {
	texts  map[store.Fingerprint]string // that the disk does not know
	moving map[store.Fingerprint]string // being written
	bytes  int                          // of texts and moving
	limit  int                          // of bytes
	added  store.Fingerprint            // by the last Same
}

func newAudit(limit int) *audit { return &audit{texts: map[store.Fingerprint]string{}, limit: limit} }

func (a *audit) full() bool { return a.bytes > a.limit }

// Audit implements store.Set.
func (s *set) Audit() { s.audit = newAudit(s.disk.texts) }

// Same implements store.Set.
func (s *set) Same(fp store.Fingerprint, text []byte) bool {
	a := s.audit
	if a == nil {
		return true
	}
	fp = fp.Key()
	a.added = empty
	if old, ok := a.texts[fp]; ok {
		return old == string(text)
	}
	if old, ok := a.moving[fp]; ok {
		return old == string(text)
	}
	if s.filter.has(fp) {
		old, ok, err := s.disk.text(fp)
		if err != nil && s.err == nil {
			s.err = s.disk.judge(err)
		}
		if ok || err != nil {
			return old == string(text)
		}
	}
	a.texts[fp] = string(text)
	a.bytes += len(text) + store.TextOverhead
	a.added = fp
	return true
}

// undo forgets the text that the last Same added for fp.
func (a *audit) undo(fp store.Fingerprint) {
	if a.added == fp {
		a.bytes -= len(a.texts[fp]) + store.TextOverhead
		delete(a.texts, fp)
		a.added = empty
	}
}

// begun turns the texts that the disk does not know into those being written.
func (a *audit) begun() { a.moving, a.texts = a.texts, map[store.Fingerprint]string{} }

// done drops what was written.
func (a *audit) done() {
	for _, text := range a.moving {
		a.bytes -= len(text) + store.TextOverhead
	}
	a.moving = nil
}
