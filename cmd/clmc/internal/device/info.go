package device

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/litmus/opencl"
)

// Info is what is known of a device.
type Info struct {
	Number          int      `json:"number"`
	Name            string   `json:"name"`
	Vendor          string   `json:"vendor"`
	Type            string   `json:"type"` // cpu, gpu, accelerator or other
	Platform        string   `json:"platform"`
	PlatformVersion string   `json:"platform_version"`
	Version         string   `json:"version"`
	Driver          string   `json:"driver"`
	CVersion        string   `json:"opencl_c"`
	Features        []string `json:"features"`
	Units           int      `json:"compute_units"`
	MaxGroup        int      `json:"max_work_group"`
	MaxItems        []int    `json:"max_work_items"`     // in each dimension
	NonUniform      bool     `json:"non_uniform_groups"` // the last work-group of a dimension may be smaller
	SmallFloats     bool     `json:"denormal_floats"`
	LocalMem        uint64   `json:"local_memory"`
	GlobalMem       uint64   `json:"global_memory"`
	Compiler        bool     `json:"compiler"`
	Atomics         []string `json:"atomics_promised"`
	Fences          []string `json:"fences_promised"`
	SVM             []string `json:"svm"`
	Enqueue         bool     `json:"device_enqueue"`
	SubGroups       int      `json:"max_sub_groups"`
	Probes          []Probe  `json:"probes"`
	// Tuned are the settings that clmc litmus --tune has kept for the device and its driver.
	Tuned []Setting `json:"tuned,omitempty"`

	atomics, fences uint64
	svm             uint64
	generation      int // the major version of OpenCL
}

// Probe is a line that a device's compiler takes or not.
type Probe struct {
	What    string `json:"what"`
	Claimed bool   `json:"promised"`
	Taken   bool   `json:"taken"`
	Log     string `json:"log,omitempty"` // of the compiler, if it does not
}

// The bits of what a device says of atomics and fences.
var capabilityNames = []string{"relaxed", "acq_rel", "seq_cst", "work_item", "work_group", "device", "all_devices"}

const (
	capAcqRel = 1 << (iota + 1)
	capSeqCst
	capWorkItem
	capWorkGroup
	capDevice
	capAllDevices
)

// bitNames names the bits of a mask.
func bitNames(mask uint64, names []string) []string {
	list := []string{}
	for i, n := range names {
		if mask&(1<<i) != 0 {
			list = append(list, n)
		}
	}
	return list
}

// asked reads the answers of one device.
type asked struct {
	api    API
	device Handle
}

func (a asked) bytes(what uint32) []byte {
	value, err := a.api.DeviceInfo(a.device, what)
	if err != nil {
		return nil
	}
	return value
}

func (a asked) number(what uint32) uint64 { return number(a.bytes(what)) }
func (a asked) text(what uint32) string   { return plain(a.bytes(what)) }

// number reads an integer of OpenCL, whatever its size.
func number(b []byte) uint64 {
	var word [8]byte
	copy(word[:], b)
	return binary.LittleEndian.Uint64(word[:])
}

// plain is a text of OpenCL.
func plain(b []byte) string {
	text, _, _ := strings.Cut(string(b), "\x00")
	return strings.Join(strings.Fields(text), " ")
}

