package device

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/models/litmus/opencl"
	"github.com/clmc/clmc/state/ir"
)

// fake is an OpenCL in Go: a device that runs the kernels of a test by asking clmc's front end and search what they may
// leave, and leaves something of that. What it is told makes it right, sequentially consistent, wrong or broken.
type fake struct {
	t       testing.TB
	spec    memmodel.Spec
	rewrite *strings.Replacer // of the program, before it is looked at: what the device makes of it
	// choose picks an outcome by its index; nil is any.
	choose        func(r *rand.Rand, outcomes []map[string]int64) int
	answers       map[uint32][]byte // of DeviceInfo, instead of the usual ones
	refuses       []string          // texts that the compiler does not take
	lost          int               // launches after which the device is lost; 0: never
	hang          int               // launch that never ends; 0: none
	idle          bool              // launches of tests do nothing
	cold          bool              // launches that play nothing fail
	left          map[string]int64  // by the last run of a kernel
	built         *int              // counts programs
	full          bool              // there is no memory
	launches      int
	plays         func() // is told of each launch of a test
	random        *rand.Rand
	objects       []any
	outcomes      map[string][]map[string]int64
	initial       []int32 // as clmc_clear was told
	mems, outs    int
	releasedTwice bool
}

type (
	fakeBuffer  struct{ cells []int32 }
	fakeProgram struct{ source string }
	fakeKernel  struct {
		program *fakeProgram
		name    string
		args    map[int]any // *fakeBuffer, uint32, or an int for local memory
	}
)

func newFake(t testing.TB) *fake {
	return &fake{t: t, spec: memmodel.Specs[0], random: rand.New(rand.NewPCG(1, 2)), objects: []any{nil}, outcomes: map[string][]map[string]int64{}}
}

func (f *fake) add(o any) Handle {
	f.objects = append(f.objects, o)
	return Handle(len(f.objects) - 1)
}

func (f *fake) Platforms() ([]Handle, error) { return []Handle{1}, nil }
func (f *fake) PlatformInfo(_ Handle, what uint32) ([]byte, error) {
	return []byte("Fake platform\x00"), nil
}
func (f *fake) Devices(Handle) ([]Handle, error) { return []Handle{2}, nil }

func (f *fake) DeviceInfo(_ Handle, what uint32) ([]byte, error) {
	if a, ok := f.answers[what]; ok {
		return a, nil
	}
	number := func(n uint64) ([]byte, error) { return binary.LittleEndian.AppendUint64(nil, n), nil }
	switch what {
	case deviceName:
		return []byte("Fake device\x00"), nil
	case deviceVersion:
		return []byte("OpenCL 3.0 fake\x00"), nil
	case deviceType:
		return number(4)
	case deviceUnits:
		return number(4)
	case deviceMaxGroup:
		return number(256)
	case deviceLocalMem:
		return number(1 << 15)
	case deviceAtomics, deviceFences:
		return number(1<<7 - 1)
	case deviceSVM:
		return number(15)
	case deviceHasCompiler:
		return number(1)
	}
	return nil, &Error{"clGetDeviceInfo", -30}
}

func (f *fake) CreateContext(Handle, Handle) (Handle, error) { return f.add("context"), nil }
func (f *fake) CreateQueue(Handle, Handle) (Handle, error)   { return f.add("queue"), nil }
func (f *fake) CreateBuffer(_ Handle, size int) (Handle, error) {
	if size > 1<<30 || f.full {
		return 0, &Error{"clCreateBuffer", -4}
	}
	return f.add(&fakeBuffer{make([]int32, (size+3)/4)}), nil
}
func (f *fake) AllocSVM(c Handle, size int) (Handle, error) { return f.CreateBuffer(c, size) }
func (f *fake) FreeSVM(_, m Handle)                         { f.Release(BufferObject, m) }
func (f *fake) CreateProgram(_ Handle, source string) (Handle, error) {
	return f.add(&fakeProgram{source}), nil
}

func (f *fake) Build(p, _ Handle, options string) (string, error) {
	source := f.objects[p].(*fakeProgram).source
	if f.built != nil {
		*f.built++
	}
	for _, r := range append(f.refuses, "asm volatile") {
		if strings.Contains(source, r) {
			return "1:1: what is " + r + "?\x1b[31m", &Error{"clBuildProgram", -11}
		}
	}
	return "", nil
}

