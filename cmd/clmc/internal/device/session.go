package device

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/clmc/clmc/models/litmus/opencl"
)

// found is a device with how to reach it.
type found struct {
	api              API
	platform, device Handle
	info             *Info
}

// List finds the devices of all libraries, in their order.
func List(apis []API) (list []*found, err error) {
	for _, api := range apis {
		platforms, platformErr := api.Platforms()
		err = firstError(err, platformErr)
		for _, p := range platforms {
			devices, deviceErr := api.Devices(p)
			err = firstError(err, deviceErr)
			for _, d := range devices {
				f := &found{api, p, d, describe(api, p, d)}
				f.info.Number = len(list)
				list = append(list, f)
			}
		}
	}
	if len(list) > 0 {
		err = nil
	}
	return list, err
}

// Job is a kernel that is to be run, and what it may leave.
type Job struct {
	Kernel    string    // its name
	Args      []uint32  // behind those of the shape
	Groups    int       // work-groups that play one instance
	Roles     int       // threads of a work-group
	Init      []int32   // of the locations in ordinary memory, then of those in fine-grained memory
	Mems      int       // how many are in ordinary memory
	Locals    int       // locations in local memory
	Outs      int       // rows of results
	Vars      []int32   // of each variable of an outcome: the place and the index
	Wanted    [][]int32 // outcomes that are counted by themselves
	Shapes    []Around  // that take turns; of each, Iter is the most
	Seed      uint64
	Time      time.Duration // as long as this, at the least one launch
	Instances int64         // and until so many have run; 0: the time alone counts
}

// Around is a shape with how many work-groups do nothing but access other memory.
type Around struct {
	opencl.Shape
	Stressors int
}

// Tally is what came of a job.
type Tally struct {
	Counts    []int64 `json:"counts"` // by Job.Wanted
	Others    []Other `json:"others"` // outcomes that were not wanted
	Lost      int64   `json:"lost"`   // instances with other outcomes of which it is not known which
	Instances int64   `json:"instances"`
	Launches  int     `json:"launches"`
	// First is, by Job.Wanted and then Others, the shape and seed of the launch that showed an outcome first.
	First   []opencl.Shape `json:"first"`
	Device  time.Duration  `json:"device"`  // in launches
	Prepare time.Duration  `json:"prepare"` // before them
}

// Other is an outcome that nobody wanted.
type Other struct {
	Values []int32 `json:"values"`
	Count  int64   `json:"count"`
}

// Session runs jobs on a device.
type Session struct {
	*found
	context, queue Handle
	clear, check   Handle
	programs       []Handle
	harness        Handle
	buffers        map[string]sized
	kernels        map[string]Handle
}

// sized is a buffer that is used again where it is large enough.
type sized struct {
	handle Handle
	size   int
	svm    bool
}

// NewSession prepares a device.
func NewSession(f *found) (s *Session, err error) {
	s = &Session{found: f, buffers: map[string]sized{}, kernels: map[string]Handle{}}
	if s.context, err = f.api.CreateContext(f.platform, f.device); err != nil {
		return nil, err
	}
	if s.queue, err = f.api.CreateQueue(s.context, f.device); err != nil {
		return nil, err
	}
	return s, nil
}

// prepare compiles the kernels around a test, once.
func (s *Session) prepare() (err error) {
	if s.harness != 0 {
		return nil
	}
	if s.harness, err = s.build(opencl.Harness, "-cl-std=CL1.2"); err != nil {
		return err
	}
	if s.clear, err = s.api.CreateKernel(s.harness, "clmc_clear"); err != nil {
		return err
	}
	s.check, err = s.api.CreateKernel(s.harness, "clmc_check")
	return err
}

// BuildError is a compiler's.
type BuildError struct {
	Cause error
	Log   string
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("the device's compiler fails: %v\n%s", e.Cause, e.Log)
}

func (s *Session) build(source, options string) (Handle, error) {
	p, err := s.api.CreateProgram(s.context, source)
	if err != nil {
		return 0, err
	}
	if log, err := s.api.Build(p, s.device, options); err != nil {
		s.api.Release(ProgramObject, p)
		return 0, &BuildError{err, log}
	}
	return p, nil
}

