package explore

import (
	"errors"
	"fmt"

	"github.com/clmc/clmc/explore/share"
)

// What no worker of the job can have written ends the part of the worker who has published it: what that one says later may rest on
// it, so that nothing of it is taken any more. All who read the log leave out the same. The others go on.

// maxUnfit bounds the batches that are left out because they are unfit, and nobody knows whose they are.
const maxUnfit = 10_000

// takeFit takes a batch, unless it is unfit or of somebody whose part has ended.
func (s *search) takeFit(data []byte) error {
	x := s.exchange
	who := x.author(data)
	if x.unfit[who] {
		return nil
	}
	err := s.take(data, who)
	switch {
	case !errors.Is(err, share.ErrBatch):
		return err
	case who == x.self.ID:
		return fmt.Errorf("this worker's own: %w", err)
	case who == 0:
		if x.unknown++; x.unknown > maxUnfit {
			return fmt.Errorf("%w, and %d before it were none either", err, maxUnfit)
		}
		return nil
	}
	x.unfit[who] = true
	return nil
}

// author says who has published the batch that was read last; 0 if that is not known.
func (x *workerProtocol) author(data []byte) uint64 {
	if l, ok := x.link.(share.Signed); ok {
		return l.From()
	}
	return share.AuthorOf(data)
}