// describe asks a device what it is.
func describe(api API, platform, device Handle) *Info {
	ask := asked{api, device}
	p := func(what uint32) string { value, _ := api.PlatformInfo(platform, what); return plain(value) }
	d := &Info{
		Name: ask.text(deviceName), Vendor: ask.text(deviceVendor), Platform: p(platformName), PlatformVersion: p(platformVersion),
		Version: ask.text(deviceVersion), Driver: ask.text(driverVersion), CVersion: ask.text(deviceCVersion),
		Units: int(ask.number(deviceUnits)), MaxGroup: int(ask.number(deviceMaxGroup)), LocalMem: ask.number(deviceLocalMem), GlobalMem: ask.number(deviceGlobalMem),
		Compiler: ask.number(deviceHasCompiler) != 0, Enqueue: ask.number(deviceEnqueue)&1 != 0, SubGroups: int(ask.number(deviceSubGroups)),
		svm: ask.number(deviceSVM), Probes: []Probe{}, Features: []string{}, MaxItems: []int{},
	}
	d.Type = map[uint64]string{2: "cpu", 4: "gpu", 8: "accelerator"}[ask.number(deviceType)&^1]
	if d.Type == "" {
		d.Type = "other"
	}
	fmt.Sscanf(d.Version, "OpenCL %d", &d.generation)
	const denormal, toNearest = 1 << 0, 1 << 2
	d.SmallFloats = ask.number(deviceSingleFloats)&(denormal|toNearest) == denormal|toNearest
	d.NonUniform = d.generation == 2 || d.generation > 2 && ask.number(deviceNonUniform) != 0
	for b := ask.bytes(deviceMaxItems); len(b) >= 8; b = b[8:] {
		d.MaxItems = append(d.MaxItems, int(number(b[:8])))
	}
	switch d.generation {
	case 2: // all of it is part of OpenCL 2.0
		d.atomics, d.fences = 1<<7-1, 1<<7-1
	case 3:
		d.atomics, d.fences = ask.number(deviceAtomics), ask.number(deviceFences)
		d.Features = features(ask.bytes(deviceFeatures))
	}
	d.Atomics, d.Fences = bitNames(d.atomics, capabilityNames), bitNames(d.fences, capabilityNames)
	d.SVM = bitNames(d.svm, []string{"coarse_buffer", "fine_buffer", "fine_system", "atomics"})
	return d
}

// features reads a list of names with versions: 64 bytes of a name, behind four of a version.
func features(b []byte) []string {
	list := []string{}
	const name, version = 64, 4
	for ; len(b) >= name+version; b = b[name+version:] {
		list = append(list, strings.TrimPrefix(plain(b[version:][:name]), "__opencl_c_"))
	}
	return list
}

// Lacks says what a kernel needs and a device does not promise; none if it promises all.
func (d *Info) Lacks(k *opencl.Kernel) (list []string) {
	lack := func(has bool, what string) {
		if !has {
			list = append(list, what)
		}
	}
	order := func(mask uint64, o memmodel.Order) bool {
		switch {
		case o == memmodel.SeqCst:
			return mask&capSeqCst != 0
		case o > memmodel.Relaxed:
			return mask&capAcqRel != 0
		}
		return true
	}
	scope := func(mask uint64, s memmodel.Scope) bool {
		return mask&map[memmodel.Scope]uint64{memmodel.ScopeWorkItem: capWorkItem, memmodel.ScopeWorkGroup: capWorkGroup,
			memmodel.ScopeDevice: capDevice, memmodel.ScopeAllSVMDevices: capAllDevices}[s] != 0
	}
	if k.Mapping == opencl.C11 {
		for _, o := range k.Needs.Orders {
			lack(order(d.atomics, o), "atomics of "+o.String())
		}
		for _, s := range k.Needs.Scopes {
			lack(scope(d.atomics, s), "atomics of "+s.String())
		}
		for _, o := range k.Needs.FenceOrders {
			lack(order(d.fences, o), "fences of "+o.String())
		}
		for _, s := range k.Needs.FenceScopes {
			lack(scope(d.fences, s), "fences of "+s.String())
		}
	}
	return list
}

// FineSVM reports whether the device has fine-grained memory with atomics.
func (d *Info) FineSVM() bool { const fineAtomics = 2 | 8; return d.svm&fineAtomics == fineAtomics }

// Takes reports whether the compiler takes what a mapping needs at the least.
func (d *Info) Takes(m opencl.Mapping) bool {
	what := map[opencl.Mapping]string{opencl.C11: probeC11, opencl.Legacy: probeLegacy, opencl.PTX: probePTX}[m]
	for _, p := range d.Probes {
		if p.What == what {
			return p.Taken
		}
	}
	return false
}

