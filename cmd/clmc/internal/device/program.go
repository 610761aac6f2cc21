package device

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/models/litmus/opencl"
)

// program is some tests that are compiled together, and then played.
type program struct {
	client *Client
	tests  []*Result
	cancel context.CancelFunc
	told   chan *Result // closed when all has been said
	err    error        // of what ended it; to be read when told is closed
}

// Builders is how many programs are best compiled and played at a time: where the processors are the device, a compiler works on one of them, and
// takes longer than the tests.
func (d *Info) Builders() int {
	if d.Type != "cpu" {
		return 1
	}
	return min(max(1, runtime.NumCPU()/2), 8)
}

// Parallel lets so many programs be compiled and played at a time, each by a child of its own. Close ends these.
func (s *Suite) Parallel(n int) {
	for len(s.others) < n-1 {
		s.others = append(s.others, s.Client.another())
	}
}

// Close ends what Parallel began.
func (s *Suite) Close() {
	for _, p := range s.running {
		p.cancel()
		for range p.told {
		}
	}
	s.running = nil
	for _, c := range s.others {
		c.Close()
	}
}

// begin begins to compile and play what has been added. If all children are busy, it tells of the oldest program first.
func (s *Suite) begin(ctx context.Context, tell func(*Result)) error {
	if len(s.pending) == 0 {
		return nil
	}
	if len(s.running) > len(s.others) {
		if err := s.finish(tell); err != nil {
			return err
		}
	}
	if !slices.Contains(s.mappings, s.mapping) {
		s.mappings = append(s.mappings, s.mapping)
	}
	p := &program{client: s.Client, tests: s.pending, told: make(chan *Result, len(s.pending))}
	if at := s.begun % (len(s.others) + 1); at > 0 {
		p.client = s.others[at-1]
	}
	s.begun++
	s.pending = nil
	ctx, p.cancel = context.WithCancel(ctx)
	s.running = append(s.running, p)
	guard.Go("device tests", func() {
		defer close(p.told)
		p.err = s.runTogether(ctx, p.client, p.tests, s.build(ctx, p.client, p.tests), func(r *Result) { p.told <- r })
	})
	return nil
}

// finish tells what comes of the oldest program.
func (s *Suite) finish(tell func(*Result)) error {
	p := s.running[0]
	s.running = s.running[1:]
	for r := range p.told {
		tell(r)
	}
	p.cancel()
	return p.err
}

// Flush runs what has been added and not run.
func (s *Suite) Flush(ctx context.Context, tell func(*Result)) error {
	if err := s.begin(ctx, tell); err != nil {
		return err
	}
	for len(s.running) > 0 {
		if err := s.finish(tell); err != nil {
			return err
		}
	}
	return nil
}

// runTogether runs tests of a program, which was built with this error. If it cannot be built, its halves are tried.
func (s *Suite) runTogether(ctx context.Context, c *Client, list []*Result, built error, tell func(*Result)) error {
	if failure := (*Failure)(nil); errors.As(built, &failure) && len(list) > 1 && failure.Kind != Hung {
		half := len(list) / 2
		for _, part := range [][]*Result{list[:half], list[half:]} {
			if err := s.runTogether(ctx, c, part, s.build(ctx, c, part), tell); err != nil {
				return err
			}
		}
		return nil
	}
	for _, r := range list {
		if err := s.runBuilt(ctx, c, r, built, tell); err != nil {
			return err
		}
	}
	return nil
}

// runBuilt runs a test whose program has been built, or tells why it could not be.
func (s *Suite) runBuilt(ctx context.Context, c *Client, r *Result, built error, tell func(*Result)) error {
	if built != nil {
		return s.failed(r, built, tell)
	}
	return s.run(ctx, c, r, tell)
}

// build compiles tests as one program. Where the processors are the device, drivers take long for each kernel and compile at the first launch: one
// kernel plays many tests there, and is launched once. If that fails, each test has a kernel of its own.
func (s *Suite) build(ctx context.Context, c *Client, list []*Result) error {
	var kernels []*opencl.Kernel
	for _, r := range list {
		kernels = append(kernels, r.Kernel)
	}
	if s.Info.Type == "cpu" {
		source, entries := opencl.Merged(kernels)
		err := s.compile(ctx, c, list, source, entries)
		failure := (*Failure)(nil)
		if err == nil {
			err = c.warm(ctx, warmUps(list))
		} else if errors.As(err, &failure) && failure.Kind == NoCompile { // it would not take the tests otherwise, either
			return err
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	var entries []opencl.Entry
	for _, k := range kernels {
		entries = append(entries, opencl.Entry{Kernel: k.Name})
	}
	return s.compile(ctx, c, list, opencl.Source(kernels), entries)
}

// compile compiles a program that has tests there.
func (s *Suite) compile(ctx context.Context, c *Client, list []*Result, source string, entries []opencl.Entry) error {
	var names []string
	for i, r := range list {
		r.entry = entries[i]
		names = append(names, r.entry.Kernel)
	}
	slices.Sort(names)
	return c.Build(ctx, source, s.Options(list[0].Kernel.Mapping), slices.Compact(names))
}

// warmUps are a launch of each kernel that tests have.
func warmUps(list []*Result) (launches []warmUp) {
	for _, r := range list {
		if !slices.ContainsFunc(launches, func(w warmUp) bool { return w.Kernel == r.entry.Kernel }) {
			launches = append(launches, warmUp{r.entry.Kernel, r.entry.Args, r.Kernel.Roles})
		}
	}
	return launches
}
