//go:build (linux || darwin || windows) && (amd64 || arm64) && !nodevice

package device

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// native calls a library.
type native struct {
	getPlatformIDs     func(n uint32, ids *Handle, found *uint32) int32
	getPlatformInfo    func(p Handle, what uint32, size uintptr, value *byte, written *uintptr) int32
	getDeviceIDs       func(p Handle, kind uint64, n uint32, ids *Handle, found *uint32) int32
	getDeviceInfo      func(d Handle, what uint32, size uintptr, value *byte, written *uintptr) int32
	createContext      func(properties *uintptr, n uint32, devices *Handle, notify, user uintptr, code *int32) Handle
	releaseContext     func(Handle) int32
	createQueue        func(c, d Handle, properties uint64, code *int32) Handle
	releaseQueue       func(Handle) int32
	createBuffer       func(c Handle, flags uint64, size uintptr, host uintptr, code *int32) Handle
	releaseBuffer      func(Handle) int32
	createProgram      func(c Handle, n uint32, texts **byte, sizes *uintptr, code *int32) Handle
	releaseProgram     func(Handle) int32
	buildProgram       func(p Handle, n uint32, devices *Handle, options *byte, notify, user uintptr) int32
	getBuildInfo       func(p, d Handle, what uint32, size uintptr, value *byte, written *uintptr) int32
	createKernel       func(p Handle, name *byte, code *int32) Handle
	releaseKernel      func(Handle) int32
	setKernelArg       func(k Handle, arg uint32, size uintptr, value unsafe.Pointer) int32
	getKernelGroupInfo func(k, d Handle, what uint32, size uintptr, value *byte, written *uintptr) int32
	finish             func(Handle) int32
	readBuffer         func(q, b Handle, block uint32, offset, size uintptr, data *byte, n uint32, events uintptr, event uintptr) int32
	writeBuffer        func(q, b Handle, block uint32, offset, size uintptr, data *byte, n uint32, events uintptr, event uintptr) int32
	launch             func(q, k Handle, dims uint32, offset, global, local *uintptr, n uint32, events uintptr, event uintptr) int32
	svmAlloc           func(c Handle, flags uint64, size uintptr, align uint32) Handle
	svmFree            func(c, memory Handle)
	setKernelArgSVM    func(k Handle, arg uint32, memory Handle) int32
}

// entry is a function of OpenCL: its name, where its pointer is in the table that each object of an ICD begins with (cl_icd.h), and
// what is called.
type entry struct {
	name     string
	index    int
	function any
	later    bool // OpenCL 2.0: a library may lack it
}

func (n *native) entries() []entry {
	return []entry{
		{"clGetPlatformIDs", 0, &n.getPlatformIDs, false}, {"clGetPlatformInfo", 1, &n.getPlatformInfo, false},
		{"clGetDeviceIDs", 2, &n.getDeviceIDs, false}, {"clGetDeviceInfo", 3, &n.getDeviceInfo, false},
		{"clCreateContext", 4, &n.createContext, false}, {"clReleaseContext", 7, &n.releaseContext, false},
		{"clCreateCommandQueue", 9, &n.createQueue, false}, {"clReleaseCommandQueue", 11, &n.releaseQueue, false},
		{"clCreateBuffer", 14, &n.createBuffer, false}, {"clReleaseMemObject", 18, &n.releaseBuffer, false},
		{"clCreateProgramWithSource", 26, &n.createProgram, false}, {"clReleaseProgram", 29, &n.releaseProgram, false},
		{"clBuildProgram", 30, &n.buildProgram, false}, {"clGetProgramBuildInfo", 33, &n.getBuildInfo, false},
		{"clCreateKernel", 34, &n.createKernel, false}, {"clReleaseKernel", 37, &n.releaseKernel, false},
		{"clSetKernelArg", 38, &n.setKernelArg, false}, {"clGetKernelWorkGroupInfo", 40, &n.getKernelGroupInfo, false},
		{"clFinish", 47, &n.finish, false}, {"clEnqueueReadBuffer", 48, &n.readBuffer, false},
		{"clEnqueueWriteBuffer", 49, &n.writeBuffer, false}, {"clEnqueueNDRangeKernel", 59, &n.launch, false},
		{"clSVMAlloc", 126, &n.svmAlloc, true}, {"clSVMFree", 127, &n.svmFree, true}, {"clSetKernelArgSVMPointer", 134, &n.setKernelArgSVM, true},
	}
}

