package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/clmc/clmc/explore/share"
)

// head is what stands in front of a batch in its message.
type head struct {
	worker uint64 // share.Member.ID
	number uint64 // of the batch among its worker's
	// read is how far the worker had come in the stream when it made the batch, and chain is the hash of all up to there.
	// What the batch rests on is there, or in the batch: it means something only to whoever has read the same.
	read  uint64
	chain uint64
}

// The layout of a message: magic, format, head, batch, checksum of all that.
const (
	magic       = "clmB"
	batchFormat = 1
	headBytes   = len(magic) + 2 + 4*8
	sumBytes    = 8
)

// maxMessage bounds a message. Servers refuse those above 1 MiB unless they are told otherwise.
const maxMessage = headBytes + share.MaxBatch + sumBytes

// seal makes a message of a batch.
func seal(h *head, batch []byte) []byte {
	b := make([]byte, 0, headBytes+len(batch)+sumBytes)
	le := binary.LittleEndian
	b = le.AppendUint16(append(b, magic...), batchFormat)
	b = le.AppendUint64(b, h.worker)
	b = le.AppendUint64(b, h.number)
	b = le.AppendUint64(b, h.read)
	b = le.AppendUint64(b, h.chain)
	b = append(b, batch...)
	return le.AppendUint64(b, xxh3.Hash(b))
}

// What is wrong with a message.
var (
	errNoBatch = errors.New("this is not a batch")
	errSum     = errors.New("its checksum is wrong")
)

// unseal takes a message apart. The batch is part of it.
func unseal(b []byte) (h head, batch []byte, err error) {
	le := binary.LittleEndian
	body := len(b) - sumBytes
	switch {
	case body < headBytes || string(b[:len(magic)]) != magic:
		return h, nil, errNoBatch
	case le.Uint16(b[len(magic):]) != batchFormat:
		return h, nil, fmt.Errorf("it has format %d, and this clmc reads format %d", le.Uint16(b[len(magic):]), batchFormat)
	case le.Uint64(b[body:]) != xxh3.Hash(b[:body]):
		return h, nil, errSum
	}
	for i, to := range []*uint64{&h.worker, &h.number, &h.read, &h.chain} {
		*to = le.Uint64(b[len(magic)+2+8*i:])
	}
	return h, b[headBytes:body], nil
}

// chained adds a message to the hash of all before it.
func chained(chain uint64, message []byte) uint64 { return xxh3.HashSeed(message, chain) }
