package device

import "fmt"

// Handle is an object of OpenCL: a platform, a device, a context and so on.
type Handle uintptr

// API is what is used of OpenCL. Each method is the call of its name, or close to it.
type API interface {
	Platforms() ([]Handle, error)
	PlatformInfo(platform Handle, what uint32) ([]byte, error)
	Devices(platform Handle) ([]Handle, error)
	DeviceInfo(device Handle, what uint32) ([]byte, error)

	CreateContext(platform, device Handle) (Handle, error)
	CreateQueue(context, device Handle) (Handle, error)
	CreateBuffer(context Handle, size int) (Handle, error)
	// AllocSVM returns fine-grained memory with atomics.
	AllocSVM(context Handle, size int) (Handle, error)
	FreeSVM(context, memory Handle)
	CreateProgram(context Handle, source string) (Handle, error)
	// Build compiles a program. Log is what the compiler says, also where it does not fail.
	Build(program, device Handle, options string) (log string, err error)
	CreateKernel(program Handle, name string) (Handle, error)
	// WorkGroupSize is the largest that a kernel can have on a device.
	WorkGroupSize(kernel, device Handle) (int, error)

	SetBuffer(kernel Handle, arg int, buffer Handle) error
	SetSVM(kernel Handle, arg int, memory Handle) error
	SetLocal(kernel Handle, arg, size int) error
	SetScalar(kernel Handle, arg int, value []byte) error

	Write(queue, buffer Handle, data []byte) error
	Read(queue, buffer Handle, data []byte) error
	// Launch enqueues a kernel; without an offset work-items count from 0.
	Launch(queue, kernel Handle, offset, global, local []int) error
	Finish(queue Handle) error
	// Release gives an object back: of the kind that the create function of it made.
	Release(kind Kind, object Handle)
}

// Kind is a kind of object that is given back.
type Kind int

// The kinds.
const (
	ContextObject Kind = iota
	QueueObject
	BufferObject
	ProgramObject
	KernelObject
)

// Error is an error code of OpenCL.
type Error struct {
	Call string
	Code int32
}

// Error names the code.
func (e *Error) Error() string {
	name := errorNames[e.Code]
	if name == "" {
		name = "an error that has no name"
	}
	return fmt.Sprintf("%s: %s (%d)", e.Call, name, e.Code)
}

// errorNames are codes of cl.h.
var errorNames = map[int32]string{
	-1: "CL_DEVICE_NOT_FOUND", -2: "CL_DEVICE_NOT_AVAILABLE", -3: "CL_COMPILER_NOT_AVAILABLE", -4: "CL_MEM_OBJECT_ALLOCATION_FAILURE",
	-5: "CL_OUT_OF_RESOURCES", -6: "CL_OUT_OF_HOST_MEMORY", -11: "CL_BUILD_PROGRAM_FAILURE", -14: "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
	-30: "CL_INVALID_VALUE", -32: "CL_INVALID_PLATFORM", -33: "CL_INVALID_DEVICE", -34: "CL_INVALID_CONTEXT", -36: "CL_INVALID_COMMAND_QUEUE",
	-38: "CL_INVALID_MEM_OBJECT", -43: "CL_INVALID_BUILD_OPTIONS", -44: "CL_INVALID_PROGRAM", -45: "CL_INVALID_PROGRAM_EXECUTABLE",
	-46: "CL_INVALID_KERNEL_NAME", -48: "CL_INVALID_KERNEL", -49: "CL_INVALID_ARG_INDEX", -50: "CL_INVALID_ARG_VALUE", -51: "CL_INVALID_ARG_SIZE",
	-52: "CL_INVALID_KERNEL_ARGS", -54: "CL_INVALID_WORK_GROUP_SIZE", -55: "CL_INVALID_WORK_ITEM_SIZE", -58: "CL_INVALID_EVENT",
	-59: "CL_INVALID_OPERATION", -61: "CL_INVALID_BUFFER_SIZE", -63: "CL_INVALID_GLOBAL_WORK_SIZE", -1001: "CL_PLATFORM_NOT_FOUND_KHR",
	-9999: "an illegal access of memory on the device",
}

// What is asked of platforms and devices: numbers of cl.h.
const (
	platformVersion = 0x0901
	platformName    = 0x0902
	platformVendor  = 0x0903

	deviceType           = 0x1000
	deviceUnits          = 0x1002
	deviceMaxGroup       = 0x1004
	deviceMaxItems       = 0x1005
	deviceSingleFloats   = 0x101B
	deviceNonUniform     = 0x1065
	deviceLocalMem       = 0x1023
	deviceGlobalMem      = 0x101F
	deviceName           = 0x102B
	deviceVendor         = 0x102C
	driverVersion        = 0x102D
	deviceVersion        = 0x102F
	deviceExtensions     = 0x1030
	deviceCVersion       = 0x103D
	deviceSVM            = 0x1053
	deviceSubGroups      = 0x105C // the most in a work-group
	deviceAtomics        = 0x1063
	deviceFences         = 0x1064
	deviceFeatures       = 0x106F
	deviceCVersions      = 0x1066
	deviceEnqueue        = 0x1070
	deviceAvailable      = 0x1027
	deviceHasCompiler    = 0x1028
	deviceForwardSubs    = 0x105D
	deviceGenericAddress = 0x1069
)
