package device

import (
	"bytes"
	"time"
)

// KernelJob is a sequence of launches that is run again and again, and what its buffers hold in the end.
type KernelJob struct {
	Buffers  []Buffer
	Launches []Launch
	Runs     int
	Time     time.Duration // no more runs begin after that
}

// Buffer is memory that launches share.
type Buffer struct {
	Name    string
	Initial []byte
}

// Launch is one launch of a kernel.
type Launch struct {
	Kernel                string
	Global, Local, Offset []int
	Args                  []LaunchArg
}

// LaunchArg is an argument: a buffer by its number, local memory, or a value.
type LaunchArg struct {
	Buffer *int
	Local  int
	Value  []byte
}

// KernelTally is what the runs left, each kind once.
type KernelTally struct {
	Runs      int
	Finals    [][][]byte // what buffers held, in the order of the buffers
	Counts    []int64
	Truncated bool // there were more kinds than are kept
}

// maxFinals is how many different final contents are kept.
const maxFinals = 64

// RunKernel runs the launches.
func (s *Session) RunKernel(j *KernelJob) (*KernelTally, error) {
	t := &KernelTally{}
	handles := make([]Handle, len(j.Buffers))
	for i, b := range j.Buffers {
		h, err := s.api.CreateBuffer(s.context, max(len(b.Initial), 1))
		if err != nil {
			return nil, err
		}
		defer s.api.Release(BufferObject, h)
		handles[i] = h
	}
	end := time.Now().Add(j.Time)
	for t.Runs < j.Runs && (t.Runs == 0 || time.Now().Before(end)) {
		final, err := s.runOnce(j, handles)
		if err != nil {
			return nil, err
		}
		t.Runs++
		t.add(final)
	}
	return t, nil
}

// runOnce gives the buffers their contents, launches, and reads them.
func (s *Session) runOnce(j *KernelJob, handles []Handle) (final [][]byte, err error) {
	for i, b := range j.Buffers {
		if len(b.Initial) == 0 {
			continue
		}
		if err := s.api.Write(s.queue, handles[i], b.Initial); err != nil {
			return nil, err
		}
	}
	for _, l := range j.Launches {
		k := s.kernels[l.Kernel]
		for i, a := range l.Args {
			switch {
			case a.Buffer != nil:
				err = s.api.SetBuffer(k, i, handles[*a.Buffer])
			case a.Local > 0:
				err = s.api.SetLocal(k, i, a.Local)
			default:
				err = s.api.SetScalar(k, i, a.Value)
			}
			if err != nil {
				return nil, err
			}
		}
		if err := s.api.Launch(s.queue, k, l.Global, l.Local); err != nil {
			return nil, err
		}
		if err := s.api.Finish(s.queue); err != nil {
			return nil, err
		}
	}
	for i, b := range j.Buffers {
		out := make([]byte, len(b.Initial))
		if len(out) > 0 {
			if err := s.api.Read(s.queue, handles[i], out); err != nil {
				return nil, err
			}
		}
		final = append(final, out)
	}
	return final, nil
}

func (t *KernelTally) add(final [][]byte) {
	for i, f := range t.Finals {
		same := true
		for k := range f {
			same = same && bytes.Equal(f[k], final[k])
		}
		if same {
			t.Counts[i]++
			return
		}
	}
	if len(t.Finals) == maxFinals {
		t.Truncated = true
		return
	}
	t.Finals, t.Counts = append(t.Finals, final), append(t.Counts, 1)
}
