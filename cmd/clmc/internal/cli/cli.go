package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/store/disk"
)

// app is one run of the command.
type app struct {
	out  *bufio.Writer // results
	err  io.Writer     // everything else
	tty  io.Writer     // where progress is drawn, with what moves the cursor
	code int           // the exit code so far

	try time.Duration // of a checks.Night; 0 for the usual

	loaded func(*model.Model) // is told of each model that is to be explored; nil: nobody is
}

// Main runs the command with its arguments and returns the exit code.
func Main(args []string, stdout, stderr io.Writer) int { return run(args, stdout, stderr, 0) }

// run does so with so much time for the first try of each check of a night, if that is not the usual.
func run(args []string, stdout, stderr io.Writer, try time.Duration) int {
	ctx, stop := signal.NotifyContext(context.Background(), requests()...)
	defer stop()
	// The first signal asks the search to wind up. Once it has been heard, a
	// second one ends the process the usual way.
	context.AfterFunc(ctx, stop)

	// Nothing that comes from outside reaches a terminal but through these two.
	terminal := newPainter(stdout)
	results, messages := visible.NewWriter(terminal), visible.NewWriter(stderr)
	a := &app{out: bufio.NewWriter(results), err: messages, tty: stderr, try: try}
	guard.Crashed = func(name string, cause any, stack []byte) {
		if !mapped(cause) {
			cause = fmt.Sprintf("%s: %v", name, cause)
		}
		a.crash(cause, stack)
		os.Exit(exitInternal)
	}
	guard.Memory.Store(readersMem)
	guard.Overrun = func(err error) {
		a.failFor(err)
		os.Exit(a.code)
	}
	disk.Dead = func(err error) {
		a.failFor(storeError("", err))
		os.Exit(a.code)
	}
	a.guard(func() error { return a.execute(ctx, args) })
	err := errors.Join(a.out.Flush(), results.Flush())
	if p, ok := terminal.(*painter); ok {
		err = errors.Join(err, p.flush())
	}
	if err != nil {
		a.fail(exitUsage, fmt.Errorf("cannot write the results: %w", err))
	}
	return a.code
}

// requests are the signals that ask the search to wind up. A terminal that is
// closed does, unless the process was started to outlive it, as by nohup.
func requests() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// execute parses the command line and runs the command.
func (a *app) execute(ctx context.Context, args []string) error {
	root := a.root()
	if len(args) > 0 && isModelFile(args[0]) {
		args = append([]string{"explore"}, args...)
	}
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cmd, err := root.ExecuteContextC(ctx)
	var input inputError
	if err != nil && !errors.As(err, &input) {
		//lint:ignore ST1005 it is a sentence of its own
		return fmt.Errorf("%s\nRun '%s --help' to see what is possible.", plain(err), cmd.CommandPath())
	}
	return err
}

// isModelFile reports whether an argument in the place of a command is a file to explore.
func isModelFile(arg string) bool {
	if t := model.Target(arg); !t.IsKernel() && !t.IsLitmus() && filepath.Ext(arg) != ".go" {
		return false
	}
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular()
}

// plain is the text of an error about a flag, without the names of functions of
// packages strconv and time.
func plain(err error) string {
	text := err.Error()
	if num := (*strconv.NumError)(nil); errors.As(err, &num) {
		why := "want a whole number"
		switch {
		case num.Func == "ParseBool":
			why = "want true or false"
		case errors.Is(num, strconv.ErrRange):
			why = "the number is too large"
		}
		text = strings.ReplaceAll(text, num.Error(), why)
	}
	if before, _, ok := strings.Cut(text, ": time: "); ok { // an error of a type that has no name
		text = before + ": want a duration such as 30s, 5m or 8h"
	}
	return text
}

// inputError is an error that the command line's help does not help with: the
// flags are in order, but not what they name.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// guard runs f and turns an error or a panic into a message and an exit code.
func (a *app) guard(f func() error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			a.crash(r, debug.Stack())
		}
	}()
	if err := f(); err != nil {
		a.failFor(err)
	}
}

// failFor reports an error with the exit code that it calls for.
func (a *app) failFor(err error) { a.fail(exitOfError(err), err) }

// fail reports an error.
func (a *app) fail(code int, err error) {
	a.code = worse(a.code, code)
	fmt.Fprintf(a.err, "clmc: %v\n", err)
}

// crash reports a panic.
func (a *app) crash(cause any, stack []byte) {
	a.code = exitInternal
	if mapped(cause) {
		if c, elsewhere := cause.(*guard.Crash); elsewhere {
			cause = c.Cause
		}
		fmt.Fprintf(a.err, "clmc: %v\n%s\n", cause, mappedAdvice)
		return
	}
	fmt.Fprintf(a.err, `clmc: internal error: %v

%s

%s`, cause, pleaseReport, stack)
}

// mapped reports whether a panic is a fault in mapped memory, which the system
// could not read from a disk, or find room for there.
func mapped(cause any) bool {
	if c, elsewhere := cause.(*guard.Crash); elsewhere {
		cause = c.Cause
	}
	_, ok := cause.(interface{ Addr() uintptr })
	return ok
}

const mappedAdvice = `The disk of the store failed or is full; the files of a store are mapped into memory. The store
holds its last checkpoint. When the disk is in order again, 'clmc resume' continues from there.`

const pleaseReport = `This is a bug of clmc, not of your model. Please report it at
https://github.com/clmc/clmc/issues together with the command line, the model,
the output of 'clmc version' and this message.`

// logf prints a remark that is not a result.
func (a *app) logf(format string, args ...any) {
	fmt.Fprintf(a.err, "clmc: "+format+"\n", args...)
}