// takesScopes reports whether the compiler takes the scopes of a kernel: of what was tried alone, no program of many tests needs to fail.
func (d *Info) takesScopes(k *opencl.Kernel) bool {
	if k.Mapping != opencl.C11 || !slices.Contains(k.Needs.Scopes, memmodel.ScopeAllSVMDevices) && !slices.Contains(k.Needs.FenceScopes, memmodel.ScopeAllSVMDevices) {
		return true
	}
	return !slices.ContainsFunc(d.Probes, func(p Probe) bool { return p.What == probeAllDevices && !p.Taken })
}

// The probes on which a mapping depends.
const (
	probeC11    = "atomics: relaxed, work_group"
	probeLegacy = "atomics of OpenCL 1.x"
	probePTX    = "inline PTX"
	// and a scope
	probeAllDevices = "atomics: relaxed, all_svm_devices"
)

// probes are lines of OpenCL C with what a device must promise for each: bits of atomics and of fences.
var probes = []struct {
	what, std, line string
	atomics, fences uint64
	generation      int
}{
	{probeC11, "CL3.0", "atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_work_group);", capWorkGroup, 0, 2},
	{"atomics: relaxed, device", "CL3.0", "atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_device);", capDevice, 0, 2},
	{"atomics: acquire and release, device", "CL3.0", "atomic_store_explicit(a, atomic_load_explicit(a, memory_order_acquire, memory_scope_device), memory_order_release, memory_scope_device);", capDevice | capAcqRel, 0, 2},
	{"atomics: seq_cst, device", "CL3.0", "atomic_store_explicit(a, 1, memory_order_seq_cst, memory_scope_device);", capDevice | capSeqCst, 0, 2},
	{probeAllDevices, "CL3.0", "atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_all_svm_devices);", capAllDevices, 0, 2},
	{"fences: acq_rel, work_group", "CL3.0", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);", 0, capWorkGroup | capAcqRel, 2},
	{"fences: acq_rel, device", "CL3.0", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);", 0, capDevice | capAcqRel, 2},
	{"fences: seq_cst, device", "CL3.0", "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);", 0, capDevice | capSeqCst, 2},
	{probeLegacy, "CL1.2", "atomic_xchg((volatile global int *)p, 1); mem_fence(CLK_GLOBAL_MEM_FENCE);", 0, 0, 1},
	{probePTX, "CL1.2", `int r; asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory"); *p = r;`, 0, 0, 0},
}

// probe tries what a device's compiler takes.
func probe(api API, context, device Handle, d *Info) {
	for _, p := range probes {
		atom := ""
		if p.std == "CL3.0" {
			atom = "global atomic_int *a = (global atomic_int *)p; "
		}
		promised := p.generation > 0 && d.generation >= p.generation && d.atomics&p.atomics == p.atomics && d.fences&p.fences == p.fences
		result := Probe{What: p.what, Claimed: promised}
		log, err := tryBuild(api, context, device, "kernel void k(global int *p) { "+atom+p.line+" }\n", "-cl-std="+p.std)
		if result.Taken = err == nil; err != nil {
			if result.Log = log; log == "" {
				result.Log = err.Error()
			}
		}
		d.Probes = append(d.Probes, result)
	}
}

// tryBuild builds a program and gives it back.
func tryBuild(api API, context, device Handle, source, options string) (log string, err error) {
	p, err := api.CreateProgram(context, source)
	if err != nil {
		return "", err
	}
	defer api.Release(ProgramObject, p)
	if log, err = api.Build(p, device, options); err != nil {
		return log, err
	}
	k, err := api.CreateKernel(p, "k") // some compilers work only now
	if err != nil {
		return log, err
	}
	api.Release(KernelObject, k)
	return log, nil
}
