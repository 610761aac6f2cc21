package cli

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/cmd/clmc/internal/cluster/hub"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/store/disk"
)

const hubLong = `Run a NATS server, for searches that several processes or machines share, until it is
interrupted. It keeps the results of jobs in a folder, and finds them there when it starts again.

Without --listen it listens on this machine only, where every user may connect. With another
address it creates, at its first start, a certificate and three keys in the folder. With asker.nk one
can submit jobs and manage one's own; with worker.nk one can work on all jobs, and nothing else; with
admin.nk one can manage all jobs. The hub prints the commands to run on the other machines.

With --cluster it is no server itself: it answers for the jobs at another NATS server, with a key that
has all rights there. docs/distribution.md has the settings of that server.`

const hubExample = `  clmc hub
  clmc hub --listen 192.168.1.2 --dir /var/lib/clmc-hub --max-disk 50GiB
  clmc hub --listen 192.168.1.2 --asker alice --asker bob
  clmc hub --cluster tls://nats.example:4222 --nkey hub.nk`

// hubFlags are the flags of clmc hub.
type hubFlags struct {
	clusterFlags
	askers   []string
	maxJobs  int
	listen   string
	dir      string
	maxDisk  sizeValue
	insecure bool
}

func (a *app) hubCommand() *cobra.Command {
	h := &hubFlags{}
	cmd := &cobra.Command{
		Use:     "hub",
		Short:   "Run a server for searches on several machines",
		Long:    hubLong,
		Example: hubExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := h.clusterFlags.check(); err != nil {
				return err
			}
			if h.maxJobs < 0 {
				return fmt.Errorf("--max-jobs %d: want a positive number, or 0 for no bound", h.maxJobs)
			}
			if !h.used() {
				return a.hub(cmd.Context(), h)
			}
			for _, name := range []string{"listen", "dir", "insecure", "asker"} {
				if cmd.Flags().Changed(name) {
					return fmt.Errorf("--%s and --cluster: the server is another one; leave one of the two out", name)
				}
			}
			return a.answer(cmd.Context(), h)
		},
	}
	f := cmd.Flags()
	h.clusterFlags.register(f, "be no server, but answer for the jobs at the NATS server `URL`, such as nats://host:4222")
	f.StringArrayVar(&h.askers, "asker", nil, "create a key asker-`NAME`.nk, whose owner has jobs of their own (repeatable)")
	f.IntVar(&h.maxJobs, "max-jobs", 10_000, "let one asker have `N` jobs (0: no limit); they take at most half of --max-disk")
	f.StringVar(&h.listen, "listen", fmt.Sprintf("127.0.0.1:%d", hub.DefaultPort), "listen on `ADDR`, a host or host:port; 0.0.0.0 means all addresses of this machine")
	f.StringVar(&h.dir, "dir", "clmc-hub", "keep jobs, certificate and keys in the folder `DIR`")
	f.Var(&h.maxDisk, "max-disk", "the disk space that jobs may take, such as 50GiB (default: a quarter of the free space)")
	f.BoolVar(&h.insecure, "insecure", false, "listen without TLS and keys on an address that others can reach: anybody there can forge results, and so verdicts")
	return cmd
}

// freePart is the part of the free space that jobs may take if nothing is said.
const freePart = 4

// hub runs a hub until the context is done.
func (a *app) hub(ctx context.Context, f *hubFlags) error {
	o := hub.Options{Listen: f.listen, Dir: f.dir, MaxDisk: int64(f.maxDisk), Insecure: f.insecure, Log: a.logf, Askers: f.askers, MaxJobs: f.maxJobs, Check: checkJob}
	if o.MaxDisk == 0 {
		if left, known := disk.Free(filepath.Dir(filepath.Clean(f.dir))); known {
			o.MaxDisk = left / freePart
		}
	}
	h, err := hub.Start(o)
	if err != nil {
		return inputError{err}
	}
	defer h.Close()
	room := ""
	if o.MaxDisk > 0 {
		room = ", of at most " + humanize.IBytes(uint64(o.MaxDisk))
	}
	fmt.Fprintf(a.out, "listening at %s, with the jobs in %s%s\n", h.URL, f.dir, room)
	a.sayWhereTo(h, f)
	a.out.Flush()
	<-ctx.Done()
	a.logf("the hub ends; its jobs continue when it starts again")
	return nil
}

// answer answers for the jobs at another server until the context is done.
func (a *app) answer(ctx context.Context, f *hubFlags) error {
	f.Name = "clmc hub " + version()
	r, err := cluster.Serve(f.Server, cluster.RegistrarOptions{Check: checkJob, MaxJobs: f.maxJobs, MaxBytes: int64(f.maxDisk) / 2, Log: a.logf})
	if err != nil {
		return inputError{err}
	}
	defer r.Close()
	fmt.Fprintf(a.out, "answering for the jobs at %s\n", f.URL)
	a.out.Flush()
	<-ctx.Done()
	a.logf("the hub ends; jobs go on when it is started again")
	return nil
}

// sayWhereTo prints what to run elsewhere.
func (a *app) sayWhereTo(h *hub.Hub, f *hubFlags) {
	switch {
	case h.Secure:
		fmt.Fprintf(a.out, "Copy %s and %s to the other machine, and run there:\n", shell.Word(h.CA), shell.Word(h.Worker))
		for _, url := range h.Remote {
			fmt.Fprintf(a.out, "  clmc worker --cluster %s --tls-ca %s --nkey %s\n", url, filepath.Base(h.CA), filepath.Base(h.Worker))
		}
		fmt.Fprintf(a.out, "and on this one:\n  clmc explore --cluster %s --tls-ca %s --nkey %s MODEL\n", h.URL, shell.Word(h.CA), shell.Word(h.Asker))
		for _, file := range h.Askers {
			fmt.Fprintf(a.out, "%s is the key of one more asker\n", shell.Word(file))
		}
	default:
		fmt.Fprintf(a.out, "Run elsewhere on this machine:\n  clmc worker --cluster %s\n  clmc explore --cluster %s MODEL\n", h.URL, h.URL)
		if host, _, err := net.SplitHostPort(strings.TrimPrefix(h.URL, "nats://")); err == nil && (!hub.IsLocal(host) || len(h.Remote) > 0) {
			a.logf("anybody who can reach this address may work on jobs, and forge results")
		}
	}
}