// load opens a library: one that has OpenCL's functions, or an ICD, which tells them by its platforms.
func load(path string) (API, error) {
	lib, err := open(path)
	if err != nil && strings.TrimSpace(err.Error()) == "" { // the loader does not always say why
		err = fmt.Errorf("%s: it cannot be loaded", path)
	}
	if err != nil {
		return nil, err
	}
	n := &native{}
	if symbol(lib, "clGetPlatformIDs") != 0 && symbol(lib, "clEnqueueNDRangeKernel") != 0 {
		for _, e := range n.entries() {
			if at := symbol(lib, e.name); at != 0 {
				purego.RegisterFunc(e.function, at)
			} else if !e.later {
				return nil, fmt.Errorf("%s: it has no function %s", path, e.name)
			}
		}
		return n, nil
	}
	return n, n.fromICD(lib, path)
}

// fromICD finds the functions of an ICD as a loader does (cl_khr_icd): through its platforms.
func (n *native) fromICD(lib uintptr, path string) error {
	at := symbol(lib, "clIcdGetPlatformIDsKHR")
	if at == 0 {
		if get := symbol(lib, "clGetExtensionFunctionAddress"); get != 0 {
			var address func(name *byte) uintptr
			purego.RegisterFunc(&address, get)
			at = address(text("clIcdGetPlatformIDsKHR"))
		}
	}
	if at == 0 {
		return fmt.Errorf("%s: it is no library of OpenCL", path)
	}
	purego.RegisterFunc(&n.getPlatformIDs, at)
	platforms, err := n.Platforms()
	if err != nil {
		return err
	}
	if len(platforms) == 0 {
		return nil // nothing else will be called
	}
	table := *(*unsafe.Pointer)(*(*unsafe.Pointer)(unsafe.Pointer(&platforms[0])))
	for _, e := range n.entries()[1:] {
		at := *(*uintptr)(unsafe.Add(table, uintptr(e.index)*unsafe.Sizeof(uintptr(0))))
		if at == 0 && !e.later {
			return fmt.Errorf("%s: it has no function %s", path, e.name)
		}
		if at != 0 {
			purego.RegisterFunc(e.function, at)
		}
	}
	return nil
}

// text is a string of C.
func text(s string) *byte { return &append([]byte(s), 0)[0] }

func failed(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return &Error{call, code}
}

// Platforms implements API. No platform is no error.
func (n *native) Platforms() ([]Handle, error) {
	var count uint32
	const none = -1001
	if code := n.getPlatformIDs(0, nil, &count); code != 0 && code != none || count == 0 {
		if code == none {
			code = 0
		}
		return nil, failed("clGetPlatformIDs", code)
	}
	ids := make([]Handle, count)
	return ids, failed("clGetPlatformIDs", n.getPlatformIDs(count, &ids[0], nil))
}

// info reads a value of unknown size.
func info(call string, get func(size uintptr, value *byte, written *uintptr) int32) ([]byte, error) {
	var size uintptr
	if code := get(0, nil, &size); code != 0 {
		return nil, failed(call, code)
	}
	const most = 1 << 20
	if size == 0 || size > most {
		return nil, nil
	}
	value := make([]byte, size)
	return value, failed(call, get(size, &value[0], nil))
}

// PlatformInfo implements API.
func (n *native) PlatformInfo(p Handle, what uint32) ([]byte, error) {
	return info("clGetPlatformInfo", func(size uintptr, value *byte, written *uintptr) int32 {
		return n.getPlatformInfo(p, what, size, value, written)
	})
}

// Devices implements API. No device is no error.
func (n *native) Devices(p Handle) ([]Handle, error) {
	const all, none = 0xFFFFFFFF, -1
	var count uint32
	if code := n.getDeviceIDs(p, all, 0, nil, &count); code != 0 && code != none || count == 0 {
		if code == none {
			code = 0
		}
		return nil, failed("clGetDeviceIDs", code)
	}
	ids := make([]Handle, count)
	return ids, failed("clGetDeviceIDs", n.getDeviceIDs(p, all, count, &ids[0], nil))
}

// DeviceInfo implements API.
func (n *native) DeviceInfo(d Handle, what uint32) ([]byte, error) {
	return info("clGetDeviceInfo", func(size uintptr, value *byte, written *uintptr) int32 {
		return n.getDeviceInfo(d, what, size, value, written)
	})
}

// CreateContext implements API.
func (n *native) CreateContext(platform, device Handle) (Handle, error) {
	const contextPlatform = 0x1084
	properties := []uintptr{contextPlatform, uintptr(platform), 0}
	var code int32
	c := n.createContext(&properties[0], 1, &device, 0, 0, &code)
	return c, failed("clCreateContext", code)
}

// CreateQueue implements API.
func (n *native) CreateQueue(context, device Handle) (Handle, error) {
	var code int32
	q := n.createQueue(context, device, 0, &code)
	return q, failed("clCreateCommandQueue", code)
}

// CreateBuffer implements API.
func (n *native) CreateBuffer(context Handle, size int) (Handle, error) {
	const readWrite = 1
	var code int32
	b := n.createBuffer(context, readWrite, uintptr(size), 0, &code)
	return b, failed("clCreateBuffer", code)
}