// Build compiles a program of kernels in place of the one before.
func (s *Session) Build(b *buildRequest) error {
	if !b.Bare {
		if err := s.prepare(); err != nil {
			return err
		}
	}
	for _, k := range s.kernels {
		s.api.Release(KernelObject, k)
	}
	clear(s.kernels)
	for _, p := range s.programs {
		s.api.Release(ProgramObject, p)
	}
	s.programs = nil
	p, err := s.build(b.Source, b.Options)
	if err != nil {
		return err
	}
	s.programs = append(s.programs, p)
	for _, name := range b.Kernels {
		k, err := s.api.CreateKernel(p, name)
		if err != nil {
			return &BuildError{Cause: err}
		}
		s.kernels[name] = k
	}
	return nil
}

// Warm launches kernels that play nothing: some drivers compile a kernel when it is first launched, for each size of its work-groups.
func (s *Session) Warm(list []warmUp) error {
	for _, w := range list {
		if s.kernels[w.Kernel] == 0 {
			return fmt.Errorf("there is no kernel %s", w.Kernel)
		}
		var args []arg
		for _, name := range []string{"mem", "fine", "out", "start", "scratch"} {
			b, err := s.buffer(name, 1, false)
			if err != nil {
				return err
			}
			args = append(args, arg{buffer: b})
		}
		shape := opencl.Single()
		shape.Sets = 0
		args = append(append(append(args, arg{local: 4}), scalarArgs(shape.Args()...)...), scalarArgs(w.Args...)...)
		if err := s.call(s.kernels[w.Kernel], args, w.Local, w.Local); err != nil {
			return err
		}
	}
	return s.api.Finish(s.queue)
}

// buffer returns a buffer of at least so many ints.
func (s *Session) buffer(name string, ints int, svm bool) (Handle, error) {
	size := 4 * max(ints, 1)
	b, ok := s.buffers[name]
	if ok && b.size >= size && b.svm == svm {
		return b.handle, nil
	}
	if ok {
		s.release(b)
	}
	delete(s.buffers, name)
	b = sized{size: size, svm: svm}
	var err error
	if svm {
		b.handle, err = s.api.AllocSVM(s.context, size)
	} else {
		b.handle, err = s.api.CreateBuffer(s.context, size)
	}
	if err == nil {
		s.buffers[name] = b
	}
	return b.handle, err
}

func (s *Session) release(b sized) {
	if b.svm {
		s.api.FreeSVM(s.context, b.handle)
	} else {
		s.api.Release(BufferObject, b.handle)
	}
}

// words are the bytes of numbers, as devices have them.
func words[T int32 | uint32](list []T) []byte {
	b := make([]byte, 0, 4*max(len(list), 1))
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	if len(list) == 0 {
		b = append(b, 0, 0, 0, 0)
	}
	return b
}

// room is how many outcomes that nobody wants are kept of a launch.
const room = 256

// The bounds of a launch: the first take about as long as the least, and they grow while they end within the most.
const (
	launchMost = 100 * time.Millisecond
	maxWanted  = 1 << 12
)

// errIdle: a launch left memory as it was.
var errIdle = errors.New("the device has not run all work-items of a launch")

// Run runs a job.
func (s *Session) Run(j *Job) (*Tally, error) {
	begun := time.Now()
	if s.kernels[j.Kernel] == 0 {
		return nil, fmt.Errorf("there is no kernel %s", j.Kernel)
	}
	r := &runner{Session: s, Job: j, kernel: s.kernels[j.Kernel], random: rand.New(rand.NewPCG(j.Seed, 0x636c6d63)), tally: &Tally{}, iter: make([]uint32, len(j.Shapes))}
	r.wanted = slices.Clone(j.Wanted)
	if err := r.fit(); err != nil {
		return nil, err
	}
	if err := r.allocate(); err != nil {
		return nil, err
	}
	r.tally.Prepare = time.Since(begun)
	var end time.Time
	for at := 0; ; at++ {
		if err := r.launch(at % len(j.Shapes)); err != nil {
			return nil, err
		}
		if at == 0 { // some drivers compile only now
			end = time.Now().Add(j.Time)
		}
		if r.tally.Instances >= j.Instances && !time.Now().Before(end) {
			break
		}
		if j.Instances > 0 && r.tally.Instances >= j.Instances {
			break
		}
	}
	return r.result(), nil
}

// runner is one job while it runs.
type runner struct {
	*Session
	*Job
	kernel                                          Handle
	random                                          *rand.Rand
	tally                                           *Tally
	wanted                                          [][]int32
	counts                                          []int64
	first                                           []opencl.Shape
	iter                                            []uint32 // by shape: rounds of the next launch
	mem, fine, out, start, scratch                  Handle
	initial, vars, table, countBuffer, othersBuffer Handle
}

