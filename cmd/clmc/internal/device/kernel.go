package device

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// KernelJob is a sequence of launches that is run again and again.
type KernelJob struct {
	Buffers  []Buffer
	Launches [][]Launch // one after the other: of each, one of some
	Runs     int
	Time     time.Duration // no run begins later than that
	Seed     uint64        // of what is chosen
}

// Buffer is memory that launches share.
type Buffer struct {
	Initial []byte
	Choices []Choice
	// Fetch and Reset are kernels that copy the program's variables here, and back. It holds first what the variables do.
	Fetch, Reset string
}

// Choice is bytes that hold one of some values.
type Choice struct {
	At     int
	Values [][]byte
}

// fresh is what a buffer holds before a run.
func (b *Buffer) fresh(random *rand.Rand) []byte {
	if len(b.Choices) == 0 {
		return b.Initial
	}
	data := bytes.Clone(b.Initial)
	for _, c := range b.Choices {
		copy(data[c.At:], c.Values[random.IntN(len(c.Values))])
	}
	return data
}

// Launch is one launch of a kernel.
type Launch struct {
	Kernel                string
	Offset, Global, Local []int
	Args                  []LaunchArg
}

// LaunchArg is an argument: a buffer by its number, no buffer, local memory, or a value.
type LaunchArg struct {
	Buffer int // -1: none
	Null   bool
	Local  int // bytes
	Value  Buffer
}

// KernelTally is what the runs left, each kind once.
type KernelTally struct {
	Runs   int
	Finals []Final
	Lost   int // runs that ended in yet other ways, of which there were too many
	Device time.Duration
}

// Final is what all buffers hold in the end, and how many runs ended so.
type Final struct {
	Contents [][]byte
	Count    int
}

// The bounds of what is kept of different ends: their number, and how many bytes they take.
const (
	maxFinals     = 1 << 12
	maxFinalBytes = 32 << 20
)

// RunKernel runs launches.
func (s *Session) RunKernel(j *KernelJob) (*KernelTally, error) {
	if err := s.fits(j); err != nil {
		return nil, err
	}
	r := &kernelRunner{Session: s, KernelJob: j, random: rand.New(rand.NewPCG(j.Seed, 0x6b)), tally: &KernelTally{}, index: map[string]int{}}
	defer func() {
		for _, h := range r.handles {
			s.api.Release(BufferObject, h)
		}
	}()
	for i := range j.Buffers {
		h, err := s.api.CreateBuffer(s.context, max(len(j.Buffers[i].Initial), 1))
		if err != nil {
			return nil, err
		}
		r.handles = append(r.handles, h)
	}
	if err := r.copyVariables(true); err != nil {
		return nil, err
	}
	for i := range j.Buffers {
		if b := &j.Buffers[i]; b.Fetch != "" {
			b.Initial = make([]byte, len(b.Initial))
			if err := s.api.Read(s.queue, r.handles[i], b.Initial); err != nil {
				return nil, err
			}
		}
	}
	var end time.Time
	for r.tally.Runs < j.Runs && (r.tally.Runs == 0 || time.Now().Before(end)) {
		if err := r.once(); err != nil {
			return nil, err
		}
		if r.tally.Runs == 1 { // some drivers compile only now
			end = time.Now().Add(j.Time)
		}
	}
	return r.tally, nil
}

// fits reports sizes that the device cannot do.
func (s *Session) fits(j *KernelJob) error {
	large := func(format string, args ...any) error { return &Failure{TooLarge, fmt.Sprintf(format, args...)} }
	for _, list := range j.Launches {
		for _, l := range list {
			k := s.kernels[l.Kernel]
			limit, err := s.api.WorkGroupSize(k, s.device)
			if err != nil {
				return err
			}
			if s.info.MaxGroup > 0 {
				limit = min(limit, s.info.MaxGroup)
			}
			items, local := 1, 0
			for d, n := range l.Local {
				items *= n
				if d < len(s.info.MaxItems) && n > s.info.MaxItems[d] {
					return large("the local size of %s is %d in dimension %d, and the device does at most %d there", l.Kernel, n, d, s.info.MaxItems[d])
				}
				if l.Global[d]%n != 0 && !s.info.NonUniform {
					return large("the global size of %s, %d in dimension %d, is no multiple of the local size %d, and the device does only whole work-groups", l.Kernel, l.Global[d], d, n)
				}
			}
			if limit > 0 && items > limit {
				return large("the work-groups of %s have %d work-items, and the device does at most %d", l.Kernel, items, limit)
			}
			for _, a := range l.Args {
				local += a.Local
			}
			if uint64(local) > s.info.LocalMem {
				return large("%s takes %d bytes of local memory, and the device has %d", l.Kernel, local, s.info.LocalMem)
			}
		}
	}
	return nil
}

