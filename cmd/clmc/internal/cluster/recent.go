package cluster

import "bytes"

// recent are messages of a job that this registrar has appended last, one behind the other. Whoever waits for them gets them at once: to ask the
// server for the stream and for each message takes longer than workers need for a subtree, which others explore meanwhile.
type recent struct {
	subject string // of the job's batches: a stream that is made anew has another one
	from    uint64 // the number of the first
	kept    [][]byte
	bytes   int
}

// Bounds on what is kept: bytes of a job, and jobs.
const (
	maxRecent     = 256 << 10
	maxRecentJobs = 64
)

// keep keeps a message that the server has stored under a number. Where another one had that, the server has lost what it had. The registrar's lock is held.
func (r *Registrar) keep(id, subject string, seq uint64, message []byte) {
	k := r.recent[id]
	switch {
	case k == nil && len(r.recent) >= maxRecentJobs:
		clear(r.recent)
		fallthrough
	case k == nil || k.subject != subject || seq > k.from+uint64(len(k.kept)) || k.differs(seq, message): // another has appended what is between
		k = &recent{subject: subject, from: seq}
		r.recent[id] = k
	case seq < k.from+uint64(len(k.kept)): // it was told of late
		return
	}
	k.kept = append(k.kept, message)
	k.bytes += len(message)
	for k.bytes > maxRecent && len(k.kept) > 1 {
		k.bytes -= len(k.kept[0])
		k.kept, k.from = k.kept[1:], k.from+1
	}
}

// differs reports whether another message is kept under a number.
func (k *recent) differs(seq uint64, message []byte) bool {
	return seq >= k.from && seq < k.from+uint64(len(k.kept)) && !bytes.Equal(k.kept[seq-k.from], message)
}

// kept returns the messages of a job from a number on, nil if they are not kept. The registrar's lock is held.
func (r *Registrar) kept(id, subject string, from uint64) [][]byte {
	k := r.recent[id]
	if k == nil || k.subject != subject || from < k.from || from >= k.from+uint64(len(k.kept)) {
		return nil
	}
	return k.kept[from-k.from:]
}

// hand returns messages that come after a number as an answer, as many as it has room for, and notes that they were read; nil if there are none that are kept.
func (r *Registrar) hand(id string, h *hold, after uint64) (all []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, m := range r.kept(id, h.subject, after+1) {
		if i > 0 && len(all)+len(m)+frameBytes > maxAnswer {
			break
		}
		all = appendFrame(all, m)
		h.read = max(h.read, after+1+uint64(i))
	}
	return all
}