// fit keeps shapes within what the device can do.
func (r *runner) fit() error {
	limit, err := r.api.WorkGroupSize(r.kernel, r.device)
	if err != nil {
		return err
	}
	if r.info.MaxGroup > 0 {
		limit = min(limit, r.info.MaxGroup)
	}
	for i := range r.Shapes {
		s := &r.Shapes[i]
		for s.Lanes > 1 && int(s.Lanes)*r.Roles > limit {
			s.Lanes /= 2
		}
		if int(s.Lanes)*r.Roles > limit {
			return fmt.Errorf("the work-groups of the test have %d threads, and the device runs at most %d", r.Roles, limit)
		}
		for s.Iter > 1 && r.Locals > 0 && r.info.LocalMem > 0 && 4*uint64(r.Locals)*uint64(s.Lanes*s.Iter) > r.info.LocalMem/2 {
			s.Iter /= 2
		}
		r.iter[i] = min(s.Iter, 4)
	}
	return nil
}

// allocate makes the memory that all shapes need.
func (r *runner) allocate() (err error) {
	var cells, fines, outs, starts int
	for i := range r.Shapes {
		s := &r.Shapes[i]
		cells, fines = max(cells, s.Cells(r.Mems)), max(fines, s.Cells(len(r.Init)-r.Mems))
		outs, starts = max(outs, int(s.N)*r.Outs), max(starts, s.Starts())
	}
	for _, b := range []struct {
		handle *Handle
		name   string
		ints   int
		svm    bool
	}{
		{&r.mem, "mem", cells, false}, {&r.fine, "fine", fines, len(r.Init) > r.Mems}, {&r.out, "out", outs, false}, {&r.start, "start", starts, false},
		{&r.scratch, "scratch", opencl.ScratchCells, false}, {&r.initial, "init", len(r.Init), false}, {&r.vars, "vars", len(r.Vars), false},
		{&r.table, "table", maxWanted, false}, {&r.countBuffer, "counts", maxWanted + 1, false}, {&r.othersBuffer, "others", room * len(r.Vars), false},
	} {
		if *b.handle, err = r.buffer(b.name, b.ints, b.svm); err != nil {
			return err
		}
	}
	if err := r.api.Write(r.queue, r.initial, words(r.Init)); err != nil {
		return err
	}
	return r.api.Write(r.queue, r.vars, words(r.Vars))
}

// arg is an argument of a kernel: exactly one of its fields says which.
type arg struct {
	buffer Handle
	svm    Handle
	local  int
	scalar []byte
}

func scalarArgs(values ...uint32) (list []arg) {
	for _, v := range values {
		list = append(list, arg{scalar: words([]uint32{v})})
	}
	return list
}

// fineArg is the argument for fine-grained memory, which may be none.
func (r *runner) fineArg() arg {
	if len(r.Init) > r.Mems {
		return arg{svm: r.fine}
	}
	return arg{buffer: r.fine}
}

// call launches a kernel with arguments.
func (s *Session) call(kernel Handle, args []arg, global, local int) error {
	for i, a := range args {
		var err error
		switch {
		case a.scalar != nil:
			err = s.api.SetScalar(kernel, i, a.scalar)
		case a.local > 0:
			err = s.api.SetLocal(kernel, i, a.local)
		case a.svm != 0:
			err = s.api.SetSVM(kernel, i, a.svm)
		default:
			err = s.api.SetBuffer(kernel, i, a.buffer)
		}
		if err != nil {
			return err
		}
	}
	return s.api.Launch(s.queue, kernel, nil, []int{global}, []int{local})
}

// spread is the index space of a kernel that goes through all instances.
func (s *Session) spread() (global, local int) {
	local = min(64, max(s.info.MaxGroup, 1))
	if s.info.Type == "cpu" {
		return local * max(1, s.info.Units), local
	}
	return local * 8 * max(1, s.info.Units), local
}

