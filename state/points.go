package state

import (
	"encoding/binary"

	"github.com/clmc/clmc/memmodel"
)

// points is a set of cl.Reachable calls, as bits by their number. Its last word is not
// empty, so that equal sets are equal slices.
type points []uint64

func (p points) has(i int) bool { return i >= 0 && i>>6 < len(p) && p[i>>6]&(1<<(i&63)) != 0 }

// with adds a point to p, which is not to be used any more, and returns it.
func (p points) with(i int) points {
	for len(p) <= i>>6 {
		p = append(p, 0)
	}
	p[i>>6] |= 1 << (i & 63)
	return p
}

func (p points) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(p)))
	for _, w := range p {
		b = binary.AppendUvarint(b, w)
	}
	return b
}

func readPoints(d *memmodel.Reader, p points) points {
	for range d.Uvarint() {
		if d.Bad() {
			return p
		}
		p = append(p, d.Uvarint())
	}
	return p
}
