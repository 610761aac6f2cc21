package device

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// request is what a client asks of its child, one a line. Exactly one of the fields from List on is set.
type request struct {
	Library string // of OpenCL; "" for the usual ones
	List    *listRequest
	Open    *int // the number of a device
	Build   *buildRequest
	Warm    []warmUp
	Run     *Job
	Kernel  *KernelJob
}

// listRequest asks which devices there are.
type listRequest struct {
	Probe bool // also what their compilers take
	Only  int  // of this device alone; -1: of all
}

// buildRequest has a program compiled.
type buildRequest struct {
	Source, Options string
	Kernels         []string
	Bare            bool // nothing else is built
}

// warmUp is a kernel that is to be launched so that the driver compiles it: with further arguments, and a size of its work-groups.
type warmUp struct {
	Kernel string
	Args   []uint32
	Local  int
}

// reply is what a child says.
type reply struct {
	Devices []*listed
	Tally   *Tally
	Kernel  *KernelTally
	Failure *Failure
}

// listed is a device with what Info keeps for itself.
type listed struct {
	Info
	AtomicBits, FenceBits, SVMBits uint64
	Generation                     int
}

// Failure is what went wrong on a device.
type Failure struct {
	Kind FailureKind
	Text string
}

// FailureKind says what a failure is of.
type FailureKind string

// The kinds of failure.
const (
	NoLibrary   FailureKind = "no library" // OpenCL is not there
	NoCompile   FailureKind = "compiler"   // the device's compiler does not take the program
	DeviceFault FailureKind = "device"     // a call failed
	Hung        FailureKind = "hung"       // it did not answer, and was ended
	Died        FailureKind = "died"       // its process ended
	TooLarge    FailureKind = "size"       // the device has a limit
)

func (f *Failure) Error() string { return f.Text }

// mark begins the lines of a child: drivers write to standard output, too.
const mark = "clmc-device "

// Serve answers requests until there is no other.
func Serve(in io.Reader, out io.Writer, open func(library string) ([]API, error)) error {
	c := &child{open: open}
	lines := json.NewDecoder(bufio.NewReader(in))
	for {
		var q request
		if err := lines.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		text, err := json.Marshal(c.answer(&q))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "\n%s%s\n", mark, text); err != nil {
			return err
		}
	}
}

// child is what a child knows.
type child struct {
	open    func(string) ([]API, error)
	found   []*found
	loaded  bool
	session *Session
}

func (c *child) answer(q *request) *reply {
	r, err := c.do(q)
	var compile *BuildError
	switch failure := (*Failure)(nil); {
	case err == nil:
		return r
	case errors.As(err, &failure):
		return &reply{Failure: failure}
	case errors.As(err, &compile):
		return &reply{Failure: &Failure{NoCompile, err.Error()}}
	}
	return &reply{Failure: &Failure{DeviceFault, err.Error()}}
}

func (c *child) do(q *request) (*reply, error) {
	if !c.loaded {
		apis, err := c.open(q.Library)
		if err == nil {
			c.found, err = List(apis)
		}
		if err != nil {
			return nil, &Failure{NoLibrary, err.Error()}
		}
		c.loaded = true
	}
	switch {
	case q.List != nil:
		return c.list(q.List)
	case q.Open != nil:
		if *q.Open < 0 || *q.Open >= len(c.found) {
			return nil, fmt.Errorf("there is no device %d", *q.Open)
		}
		s, err := NewSession(c.found[*q.Open])
		c.session = s
		return &reply{}, err
	case c.session == nil:
		return nil, errors.New("no device is open")
	case q.Build != nil:
		return &reply{}, c.session.Build(q.Build)
	case q.Warm != nil:
		return &reply{}, c.session.Warm(q.Warm)
	case q.Kernel != nil:
		t, err := c.session.RunKernel(q.Kernel)
		return &reply{Kernel: t}, err
	}
	t, err := c.session.Run(q.Run)
	return &reply{Tally: t}, err
}

func (c *child) list(q *listRequest) (*reply, error) {
	r := &reply{}
	for i, f := range c.found {
		if q.Probe && len(f.info.Probes) == 0 && (q.Only < 0 || q.Only == i) && f.info.Compiler {
			if context, err := f.api.CreateContext(f.platform, f.device); err == nil {
				probe(f.api, context, f.device, f.info)
				f.api.Release(ContextObject, context)
			}
		}
		r.Devices = append(r.Devices, &listed{*f.info, f.info.atomics, f.info.fences, f.info.svm, f.info.generation})
	}
	return r, nil
}
