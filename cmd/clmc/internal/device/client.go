package device

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/clmc/clmc/internal/guard"
)

// ChildCommand is the hidden command of clmc that is the child.
const ChildCommand = "device-child"

// How long a child may take: to say which devices there are, to compile, and beyond what it was given to run.
const (
	listTime  = 2 * time.Minute
	buildTime = 5 * time.Minute
	slack     = 5 * time.Second
)

// Client asks a child process, which it starts when there is none, and ends when it does not answer.
type Client struct {
	Library string // of OpenCL; "" for the usual ones
	// Start starts a child. Its zero value starts this program with ChildCommand.
	Start  func() (Process, error)
	proc   Process
	lines  chan []byte
	device *int // that is to be open
	last   *buildRequest
	stale  bool // the child has not got device and last
}

// Process is a child.
type Process interface {
	io.Writer
	Lines() io.Reader
	// End ends it, whatever it does, and says how it ended, with the end of what it wrote to standard error.
	End() string
}

// command is a child that is a process.
type command struct {
	io.WriteCloser
	out  io.ReadCloser
	cmd  *exec.Cmd
	said *tail
}

func startCommand() (Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &command{cmd: exec.Command(self, ChildCommand), said: &tail{}}
	c.cmd.Stderr = c.said
	c.cmd.WaitDelay = time.Second
	if c.WriteCloser, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return c, c.cmd.Start()
}

func (c *command) Lines() io.Reader { return c.out }

func (c *command) End() string {
	c.Close()
	ended := make(chan error, 1)
	guard.Go("device child", func() { ended <- c.cmd.Wait() })
	var err error
	select {
	case err = <-ended:
	case <-time.After(time.Second):
		c.cmd.Process.Kill()
		err = <-ended
	}
	text := "it ended"
	if err != nil {
		text = err.Error()
	}
	if said := untraced(c.said.String()); said != "" {
		text += "; it said:\n" + said
	}
	return text
}

// trace is where Go's runtime begins to tell all it knows when a library crashes: behind the name of the signal, or of the error.
var trace = regexp.MustCompile(`(?m)^((?:SIG[A-Z]+|fatal error|panic): .*)$`)

// untraced is what a child said without the state of its goroutines and registers: a driver that crashes is no fault of theirs.
func untraced(said string) string {
	if at := trace.FindStringIndex(said); at != nil {
		said = said[:at[1]]
	}
	return strings.TrimSpace(said)
}

