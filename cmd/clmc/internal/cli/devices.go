package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/cmd/clmc/internal/device"
	"github.com/clmc/clmc/explore/report"
)

const devicesLong = `List the OpenCL devices of this computer: what each one promises (atomic operations and fences, with
orders and scopes, shared virtual memory, device-side enqueue, sub-groups), and what its compiler takes, which clmc tries by
building a line of each kind, and whether settings are kept that clmc litmus --tune has found. The numbers are those of
clmc litmus --device=N.

OpenCL is loaded when it is needed: libOpenCL, or else the drivers in /etc/OpenCL/vendors. A process of its own talks
to the drivers, so that one that crashes or hangs ends that process, and clmc says so.

Exit codes:
  0  the devices are listed, or there is no OpenCL, which is said
  2  the command line is at fault
  3  a driver crashed or did not answer
  4  internal error: a bug of clmc, please report it`

const devicesExample = `  clmc devices
  clmc devices --format json
  clmc devices --library /usr/lib/x86_64-linux-gnu/libpocl.so.2`

// libraryHelp is the help of --library.
const libraryHelp = "load OpenCL, or one driver of it, from the library `FILE` (default: $" + device.LibraryVariable + ", libOpenCL, or the drivers that are registered)"

func (a *app) devicesCommand() *cobra.Command {
	format, library := formatValue(), ""
	cmd := &cobra.Command{
		Use:     "devices",
		Short:   "List the OpenCL devices of this computer, what they promise and what their compilers take",
		Long:    devicesLong,
		Example: devicesExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.devices(cmd.Context(), library, format.value)
		},
	}
	cmd.Flags().Var(&format, "format", "how to print results: text or json")
	cmd.Flags().StringVar(&library, "library", "", libraryHelp)
	return cmd
}

// deviceChildCommand is the process that talks to drivers.
func (a *app) deviceChildCommand() *cobra.Command {
	return &cobra.Command{Use: device.ChildCommand, Hidden: true, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return device.Serve(os.Stdin, os.Stdout, device.Open)
	}}
}

// devicesDocument is the list as JSON.
type devicesDocument struct {
	Schema  string         `json:"schema"` // clmc.devices/1
	Devices []*device.Info `json:"devices"`
	// None says why there is none.
	None string `json:"none,omitempty"`
}

func (a *app) devices(ctx context.Context, library, format string) error {
	c := &device.Client{Library: library}
	defer c.Close()
	list, why, err := c.Devices(ctx, true, -1)
	if err != nil {
		a.fail(exitInconclusive, err)
		return nil
	}
	for _, d := range list {
		d.Tuned = device.Tuned(d)
	}
	if format == "json" {
		if list == nil {
			list = []*device.Info{}
		}
		return report.WriteJSON(a.out, &devicesDocument{Schema: "clmc.devices/1", Devices: list, None: why})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.out, noDevice(why))
	}
	for _, d := range list {
		a.showDevice(d)
	}
	return nil
}

// noDevice is the sentence that there is no device.
func noDevice(why string) string {
	return fmt.Sprintf("There is no OpenCL device: %s.", strings.TrimRight(why, ".\n"))
}

func (a *app) showDevice(d *device.Info) {
	words := func(list []string) string {
		if len(list) == 0 {
			return "none"
		}
		return strings.Join(list, ", ")
	}
	fmt.Fprintf(a.out, "%d  %s\n", d.Number, d.Name)
	row := func(what, format string, args ...any) {
		fmt.Fprintf(a.out, "   %-14s %s\n", what, fmt.Sprintf(format, args...))
	}
	row("kind", "%s, of %s; platform %s", d.Type, d.Vendor, d.Platform)
	row("version", "%s; %s; driver %s", d.Version, d.CVersion, d.Driver)
	row("size", "%d compute units, work-groups of up to %d, %d bytes of local memory", d.Units, d.MaxGroup, d.LocalMem)
	row("features", "%s", words(d.Features))
	row("atomics", "%s (promised)", words(d.Atomics))
	row("fences", "%s (promised)", words(d.Fences))
	enqueue := "no"
	if d.Enqueue {
		enqueue = "yes"
	}
	row("svm", "%s; device-side enqueue: %s; sub-groups: at most %d", words(d.SVM), enqueue, d.SubGroups)
	if !d.Compiler {
		row("compiler", "none")
	}
	if n := len(d.Tuned); n > 0 {
		row("tuned", "%d settings of clmc litmus --tune are used", n)
	}
	for _, p := range d.Probes {
		promised, taken := "not promised", "not taken"
		if p.Claimed {
			promised = "promised"
		}
		if p.Taken {
			taken = "taken"
		}
		row("", "%-38s %s, %s", p.What, promised, taken)
	}
}
