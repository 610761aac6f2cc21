package device

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/clmc/clmc/models/litmus"
	"github.com/clmc/clmc/models/litmus/opencl"
)

// Case is a litmus test with what the memory model says of it.
type Case struct {
	File    string
	Test    *litmus.Test
	Allowed [][]int32 // outcomes, over Test.Vars
}

// Seen is an outcome of a test, allowed or seen or both.
type Seen struct {
	Values  []int32
	Allowed bool
	Count   int64
	Shape   *opencl.Shape // of the launch that showed it first
}

// Result is what came of a case on a device.
type Result struct {
	*Case
	Skipped   string // why it was not run
	Failure   *Failure
	Kernel    *opencl.Kernel
	entry     opencl.Entry
	Lacks     []string // what the kernel uses and the device does not promise
	Outcomes  []Seen   // allowed ones first
	Lost      int64
	Instances int64
	Launches  int
	Time      time.Duration // on the device
}

// Forbidden are the outcomes that were seen though no execution has them.
func (r *Result) Forbidden() (list []Seen) {
	for _, o := range r.Outcomes {
		if o.Count > 0 && !o.Allowed {
			list = append(list, o)
		}
	}
	return list
}

// Suite runs cases on a device.
type Suite struct {
	Client     *Client
	Info       *Info
	Mapping    opencl.Mapping // "" chooses for each test
	Unpromised bool           // also what the device does not promise
	Time       time.Duration  // for each test
	Instances  int64          // of each test; 0: the time counts
	Seed       uint64
	Settings   []Setting
	mappings   []opencl.Mapping // those that were used
	pending    []*Result
	mapping    opencl.Mapping // of pending
	others     []*Client      // that compile and play programs beside Client
	running    []*program     // in the order of their tests
	begun      int            // programs
}

// batch is how many tests are compiled together.
const batch = 50

// Options are those of the compiler.
func (s *Suite) Options(m opencl.Mapping) string {
	std := m.Standard()
	if m == opencl.C11 && s.Info.generation == 2 {
		std = "CL2.0"
	}
	options := "-cl-std=" + std
	if m == opencl.C11 && (s.Info.atomics&capDevice != 0 || s.Unpromised) {
		options += " -DCLMC_RELAXED"
	}
	if !slices.ContainsFunc(s.Settings, func(x Setting) bool { return x.Pre > 0 || x.Stress > 0 }) {
		options += " -DCLMC_CALM"
	}
	return options
}

// choose finds the mapping of a test and writes its kernel, or says why there is none. Of those that do, the first is taken
// that needs nothing that is not promised; of others, with Unpromised, the first.
func (s *Suite) choose(r *Result) {
	tree := r.Test.Tree()
	list := opencl.Mappings
	if s.Mapping != "" {
		list = []opencl.Mapping{s.Mapping}
	} else if s.Info.Takes(opencl.PTX) {
		list = []opencl.Mapping{opencl.C11, opencl.PTX, opencl.Legacy}
	}
	why := ""
	var spare *opencl.Kernel
	for _, m := range list {
		if !s.Info.Takes(m) {
			why = firstReason(why, fmt.Sprintf("the device's compiler does not take the mapping %s", m))
			continue
		}
		k, err := opencl.Emit(tree, fmt.Sprintf("t%d", len(s.pending)), m)
		if err != nil {
			why = firstReason(why, err.Error())
			continue
		}
		lacks := s.Info.Lacks(k)
		switch {
		case k.Loops:
			why = "it has a loop, which may wait for a work-item that the device does not run"
		case !s.Info.takesScopes(k):
			why = firstReason(why, "the device's compiler does not take memory_scope_all_svm_devices")
		case k.Needs.Fine && !s.Info.FineSVM():
			why = firstReason(why, "the device has no fine-grained memory with atomics")
		case len(lacks) == 0:
			r.Kernel = k
			return
		case spare == nil:
			spare = k
		}
		if len(lacks) > 0 && s.Info.takesScopes(k) {
			why = firstReason(why, fmt.Sprintf("the device does not promise %s (--unpromised runs it)", lacks[0]))
		}
	}
	if spare != nil && s.Unpromised {
		r.Kernel, r.Lacks = spare, s.Info.Lacks(spare)
		return
	}
	r.Skipped = why
}

// countable says of a test with a kernel that it is not run if its outcomes do not fit into the table in which a device counts them.
func (r *Result) countable() {
	if r.Kernel != nil && len(r.Allowed)*len(r.Kernel.Vars) > maxWanted {
		r.Skipped, r.Kernel = fmt.Sprintf("its outcomes have more than %d values, which clmc does not count on a device", maxWanted), nil
	}
}