// launch runs the instances of one shape, and counts what they left.
func (r *runner) launch(at int) error {
	around := &r.Shapes[at]
	s := around.Shape
	s.Iter, s.Seed = r.iter[at], r.random.Uint32()
	global, local := r.spread()
	place := []uint32{s.N, s.Step, s.Base, s.Turn}
	args := append([]arg{{buffer: r.mem}, r.fineArg(), {buffer: r.out}, {buffer: r.start}, {buffer: r.initial}},
		scalarArgs(append([]uint32{uint32(r.Mems), uint32(len(r.Init) - r.Mems), uint32(r.Outs), uint32(s.Starts()), uint32(s.Instances())}, place...)...)...)
	if err := r.call(r.clear, args, global, local); err != nil {
		return err
	}
	if err := r.api.Finish(r.queue); err != nil {
		return err
	}
	args = append([]arg{{buffer: r.mem}, r.fineArg(), {buffer: r.out}, {buffer: r.start}, {buffer: r.scratch}, {local: 4 * max(1, r.Locals) * int(s.Lanes*s.Iter)}}, scalarArgs(s.Args()...)...)
	args = append(args, scalarArgs(r.Args...)...)
	group := r.Roles * int(s.Lanes)
	begun := time.Now()
	if err := r.call(r.kernel, args, group*(s.WorkGroups(r.Groups)+around.Stressors), group); err != nil {
		return err
	}
	if err := r.api.Finish(r.queue); err != nil {
		return err
	}
	took := time.Since(begun)
	r.tally.Device += took
	r.tally.Launches++
	r.tally.Instances += int64(s.Instances())
	if took < launchMost/2 && r.tally.Launches > len(r.Shapes) { // the first of each may have compiled
		r.iter[at] = min(2*s.Iter, around.Iter)
	} else if took > launchMost {
		r.iter[at] = max(s.Iter/2, 1)
	}
	return r.count(&s, place)
}

// count counts the outcomes of a launch; where some are new, once more.
func (r *runner) count(s *opencl.Shape, place []uint32) error {
	for {
		n := len(r.wanted)
		var flat []int32
		for _, w := range r.wanted {
			flat = append(flat, w...)
		}
		if len(flat) > maxWanted {
			return fmt.Errorf("there are more outcomes than %d numbers", maxWanted)
		}
		if err := r.api.Write(r.queue, r.table, words(flat)); err != nil {
			return err
		}
		if err := r.api.Write(r.queue, r.countBuffer, make([]byte, 4*(n+1))); err != nil {
			return err
		}
		global, local := r.spread()
		args := append([]arg{{buffer: r.mem}, r.fineArg(), {buffer: r.out}, {buffer: r.vars}, {buffer: r.table}, {buffer: r.countBuffer}, {buffer: r.othersBuffer}},
			scalarArgs(append([]uint32{uint32(len(r.Vars) / 2), uint32(n), room, uint32(s.Instances())}, place...)...)...)
		if err := r.call(r.check, args, global, local); err != nil {
			return err
		}
		counts := make([]byte, 4*(n+1))
		if err := r.api.Read(r.queue, r.countBuffer, counts); err != nil {
			return err
		}
		unknown := int64(binary.LittleEndian.Uint32(counts[4*n:]))
		if unknown > 0 {
			news, err := r.learn(min(unknown, room))
			if err != nil {
				return err
			}
			if news && len(r.wanted)*len(r.Vars)/2 <= maxWanted {
				continue
			}
		}
		r.add(counts[:4*n], s)
		r.tally.Lost += unknown
		return nil
	}
}

// learn adds outcomes that were kept to those that are counted.
func (r *runner) learn(kept int64) (news bool, err error) {
	nv := len(r.Vars) / 2
	raw := make([]byte, 4*int(kept)*max(nv, 1))
	if err := r.api.Read(r.queue, r.othersBuffer, raw); err != nil {
		return false, err
	}
	for i := range int(kept) {
		o := make([]int32, nv)
		for v := range o {
			o[v] = int32(binary.LittleEndian.Uint32(raw[4*(i*nv+v):]))
			if o[v] == opencl.Unplayed && r.Vars[2*v] == int32(opencl.InOut) {
				return false, errIdle
			}
		}
		if !slices.ContainsFunc(r.wanted, func(w []int32) bool { return slices.Equal(w, o) }) {
			r.wanted, news = append(r.wanted, o), true
		}
	}
	return news, nil
}

// add adds the counts of a launch.
func (r *runner) add(counts []byte, s *opencl.Shape) {
	for i := range r.wanted {
		if i == len(r.counts) {
			r.counts, r.first = append(r.counts, 0), append(r.first, opencl.Shape{})
		}
		n := int64(binary.LittleEndian.Uint32(counts[4*i:]))
		if n > 0 && r.counts[i] == 0 {
			r.first[i] = *s
		}
		r.counts[i] += n
	}
}

// result is what the launches came to.
func (r *runner) result() *Tally {
	n := len(r.Wanted)
	r.tally.Counts, r.tally.First, r.tally.Others = r.counts[:n], r.first, []Other{}
	for i, w := range r.wanted[n:] {
		r.tally.Others = append(r.tally.Others, Other{w, r.counts[n+i]})
	}
	return r.tally
}
