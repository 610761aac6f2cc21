package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// memberOf is the share.Member.ID of a worker that publishes with a key, through a connection: nobody who has another key, or does not know what
// tells the connection apart, finds a number of which the same comes. So the registrar knows that a batch is not in somebody else's name.
func memberOf(who, session string, link uint64) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", who, session, link))
	return binary.LittleEndian.Uint64(sum[:])
}