func firstReason(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Add runs a case with others of its mapping, when there are enough; tell is told what came of each.
func (s *Suite) Add(ctx context.Context, c *Case, tell func(*Result)) error {
	r := &Result{Case: c}
	s.choose(r)
	r.countable()
	if r.Kernel == nil {
		tell(r)
		return nil
	}
	if len(s.pending) > 0 && r.Kernel.Mapping != s.mapping || len(s.pending) == batch {
		if err := s.begin(ctx, tell); err != nil {
			return err
		}
		s.choose(r) // with the name that it has in the new program
	}
	s.mapping = r.Kernel.Mapping
	s.pending = append(s.pending, r)
	return nil
}

// failed tells of a test that could not be run; an error that is none of the device's ends the suite.
func (s *Suite) failed(r *Result, err error, tell func(*Result)) error {
	if !errors.As(err, &r.Failure) {
		return err
	}
	if r.Failure.Kind == NoCompile {
		r.Skipped = "the device's compiler does not take the program"
	}
	tell(r)
	return nil
}

// job is the job of a case.
func (s *Suite) job(r *Result) *Job {
	k := r.Kernel
	j := &Job{Kernel: r.entry.Kernel, Args: r.entry.Args, Groups: k.Groups, Roles: k.Roles, Mems: len(k.Globals), Locals: len(k.Locals), Outs: k.Outs,
		Wanted: r.Allowed, Shapes: Shapes(s.Info, k, s.Settings), Time: s.Time, Instances: s.Instances}
	for _, l := range slices.Concat(k.Globals, k.Fine) {
		j.Init = append(j.Init, int32(l.Init))
	}
	for _, v := range k.Vars {
		j.Vars = append(j.Vars, int32(v.Place), int32(v.Index))
	}
	h := fnv.New64a() // so that what is random in a test does not depend on the others
	h.Write([]byte(r.Test.Name))
	j.Seed = s.Seed ^ h.Sum64()
	return j
}

func (s *Suite) run(ctx context.Context, c *Client, r *Result, tell func(*Result)) error {
	t, err := c.Run(ctx, s.job(r))
	if err != nil {
		return s.failed(r, err, tell)
	}
	r.Lost, r.Instances, r.Launches, r.Time = t.Lost, t.Instances, t.Launches, t.Device
	for i, n := range t.Counts {
		r.Outcomes = append(r.Outcomes, Seen{Values: r.Allowed[i], Allowed: true, Count: n, Shape: &t.First[i]})
	}
	for i, o := range t.Others {
		r.Outcomes = append(r.Outcomes, Seen{Values: o.Values, Count: o.Count, Shape: &t.First[len(t.Counts)+i]})
	}
	tell(r)
	return nil
}

// Sight is whether a way of running tests can see weak behaviour at all: how often store buffering was seen, which
// is allowed, and which nearly every processor does.
type Sight struct {
	Mapping   opencl.Mapping `json:"mapping"`
	Scope     string         `json:"scope"`
	Weak      int64          `json:"weak"`
	Instances int64          `json:"instances"`
	Failure   string         `json:"failure,omitempty"`
}

// Blind reports whether nothing weak was seen.
func (s *Sight) Blind() bool { return s.Weak == 0 }

// buffering is a test of store buffering, of a scope and a placement.
const buffering = `OpenCL store_buffering
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed, %[1]s);
  int r0 = atomic_load_explicit(y, memory_order_relaxed, %[1]s);
}
P1 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed, %[1]s);
  int r0 = atomic_load_explicit(x, memory_order_relaxed, %[1]s);
}
scopeTree (device %[2]s)
exists (0:r0=0 /\ 1:r0=0)
`

// Mappings is how many mappings were used.
func (s *Suite) Mappings() int { return len(s.mappings) }

// Sights tries each mapping that was used with store buffering: between work-groups, or within one if the device promises
// no more.
func (s *Suite) Sights(ctx context.Context) (list []Sight, err error) {
	for _, m := range s.mappings {
		one := *s
		one.Mapping, one.Time, one.Instances = m, max(s.Time, time.Second), 0
		one.pending, one.mappings, one.running = nil, nil, nil
		for _, at := range [][2]string{{"memory_scope_device", "(work_group P0) (work_group P1)"}, {"memory_scope_work_group", "(work_group P0 P1)"}} {
			test, err := litmus.Parse("store_buffering.litmus", fmt.Appendf(nil, buffering, at[0], at[1]))
			if err != nil {
				return nil, err
			}
			sight := Sight{Mapping: m, Scope: at[0]}
			c := &Case{Test: test, Allowed: [][]int32{{0, 0}, {0, 1}, {1, 0}, {1, 1}}}
			tell := func(r *Result) {
				sight.Instances = r.Instances
				switch {
				case r.Failure != nil:
					sight.Failure = r.Failure.Text
				case r.Skipped != "":
					sight.Failure = r.Skipped
				default:
					sight.Weak = r.Outcomes[0].Count
				}
			}
			if err := one.Add(ctx, c, tell); err != nil {
				return nil, err
			}
			if err := one.Flush(ctx, tell); err != nil {
				return nil, err
			}
			if sight.Instances > 0 || at[0] == "memory_scope_work_group" {
				list = append(list, sight)
				break
			}
		}
	}
	return list, nil
}
