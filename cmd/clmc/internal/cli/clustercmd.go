package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/internal/visible"
)

const clusterLong = `Manage the searches that are on a server:

  clmc cluster jobs         list the jobs: how far they are, and how large
  clmc cluster workers      list the workers: their jobs, and how fast they are
  clmc cluster cancel ID    end a job: its workers leave it, and its results stay
  clmc cluster remove ID    remove a job and its results, which frees disk space`

const clusterExample = `  clmc cluster jobs --cluster nats://127.0.0.1:4222
  clmc cluster workers --cluster nats://127.0.0.1:4222 --format json
  clmc cluster remove --cluster tls://hub.example:4222 --tls-ca ca.pem --nkey asker.nk ID`

// clusterCommand has the action as an argument, and not as a command of its own: there is one set of flags.
func (a *app) clusterCommand() *cobra.Command {
	c := &clusterFlags{}
	format := formatValue()
	cmd := &cobra.Command{
		Use:     "cluster ACTION [ID...]",
		Short:   "Manage the searches on a server: jobs, workers, cancel, remove",
		Long:    clusterLong,
		Example: clusterExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name what to do: jobs, workers, cancel or remove")
			}
			if !c.used() {
				return errors.New("name the server with --cluster, as in --cluster nats://127.0.0.1:4222")
			}
			return a.clusterAction(cmd.Context(), c, args[0], args[1:], format.value)
		},
	}
	c.register(cmd.Flags(), "the NATS server, such as `nats://host:4222`")
	cmd.Flags().Var(&format, "format", "how to print jobs and workers: text or json")
	return cmd
}

func (a *app) clusterAction(ctx context.Context, f *clusterFlags, action string, ids []string, format string) error {
	each := map[string]func(*cluster.Cluster, string) error{
		"cancel": func(c *cluster.Cluster, id string) error { return a.cancelJob(ctx, c, id) },
		"remove": func(c *cluster.Cluster, id string) error { return c.Remove(ctx, id) },
	}[action]
	list := map[string]func(context.Context, *cluster.Cluster, string) error{"jobs": a.listJobs, "workers": a.listWorkers}[action]
	switch {
	case each == nil && list == nil:
		return fmt.Errorf("%q: want jobs, workers, cancel or remove", action)
	case each != nil && len(ids) == 0:
		return fmt.Errorf("name the jobs to %s by their ids, as 'clmc cluster jobs' shows them", action)
	case list != nil && len(ids) > 0:
		return fmt.Errorf("%s: want nothing after it", action)
	}
	c, err := f.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	if list != nil {
		return asInput(list(ctx, c, format))
	}
	for _, id := range ids {
		if err := each(c, id); err != nil {
			return inputError{fmt.Errorf("%s: %w", action, err)}
		}
		a.logf("job %s: %s", id, map[string]string{"cancel": "cancelled; its workers leave it within seconds", "remove": "removed"}[action])
	}
	return nil
}

// asInput makes an error one that the command line's help does not help with.
func asInput(err error) error {
	if err == nil {
		return nil
	}
	return inputError{err}
}

// cancelJob says of a job that there is to be no more work on it.
func (a *app) cancelJob(ctx context.Context, c *cluster.Cluster, id string) error {
	if _, err := c.Replicas(ctx, id); err != nil {
		return err
	}
	_, err := c.UpdateJob(ctx, id, cluster.Change{Cancel: true})
	return err
}

// jobLine is a job as clmc cluster jobs prints it.
type jobLine struct {
	ID       string    `json:"id"`
	Model    string    `json:"model"`
	State    string    `json:"state"` // open, done, cancelled, broken or given up
	Verdict  string    `json:"verdict,omitempty"`
	Why      string    `json:"why,omitempty"` // of one that is broken, given up, or full
	Workers  int       `json:"workers"`
	States   int       `json:"states"` // that its workers know, together
	Rate     float64   `json:"steps_per_second"`
	Batches  uint64    `json:"batches"`
	Bytes    uint64    `json:"bytes"`
	Replicas int       `json:"replicas"`
	Created  time.Time `json:"created"`
	Last     time.Time `json:"last_batch"`
}

func jobLines(ctx context.Context, c *cluster.Cluster) ([]jobLine, error) {
	jobs, said, err := c.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	workers, err := c.Workers(ctx)
	if err != nil {
		return nil, err
	}
	full := cluster.IsFull(c.Room(ctx))
	lines := []jobLine{}
	for _, j := range jobs {
		s := said[j.ID]
		l := jobLine{
			ID: j.ID, Model: j.Name, State: s.State, Verdict: s.Verdict, Batches: j.Batches, Bytes: j.Bytes, Replicas: j.Replicas, Created: j.Created, Last: j.Last,
		}
		switch {
		case j.Lossy != "":
			l.State, l.Why = "broken", j.Lossy
		case s.State == "":
			l.State = cluster.JobOpen
		}
		if s.GivenUp() && l.State == cluster.JobOpen {
			l.State, l.Why = "given up", fmt.Sprintf("it ended %d workers: %s", s.Ended, s.Why)
		}
		switch {
		case l.Why != "":
		case full && l.State == cluster.JobOpen:
			l.Why = "the server has no room for results"
		case s.Full:
			l.Why = "the server had no room for some results"
		}
		for _, w := range workers {
			if w.Job == j.ID {
				l.Workers += w.Searches
				l.States += w.States
				l.Rate += float64(w.Steps) / max(w.Seconds, 1)
			}
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// listJobs prints the jobs.
func (a *app) listJobs(ctx context.Context, c *cluster.Cluster, format string) error {
	lines, err := jobLines(ctx, c)
	if err != nil {
		return err
	}
	if format == "json" {
		return a.printJSON(lines)
	}
	for _, l := range lines {
		what := l.State
		if l.Verdict != "" {
			what += ": " + visible.Line(l.Verdict)
		}
		if l.Why != "" {
			what += ", " + visible.Line(l.Why)
		}
		fmt.Fprintf(a.out, "%s  %s: %s\n", l.ID, visible.Line(l.Model), what)
		fmt.Fprintf(a.out, "    %d searches at work, %s steps/s; %s batches, %s; %s\n",
			l.Workers, thousands(int(l.Rate)), thousands(int(l.Batches)), humanize.IBytes(l.Bytes), humanize.Time(l.Created))
	}
	return nil
}

// listWorkers prints who is at work.
func (a *app) listWorkers(ctx context.Context, c *cluster.Cluster, format string) error {
	workers, err := c.Workers(ctx)
	if err != nil {
		return err
	}
	if format == "json" {
		if workers == nil {
			workers = []cluster.WorkerState{}
		}
		return a.printJSON(workers)
	}
	for _, w := range workers {
		what := "idle"
		if w.Job != "" {
			what = fmt.Sprintf("job %s: %d searches, %s states, %s steps/s, %s facts published, %s read",
				w.Job, w.Searches, thousands(w.States), thousands(int(float64(w.Steps)/max(w.Seconds, 1))), thousands(w.Published), thousands(w.Read))
		}
		if w.Alone != "" {
			what += "; shares nothing " + w.Alone
		}
		fmt.Fprintf(a.out, "%s, process %d, clmc %s: %s\n", visible.Line(w.Host), w.Process, visible.Line(w.Version), visible.Line(what))
	}
	return nil
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
