package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/cmd/clmc/internal/capture"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/internal/visible"
)

const captureLong = `Run an application that uses OpenCL, and write each kernel that it launches as a kernel file with a
//clmc:launch line: the source, the macros of its build, sizes, scalars and the lengths of buffers. Nothing has to
be typed then, and nothing is guessed. The application runs as it does alone.

The launches of a kernel that differ in sizes or arguments are files of their own, up to --launches
of them. With --contents the files say what buffers hold, as the host wrote it. With --scale sizes are smaller,
and so are the numbers that are equal to a size or a multiple of it; a comment says which.

What cannot be seen is said: programs from binaries and SPIR-V, the contents of shared virtual memory and
images, what kernels wrote into a buffer. Needs the library libclmc_capture.so (make layer), on Linux.`

const captureExit = `Exit codes: that of the application (128 and the signal's number if a signal ended it), and if that is 0:
  0  launches were captured
  2  the application, the library or the folder cannot be used
  3  no launch was captured`

const captureExample = `  clmc capture -- ./app input.dat
  clmc capture --scale 8 --contents -o kernels -- ./app`

// captureFlags are the flags of clmc capture.
type captureFlags struct {
	layer, output string
	contents, mem sizeValue
	scale         int
	launches      int
	timeLimit     time.Duration
}

func (a *app) captureCommand() *cobra.Command {
	x := &captureFlags{}
	cmd := &cobra.Command{
		Use:     "capture [flags] -- APPLICATION [ARGUMENT...]",
		Short:   "Run an application and write the kernels that it launches, with sizes and arguments",
		Long:    captureLong + "\n\n" + captureExit,
		Example: captureExample,
		Args:    someArgs("an application to run, after --"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.capture(cmd.Context(), x, args) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVarP(&x.output, "output", "o", "capture", "write into the folder `DIR`, which is new or empty")
	f.Var(&x.contents, "contents", "write also what buffers hold, up to this `SIZE` of each")
	f.Lookup("contents").NoOptDefVal = "4KiB"
	f.IntVar(&x.scale, "scale", 1, "make global sizes `N` times smaller, but for two work-groups, and what depends on them")
	f.IntVar(&x.launches, "launches", 8, "write up to `N` launches of a kernel that differ")
	f.DurationVar(&x.timeLimit, "time-limit", 0, "stop to write files a `duration` such as 30s or 5m after the application has ended (0: no limit)")
	f.Var(&x.mem, "mem", "memory for reading what the application did, such as 2GiB")
	f.StringVar(&x.layer, "layer", "", "the `FILE` that notes what the application does (default: "+capture.Layer+" beside clmc)")
	return cmd
}

// maxContents bounds what is noted of a buffer.
const maxContents = 1 << 20

func (x *captureFlags) check() error {
	switch {
	case runtime.GOOS != "linux":
		return errors.New("clmc capture is for Linux: it needs the way in which shared libraries are loaded there")
	case x.contents > maxContents:
		return fmt.Errorf("--contents %v: want at most 1MiB", &x.contents)
	case x.scale < 1:
		return fmt.Errorf("--scale %d: want a positive number", x.scale)
	case x.launches < 1:
		return fmt.Errorf("--launches %d: want a positive number", x.launches)
	case x.timeLimit < 0:
		return fmt.Errorf("--time-limit %v: want a positive duration, or 0 for no bound", x.timeLimit)
	}
	return (&storeFlags{mem: x.mem, checkpoint: 1}).check()
}

// findLayer returns the path of the layer.
func (x *captureFlags) findLayer() (string, error) {
	var tried []string
	if x.layer != "" {
		tried = []string{x.layer}
	} else if exe, err := os.Executable(); err == nil {
		dir := filepath.Dir(exe)
		tried = []string{filepath.Join(dir, capture.Layer), filepath.Join(dir, "..", "lib", capture.Layer), filepath.Join("bin", capture.Layer)}
	}
	for _, path := range tried {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return filepath.Abs(path)
		}
	}
	return "", inputError{fmt.Errorf("there is no %s: build it by make layer in the sources of clmc, which needs a C compiler and OpenCL's headers, and name it with --layer", capture.Layer)}
}

// capture runs an application and writes what it launches.
func (a *app) capture(ctx context.Context, x *captureFlags, command []string) error {
	if err := x.check(); err != nil {
		return err
	}
	layer, err := x.findLayer()
	if err != nil {
		return err
	}
	if list, err := os.ReadDir(x.output); err == nil && len(list) > 0 {
		return inputError{fmt.Errorf("%s is not empty: name another folder with --output", visible.Line(x.output))}
	} else if err != nil && !os.IsNotExist(err) {
		return inputError{regular.Fault(x.output, err)}
	}
	notes, code, err := capture.Run(ctx, capture.Options{Layer: layer, Contents: int(x.contents), Launches: x.launches}, command)
	if err != nil {
		return inputError{err}
	}
	defer os.RemoveAll(notes)
	done, err := x.write(ctx, notes)
	if err != nil {
		return inputError{fmt.Errorf("the launches of the application, %s: %w", visible.Line(x.output), err)}
	}
	a.tellCapture(x, done, code)
	switch {
	case code != 0:
		a.code = code // of the application, as if it had been run alone
	case len(done.Launches) == 0:
		a.code = worse(a.code, exitInconclusive)
	}
	return nil
}

// afterInterrupt is how long files are written when an interrupt has ended the application, as many are ended.
const afterInterrupt = 10 * time.Second

// write writes what an application has launched, of which notes are in a folder.
func (x *captureFlags) write(ctx context.Context, notes string) (*capture.Written, error) {
	if ctx.Err() != nil {
		after, free := context.WithTimeoutCause(context.WithoutCancel(ctx), afterInterrupt, errors.New("interrupted"))
		defer free()
		ctx = after
	}
	ctx, cancel := (&searchFlags{timeLimit: x.timeLimit}).limit(ctx)
	defer cancel()
	limits := &storeFlags{mem: x.mem}
	limits.confineReaders()
	confine(limits.memory(0))
	return guard.Read(ctx, "capture", func() (*capture.Written, error) {
		log, err := capture.Read(notes)
		if err != nil {
			return nil, err
		}
		return capture.Write(log, x.output, x.scale)
	})
}

// tellCapture says what was written, apart from what the application writes.
func (a *app) tellCapture(x *captureFlags, done *capture.Written, code int) {
	if code != 0 {
		a.logf("the application ended with %d", code)
	}
	for _, f := range done.Launches {
		a.logf("%s: %s", visible.Line(f.Name), visible.Line(f.What))
	}
	for _, what := range done.Said {
		a.logf("not seen: %s", what)
	}
	if len(done.Launches) == 0 {
		a.logf("no launch was captured: the application enqueues no kernel, or it uses OpenCL in a way that %s does not see", capture.Layer)
		return
	}
	a.logf("next: %s", done.Launches[0].Next)
	if all := done.All(x.output); len(done.Launches) > 1 && all != "" {
		a.logf("or all of them: %s", all)
	}
}