func (f *fake) CreateKernel(p Handle, name string) (Handle, error) {
	return f.add(&fakeKernel{f.objects[p].(*fakeProgram), name, map[int]any{}}), nil
}
func (f *fake) WorkGroupSize(Handle, Handle) (int, error) { return 256, nil }
func (f *fake) set(k Handle, arg int, v any) error {
	f.objects[k].(*fakeKernel).args[arg] = v
	return nil
}
func (f *fake) SetBuffer(k Handle, arg int, b Handle) error {
	return f.set(k, arg, f.objects[b].(*fakeBuffer))
}
func (f *fake) SetSVM(k Handle, arg int, b Handle) error { return f.SetBuffer(k, arg, b) }
func (f *fake) SetLocal(k Handle, arg, size int) error   { return f.set(k, arg, size) }
func (f *fake) SetScalar(k Handle, arg int, v []byte) error {
	return f.set(k, arg, binary.LittleEndian.Uint32(v))
}

func (f *fake) Write(_, b Handle, data []byte) error {
	cells := f.objects[b].(*fakeBuffer).cells
	for i := range len(data) / 4 {
		cells[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return nil
}

func (f *fake) Read(_, b Handle, data []byte) error {
	copy(data, words(f.objects[b].(*fakeBuffer).cells[:len(data)/4]))
	return nil
}

func (f *fake) Finish(Handle) error { return nil }
func (f *fake) Release(_ Kind, h Handle) {
	f.releasedTwice = f.releasedTwice || f.objects[h] == nil
	f.objects[h] = nil
}

func (k *fakeKernel) cells(i int) []int32 { return k.args[i].(*fakeBuffer).cells }
func (k *fakeKernel) number(i int) int    { return int(k.args[i].(uint32)) }

func (f *fake) Launch(_, h Handle, offset, global, local []int) error {
	k := f.objects[h].(*fakeKernel)
	if len(global) == 1 && global[0]%local[0] != 0 || local[0] > 256 {
		return &Error{"clEnqueueNDRangeKernel", -54}
	}
	if len(offset) == 0 {
		offset = make([]int, len(global))
	}
	switch k.name {
	case "clmc_clear":
		f.clear(k)
		return nil
	case "clmc_check":
		f.check(k)
		return nil
	}
	if k.name == clc.HostFetch {
		f.fetch(k)
		return nil
	}
	if k.name == clc.HostReset {
		f.left = nil
		return nil
	}
	f.launches++
	switch {
	case f.launches == f.hang:
		time.Sleep(time.Hour)
	case f.lost > 0 && f.launches > f.lost:
		return &Error{"clEnqueueNDRangeKernel", -5}
	case f.idle:
		return nil
	}
	if !strings.Contains(k.program.source, "clmc") || strings.Contains(k.program.source, "#line 1") {
		if f.left != nil && strings.Contains(k.program.source, clc.HostReset) { // what the last run left would be there
			return &Error{"clEnqueueNDRangeKernel: the variables were not reset", -59}
		}
		f.run(k, offset, global, local)
		return nil
	}
	return f.play(k, global[0], local[0])
}

// place is the shape of a kernel whose arguments are N, Step, Base and Turn from there on.
func (k *fakeKernel) place(at int) *opencl.Shape {
	return &opencl.Shape{N: uint32(k.number(at)), Step: uint32(k.number(at + 1)), Base: uint32(k.number(at + 2)), Turn: uint32(k.number(at + 3))}
}

func (f *fake) clear(k *fakeKernel) {
	f.mems, f.outs = k.number(5), k.number(7)
	fines := k.number(6)
	f.initial = slices.Clone(k.cells(4)[:f.mems+fines])
	s := k.place(10)
	for i := range k.number(9) {
		for l, v := range f.initial {
			if l < f.mems {
				k.cells(0)[s.Index(l, i)] = v
			} else {
				k.cells(1)[s.Index(l-f.mems, i)] = v
			}
		}
		for o := range f.outs {
			k.cells(2)[o*int(s.N)+i] = opencl.Unplayed
		}
	}
}

func (f *fake) check(k *fakeKernel) {
	nv, nw, room, count := k.number(7), k.number(8), k.number(9), k.number(10)
	s := k.place(11)
	vars, wanted, counts, others := k.cells(3), k.cells(4), k.cells(5), k.cells(6)
	for i := range count {
		value := make([]int32, nv)
		for v := range value {
			at := int(vars[2*v+1])
			if place := opencl.Place(vars[2*v]); place == opencl.InOut {
				value[v] = k.cells(2)[at*int(s.N)+i]
			} else {
				value[v] = k.cells(int(place) - 1)[s.Index(at, i)]
			}
		}
		w := 0
		for w < nw && !slices.Equal(wanted[w*nv:(w+1)*nv], value) {
			w++
		}
		if counts[w]++; w == nw && int(counts[w]) <= room {
			copy(others[int(counts[w]-1)*nv:], value)
		}
	}
}

// play leaves, for each instance, one of the outcomes that the program of a single one may have.
func (f *fake) play(k *fakeKernel, global, local int) error {
	s := &opencl.Shape{}
	for i, p := range []*uint32{&s.N, &s.Sets, &s.Lanes, &s.Iter, &s.Step, &s.Base, &s.Turn, &s.Gap, &s.Pair, &s.Twist, &s.Spin, &s.Delay, &s.Pre, &s.Stress, &s.Seed} {
		*p = uint32(k.number(6 + i))
	}
	if f.plays != nil && s.Sets > 0 {
		f.plays()
	}
	if s.Sets == 0 { // which only makes it compile
		if f.cold {
			return &Error{"clEnqueueNDRangeKernel", -5}
		}
		return nil
	}
	outcomes := f.may(k, s, local/int(s.Lanes))
	for i := range s.Instances() {
		for l, v := range f.initial[:f.mems] {
			if k.cells(0)[s.Index(l, i)] != v {
				return &Error{"clEnqueueNDRangeKernel: an instance was not cleared", -59}
			}
		}
		at := f.random.IntN(len(outcomes))
		if f.choose != nil {
			at = f.choose(f.random, outcomes)
		}
		for name, v := range outcomes[at] {
			var row int
			buffer, _, _ := strings.Cut(name, "[")
			fmt.Sscanf(name[len(buffer):], "[%d]", &row)
			switch buffer {
			case "out":
				k.cells(2)[row*int(s.N)+i] = int32(v)
			case "mem":
				k.cells(0)[s.Index(row, i)] = int32(v)
			case "fine":
				k.cells(1)[s.Index(row, i)] = int32(v)
			}
		}
	}
	return nil
}

// explore searches a program to its end, also when the test that began it has left: a child plays what it was given.
func (f *fake) explore(p *ir.Program) *explore.Result {
	return explore.Run(context.WithoutCancel(f.t.Context()), p, explore.Options{Spec: f.spec, All: true})
}

// may are the outcomes of one instance.
func (f *fake) may(k *fakeKernel, s *opencl.Shape, roles int) []map[string]int64 {
	source := k.program.source
	if f.rewrite != nil {
		source = f.rewrite.Replace(source)
	}
	merged := strings.HasPrefix(k.name, "clmc_play")
	key := k.name + "\n" + source
	if merged {
		key = fmt.Sprint(k.number(21), key)
	}
	if o, ok := f.outcomes[key]; ok {
		return o
	}
	list := func(cells []int32) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(append(slices.Clone(cells), 0)), " ", ","), "[]")
	}
	args := []string{"mem={" + list(f.initial[:f.mems]) + "}", "fine={" + list(f.initial[f.mems:]) + "}", fmt.Sprintf("out=int[%d]", f.outs+1), "start=int[1]", "scratch=int[1]", "shared=local[16]"}
	one := opencl.Single()
	for i, name := range strings.Fields("n sets lanes iter step base turn gap pair twist spin delay pre stress seed") {
		args = append(args, fmt.Sprintf("%s=%d", name, one.Args()[i]))
	}
	groups := 1
	if merged {
		groups = k.number(22)
		for i, name := range strings.Fields("test groups threads members") {
			args = append(args, fmt.Sprintf("%s=%d", name, k.number(21+i)))
		}
	} else if _, after, ok := strings.Cut(source[strings.Index(source, "void "+k.name+"("):], "get_group_id(0) / gap / "); ok {
		fmt.Sscanf(after, "%d", &groups)
	}
	p, err := clc.Source("fake.cl", []byte(source), clc.Options{KeepValues: true, Kernel: k.name, Args: args, Global: fmt.Sprint(groups * roles), Local: fmt.Sprint(roles)})
	if err != nil {
		panic(err) // this is not the test's goroutine
	}
	for i, o := range p.Objects {
		if o.Name == "fine" {
			p.Objects[i].Kind = memmodel.FineSVMAtomics
		}
		for c := range o.Init {
			if o.Name == "out" && c < f.outs || o.Name == "mem" && c < f.mems || o.Name == "fine" && c < len(f.initial)-f.mems {
				p.Final = append(p.Final, ir.FinalVar{Name: fmt.Sprintf("%s[%d]", o.Name, c), Addr: o.Base + int32(c)})
			}
		}
	}
	r := f.explore(p)
	if len(r.Outcomes) == 0 {
		panic(fmt.Sprintf("the program has no outcome: %v\n%s", r.Violations, source))
	}
	f.outcomes[key] = r.Outcomes
	return r.Outcomes
}
