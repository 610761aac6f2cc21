package store

// Fingerprint is a 128-bit hash of a canonical state. Two of n states collide
// with a probability of about n*n/2^129 (Collision).
type Fingerprint struct{ Hi, Lo uint64 }

// Collision returns the probability that some two of n states share a
// fingerprint, if the hash is as good as a random function.
func Collision(n int) float64 { return float64(n) * float64(n) / (1 << 64) / (1 << 64) / 2 }

// Entry is what a search keeps with a visited state. The store does not look
// into it.
type Entry struct {
	Sleep uint64 // the sleep set that the state was explored with
	Note  uint64 // what is known of the subtree below it
}

// Key returns the fingerprint under which a state is kept. None has a zero upper
// half, so that those with one can mark slots: a state whose hash is one of them
// counts as the neighbour, which makes no difference to Collision.
func (fp Fingerprint) Key() Fingerprint {
	if fp.Hi == 0 {
		fp.Hi = 1
	}
	return fp
}
