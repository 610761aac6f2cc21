package store

import "math/bits"

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

// Fingerprints with a zero upper half mark slots: a state whose hash is one of
// those counts as the neighbour, which makes no difference to Collision.
var (
	empty   Fingerprint
	removed = Fingerprint{0, 1}
)

// key returns the fingerprint under which a state is kept.
func key(fp Fingerprint) Fingerprint {
	if fp.Hi == 0 {
		fp.Hi = 1
	}
	return fp
}

// hash mixes an entry into one word. The sum of all entries' hashes tells sets
// of entries apart.
func hash(fp Fingerprint, e Entry) uint64 {
	hi, lo := bits.Mul64(fp.Lo^e.Sleep^0x9e3779b97f4a7c15, fp.Hi|1)
	h := hi ^ lo
	hi, lo = bits.Mul64(h^e.Note^0xd1b54a32d192ed03, fp.Lo|1)
	hi2, lo2 := bits.Mul64(hi^lo^fp.Hi^bits.RotateLeft64(e.Sleep, 31), 0xbf58476d1ce4e5b9)
	return hi2 ^ lo2 ^ bits.RotateLeft64(h, 17)
}