// AllocSVM implements API.
func (n *native) AllocSVM(context Handle, size int) (Handle, error) {
	const readWriteFineAtomics = 1 | 1<<10 | 1<<11
	if n.svmAlloc == nil || n.setKernelArgSVM == nil {
		return 0, errors.New("the library has no shared virtual memory")
	}
	m := n.svmAlloc(context, readWriteFineAtomics, uintptr(size), 0)
	if m == 0 {
		return 0, errors.New("clSVMAlloc: there is no fine-grained memory with atomics")
	}
	return m, nil
}

// FreeSVM implements API.
func (n *native) FreeSVM(context, memory Handle) { n.svmFree(context, memory) }

// CreateProgram implements API.
func (n *native) CreateProgram(context Handle, source string) (Handle, error) {
	first, size := text(source), uintptr(len(source))
	var pin runtime.Pinner
	pin.Pin(first)
	defer pin.Unpin()
	var code int32
	p := n.createProgram(context, 1, &first, &size, &code)
	return p, failed("clCreateProgramWithSource", code)
}

// Build implements API.
func (n *native) Build(program, device Handle, options string) (string, error) {
	const buildLog = 0x1183
	err := failed("clBuildProgram", n.buildProgram(program, 1, &device, text(options), 0, 0))
	log, _ := info("clGetProgramBuildInfo", func(size uintptr, value *byte, written *uintptr) int32 {
		return n.getBuildInfo(program, device, buildLog, size, value, written)
	})
	return strings.TrimSpace(strings.TrimRight(string(log), "\x00")), err
}

// CreateKernel implements API.
func (n *native) CreateKernel(program Handle, name string) (Handle, error) {
	var code int32
	k := n.createKernel(program, text(name), &code)
	return k, failed("clCreateKernel", code)
}

// WorkGroupSize implements API.
func (n *native) WorkGroupSize(kernel, device Handle) (int, error) {
	const workGroupSize = 0x11B0
	value, err := info("clGetKernelWorkGroupInfo", func(size uintptr, value *byte, written *uintptr) int32 {
		return n.getKernelGroupInfo(kernel, device, workGroupSize, size, value, written)
	})
	return int(number(value)), err
}

// SetBuffer implements API.
func (n *native) SetBuffer(kernel Handle, arg int, buffer Handle) error {
	return failed("clSetKernelArg", n.setKernelArg(kernel, uint32(arg), unsafe.Sizeof(buffer), unsafe.Pointer(&buffer)))
}

// SetSVM implements API.
func (n *native) SetSVM(kernel Handle, arg int, memory Handle) error {
	return failed("clSetKernelArgSVMPointer", n.setKernelArgSVM(kernel, uint32(arg), memory))
}

// SetLocal implements API.
func (n *native) SetLocal(kernel Handle, arg, size int) error {
	return failed("clSetKernelArg", n.setKernelArg(kernel, uint32(arg), uintptr(size), nil))
}

// SetScalar implements API.
func (n *native) SetScalar(kernel Handle, arg int, value []byte) error {
	return failed("clSetKernelArg", n.setKernelArg(kernel, uint32(arg), uintptr(len(value)), unsafe.Pointer(&value[0])))
}

// Write implements API.
func (n *native) Write(queue, buffer Handle, data []byte) error {
	return failed("clEnqueueWriteBuffer", n.writeBuffer(queue, buffer, 1, 0, uintptr(len(data)), &data[0], 0, 0, 0))
}

// Read implements API.
func (n *native) Read(queue, buffer Handle, data []byte) error {
	return failed("clEnqueueReadBuffer", n.readBuffer(queue, buffer, 1, 0, uintptr(len(data)), &data[0], 0, 0, 0))
}

// Launch implements API.
func (n *native) Launch(queue, kernel Handle, offset, global, local []int) error {
	sizes := func(list []int) *uintptr {
		if len(list) == 0 {
			return nil
		}
		out := make([]uintptr, len(list))
		for i, v := range list {
			out[i] = uintptr(v)
		}
		return &out[0]
	}
	return failed("clEnqueueNDRangeKernel", n.launch(queue, kernel, uint32(len(global)), sizes(offset), sizes(global), sizes(local), 0, 0, 0))
}

// Finish implements API.
func (n *native) Finish(queue Handle) error { return failed("clFinish", n.finish(queue)) }

// Release implements API.
func (n *native) Release(kind Kind, object Handle) {
	switch kind {
	case ContextObject:
		n.releaseContext(object)
	case QueueObject:
		n.releaseQueue(object)
	case BufferObject:
		n.releaseBuffer(object)
	case ProgramObject:
		n.releaseProgram(object)
	case KernelObject:
		n.releaseKernel(object)
	}
}
