package store

// audit keeps the encoded states whole, to find out whether two of them share
// a fingerprint.
type audit struct {
	texts  map[Fingerprint]string // all, or with a disk those that it does not know
	moving map[Fingerprint]string // being written
	bytes  int
	limit  int         // of bytes, 0 for no bound
	added  Fingerprint // by the last Same
}

// textOverhead is what a text costs beside its bytes, roughly.
const textOverhead = 64

func newAudit(limit int) *audit { return &audit{texts: map[Fingerprint]string{}, limit: limit} }

func (a *audit) full() bool { return a.limit > 0 && a.bytes > a.limit }

// Audit makes the set keep whole states. It must have done so from the first.
func (s *Set) Audit() { s.audit = newAudit(s.limit) }

// Same reports whether the state that is known by a fingerprint has this
// encoding, if any is known; if not, this one is from now on. Without Audit, it
// takes that for granted.
func (s *Set) Same(fp Fingerprint, text []byte) bool {
	a := s.audit
	if a == nil {
		return true
	}
	fp = key(fp)
	a.added = empty
	if old, ok := a.texts[fp]; ok {
		return old == string(text)
	}
	if old, ok := a.moving[fp]; ok {
		return old == string(text)
	}
	if s.disk != nil && s.filter.has(fp) {
		old, ok, err := s.disk.text(fp)
		if err != nil && s.err == nil {
			s.err = s.disk.judge(err)
		}
		if ok || err != nil {
			return old == string(text)
		}
	}
	a.texts[fp] = string(text)
	a.bytes += len(text) + textOverhead
	a.added = fp
	return true
}

// undo forgets the text that the last Same added for fp.
func (a *audit) undo(fp Fingerprint) {
	if a.added == fp {
		a.bytes -= len(a.texts[fp]) + textOverhead
		delete(a.texts, fp)
		a.added = empty
	}
}

// begun turns the texts that the disk does not know into those being written.
func (a *audit) begun() { a.moving, a.texts = a.texts, map[Fingerprint]string{} }

// done drops what was written.
func (a *audit) done() {
	for _, text := range a.moving {
		a.bytes -= len(text) + textOverhead
	}
	a.moving = nil
}