// tail keeps the beginning and the end of what is written.
type tail struct {
	mu          sync.Mutex
	first, last []byte
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(p), tailSize-len(t.first))
	t.first = append(t.first, p[:n]...)
	t.last = append(t.last, p[n:]...)
	if len(t.last) > tailSize {
		t.last = bytes.Clone(t.last[len(t.last)-tailSize:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.first) + string(t.last)
}

// Close ends the child.
func (c *Client) Close() {
	if c.proc != nil {
		c.proc.End()
		c.proc = nil
	}
}

// start starts a child if there is none.
func (c *Client) start() error {
	if c.proc != nil {
		return nil
	}
	start := c.Start
	if start == nil {
		start = startCommand
	}
	p, err := start()
	if err != nil {
		return err
	}
	c.proc, c.lines, c.stale = p, make(chan []byte), true
	lines := c.lines
	guard.Go("device replies", func() {
		defer close(lines)
		r := bufio.NewReader(p.Lines())
		for {
			line, err := r.ReadBytes('\n')
			if text, ours := bytes.CutPrefix(line, []byte(mark)); ours && err == nil {
				lines <- text
			}
			if err != nil {
				return
			}
		}
	})
	return nil
}

// ask sends a request and waits for the reply, but not longer than so long.
func (c *Client) ask(ctx context.Context, q *request, limit time.Duration) (*reply, error) {
	if err := c.start(); err != nil {
		return nil, err
	}
	q.Library = c.Library
	text, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	if _, err := c.proc.Write(append(text, '\n')); err != nil {
		return nil, c.died()
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case line, ok := <-c.lines:
		if !ok {
			return nil, c.died()
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		if r.Failure != nil {
			if r.Failure.Kind == DeviceFault { // who knows what is left of it
				c.kill()
			}
			return nil, r.Failure
		}
		return &r, nil
	case <-timer.C:
		c.kill()
		return nil, &Failure{Hung, fmt.Sprintf("the device, or its driver, has not answered for %v; its process was ended", limit)}
	case <-ctx.Done():
		c.kill()
		return nil, ctx.Err()
	}
}

// died says how the child ended by itself.
func (c *Client) died() error {
	how := c.proc.End()
	c.proc = nil
	return &Failure{Died, "the process that talks to the device has ended: " + how}
}

func (c *Client) kill() {
	p := c.proc
	c.proc = nil
	p.End()
}

// Devices lists what there is. With probe the compiler of that device, or with -1 of all, is tried. Without OpenCL there is none, and why says so.
func (c *Client) Devices(ctx context.Context, probe bool, only int) (list []*Info, why string, err error) {
	r, err := c.ask(ctx, &request{List: &listRequest{probe, only}}, listTime)
	if f := (*Failure)(nil); errors.As(err, &f) && f.Kind == NoLibrary {
		return nil, f.Text, nil
	}
	if err != nil {
		return nil, "", err
	}
	for _, d := range r.Devices {
		d.Info.atomics, d.Info.fences, d.Info.svm, d.Info.generation = d.AtomicBits, d.FenceBits, d.SVMBits, d.Generation
		list = append(list, &d.Info)
	}
	if len(list) == 0 {
		why = "no driver has a device"
	}
	return list, why, nil
}

// Open chooses a device.
func (c *Client) Open(ctx context.Context, number int) error {
	c.device, c.last, c.stale = &number, nil, true
	return c.renew(ctx)
}

// renew brings a new child to where the last one was.
func (c *Client) renew(ctx context.Context) error {
	if err := c.start(); err != nil || !c.stale {
		return err
	}
	if _, err := c.ask(ctx, &request{Open: c.device}, listTime); err != nil {
		return err
	}
	if c.last != nil {
		if _, err := c.ask(ctx, &request{Build: c.last}, buildTime); err != nil {
			return err
		}
	}
	c.stale = false
	return nil
}

// Build compiles a program on the device that is open.
func (c *Client) Build(ctx context.Context, source, options string, kernels []string) error {
	return c.build(ctx, &buildRequest{source, options, kernels, false})
}

func (c *Client) build(ctx context.Context, b *buildRequest) error {
	c.last = nil
	if err := c.renew(ctx); err != nil {
		return err
	}
	_, err := c.ask(ctx, &request{Build: b}, buildTime)
	if err == nil {
		c.last = b
	}
	return err
}

// warm has the driver compile kernels that were built, if it does so at the first launch.
func (c *Client) warm(ctx context.Context, list []warmUp) error {
	_, err := c.ask(ctx, &request{Warm: list}, buildTime)
	return err
}

// another is a client for the same device.
func (c *Client) another() *Client {
	return &Client{Library: c.Library, Start: c.Start, device: c.device, stale: true}
}

// Run runs a job of the program that was built.
func (c *Client) Run(ctx context.Context, j *Job) (*Tally, error) {
	if err := c.renew(ctx); err != nil {
		return nil, err
	}
	r, err := c.ask(ctx, &request{Run: j}, j.Time+j.compile()+slack)
	if err != nil {
		return nil, err
	}
	return r.Tally, nil
}

// compile is how long the first launches may take beyond the others: some drivers compile then. With a number of
// instances to run, they take as long as they take.
func (j *Job) compile() time.Duration {
	if j.Instances > 0 {
		return 10 * time.Minute
	}
	return 30 * time.Second
}