// kernelRunner is one job while it runs.
type kernelRunner struct {
	*Session
	*KernelJob
	random  *rand.Rand
	handles []Handle
	tally   *KernelTally
	index   map[string]int // of Finals, by their bytes
	bytes   int
}

// once gives the buffers their contents, launches, and reads them.
func (r *kernelRunner) once() error {
	for i := range r.Buffers {
		if data := r.Buffers[i].fresh(r.random); len(data) > 0 {
			if err := r.api.Write(r.queue, r.handles[i], data); err != nil {
				return err
			}
		}
	}
	if err := r.copyVariables(false); err != nil {
		return err
	}
	for _, list := range r.Launches {
		if err := r.launch(&list[r.random.IntN(len(list))]); err != nil {
			return err
		}
	}
	if err := r.copyVariables(true); err != nil {
		return err
	}
	var final [][]byte
	for i := range r.Buffers {
		out := make([]byte, len(r.Buffers[i].Initial))
		if len(out) > 0 {
			if err := r.api.Read(r.queue, r.handles[i], out); err != nil {
				return err
			}
		}
		final = append(final, out)
	}
	r.add(final)
	return nil
}

// copyVariables copies the program's variables to the buffer for them, or back.
func (r *kernelRunner) copyVariables(fetch bool) error {
	for i := range r.Buffers {
		b := &r.Buffers[i]
		if b.Fetch == "" {
			continue
		}
		name := b.Reset
		if fetch {
			name = b.Fetch
		}
		if err := r.call(r.kernels[name], []arg{{buffer: r.handles[i]}}, 1, 1); err != nil {
			return err
		}
		if err := r.api.Finish(r.queue); err != nil {
			return err
		}
	}
	return nil
}

func (r *kernelRunner) launch(l *Launch) (err error) {
	k := r.kernels[l.Kernel]
	for _, n := range l.Global {
		if n == 0 { // OpenCL 3.0 runs nothing, and earlier versions refuse it
			return nil
		}
	}
	for i, a := range l.Args {
		switch {
		case a.Null:
			err = r.api.SetBuffer(k, i, 0)
		case a.Buffer >= 0:
			err = r.api.SetBuffer(k, i, r.handles[a.Buffer])
		case a.Local > 0:
			err = r.api.SetLocal(k, i, a.Local)
		default:
			err = r.api.SetScalar(k, i, a.Value.fresh(r.random))
		}
		if err != nil {
			return err
		}
	}
	begun := time.Now()
	if err := r.api.Launch(r.queue, k, l.Offset, l.Global, l.Local); err != nil {
		return err
	}
	err = r.api.Finish(r.queue)
	r.tally.Device += time.Since(begun)
	return err
}

// add counts an end.
func (r *kernelRunner) add(final [][]byte) {
	r.tally.Runs++
	key := string(bytes.Join(final, nil)) // the lengths are always the same
	if i, ok := r.index[key]; ok {
		r.tally.Finals[i].Count++
		return
	}
	if len(r.tally.Finals) == maxFinals || r.bytes+len(key) > maxFinalBytes && len(r.tally.Finals) > 0 {
		r.tally.Lost++
		return
	}
	r.index[key], r.bytes = len(r.tally.Finals), r.bytes+len(key)
	r.tally.Finals = append(r.tally.Finals, Final{final, 1})
}

// RunKernel runs a job of the program that was built.
func (c *Client) RunKernel(ctx context.Context, j *KernelJob) (*KernelTally, error) {
	if err := c.renew(ctx); err != nil {
		return nil, err
	}
	const compile = 30 * time.Second // some drivers do so in the first launch
	r, err := c.ask(ctx, &request{Kernel: j}, j.Time+compile+slack)
	if err != nil {
		return nil, err
	}
	return r.Kernel, nil
}

// BuildBare is Build for a program that needs nothing around its kernels.
func (c *Client) BuildBare(ctx context.Context, source, options string, kernels []string) error {
	return c.build(ctx, &buildRequest{source, options, kernels, true})
}
