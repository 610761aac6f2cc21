package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/clmc/clmc/cmd/clmc/internal/checks"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/shell"
	"github.com/clmc/clmc/internal/visible"
	"github.com/clmc/clmc/store/disk"
)

// statusSchema names the format of the status file and of clmc status --format
// json.
const statusSchema = "clmc.status/1"

// status is how far a search with a store is.
type status struct {
	Schema      string    `json:"schema"`
	Model       string    `json:"model"`
	Spec        string    `json:"spec"`
	Reduction   string    `json:"reduction"`
	Version     string    `json:"version"`
	State       string    `json:"state"` // running, paused, finished, failed, or killed
	Verdict     string    `json:"verdict,omitempty"`
	Incomplete  []string  `json:"incomplete,omitempty"`
	Violations  int       `json:"violations"`
	States      int       `json:"states"`
	Steps       int       `json:"steps"`
	Executions  int       `json:"executions"`
	Depth       int       `json:"depth"`
	Frontier    int       `json:"frontier"`
	Estimate    *estimate `json:"estimate,omitempty"`
	Seconds     float64   `json:"seconds"` // of all runs
	Rate        float64   `json:"states_per_second"`
	MemoryBytes int       `json:"memory_bytes"`
	DiskBytes   int64     `json:"disk_bytes"`
	Checkpoints int       `json:"checkpoints"`
	Process     int       `json:"process"`
	Updated     string    `json:"updated"`
}

// notes keeps the status file of a store up to date.
type notes struct {
	disk   *disk.Store
	status status
	last   time.Time
}

// noteEvery is the interval between writes of the status file.
const noteEvery = 2 * time.Second

// newNotes says that the search runs, with the numbers of the last note.
func newNotes(d *disk.Store, r *record) *notes {
	n := &notes{disk: d}
	if text, err := disk.ReadNote(d.Dir()); err == nil {
		json.Unmarshal(text, &n.status) // it may be damaged, and does not matter
	}
	t := &n.status
	t.Schema, t.Model, t.Spec, t.Reduction, t.Version = statusSchema, r.Model, r.Spec, r.POR, r.Version
	t.State, t.Process, t.Verdict, t.Incomplete = "running", os.Getpid(), "", nil
	n.write()
	return n
}

// sample is called from the search.
func (n *notes) sample(s explore.Stats) {
	if time.Since(n.last) >= noteEvery {
		n.count(s)
		n.write()
	}
}

// end writes the final status.
func (n *notes) end(r *explore.Result) {
	switch {
	case r.Err != nil:
		n.status.State = "failed"
		n.status.Incomplete = []string{r.Err.Error()}
	case r.Paused:
		n.status.State = "paused"
		n.status.Incomplete = r.Incomplete
	default:
		n.status.State = "finished"
		n.status.Verdict = r.Verdict.String()
		n.status.Incomplete = r.Incomplete
	}
	n.status.Violations = len(r.Violations)
	n.count(r.Stats)
	if n.status.State == "finished" {
		n.status.Frontier, n.status.Estimate = 0, nil // there is nothing left
	}
	n.write()
}

// count takes over the search's counters.
func (n *notes) count(s explore.Stats) {
	t := &n.status
	t.States, t.Steps, t.Executions, t.Depth = s.States, s.Steps, s.Ends, s.Depth
	t.Frontier, t.Estimate = s.Frontier, newEstimate(s)
	t.Seconds, t.Rate = s.Elapsed.Seconds(), rate(s)
	t.MemoryBytes, t.DiskBytes, t.Checkpoints = s.PeakBytes, s.DiskBytes, s.Checkpoints
}

// write replaces the status file. That it cannot be written is no reason to
// stop: the checkpoints say so if it matters.
func (n *notes) write() {
	n.last = time.Now()
	n.status.Updated = n.last.UTC().Format(time.RFC3339)
	if text, err := json.MarshalIndent(&n.status, "", "  "); err == nil {
		n.disk.Note(append(text, '\n'))
	}
}

const statusLong = `Say how far the search in a store is, also while it runs; the numbers are a few seconds old. Of the
store of clmc run, say how many results it remembers, and how far each unfinished search is.`

const statusExample = `  clmc status night.store
  watch clmc status night.store
  clmc status --format json night.store`

func (a *app) statusCommand() *cobra.Command {
	format := formatValue()
	cmd := &cobra.Command{
		Use:     "status DIR",
		Short:   "Say how far the search in a store is",
		Long:    statusLong,
		Example: statusExample,
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.status(args[0], format.value) },
	}
	cmd.Flags().Var(&format, "format", "how to print it: text or json")
	return cmd
}

// status prints the status of a store.
func (a *app) status(dir, format string) error {
	if kept, ok := checks.Stored(dir); ok {
		return a.statusOfStore(dir, kept, format)
	}
	s, err := readStatus(dir)
	if err != nil {
		return err
	}
	if format == "json" {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		return enc.Encode(&s)
	}
	s.print(a, dir)
	return nil
}

// readStatus reads the status of a search.
func readStatus(dir string) (*status, error) {
	text, err := disk.ReadNote(dir)
	if err != nil {
		return nil, storeError(dir, err)
	}
	s := &status{}
	if err := json.Unmarshal(text, s); err != nil || s.Schema != statusSchema {
		return nil, inputError{fmt.Errorf("%s: the status file cannot be read; 'clmc resume %s' does not need it", dir, shell.Word(dir))}
	}
	if s.State == "running" && !disk.Running(dir) {
		s.State = "killed"
	}
	return s, nil
}

// storeStatus is what the store of clmc run holds.
type storeStatus struct {
	Schema   string   `json:"schema"`
	Results  int      `json:"results"` // of searches that have ended
	Searches []search `json:"searches"`
}

// search is one that has not.
type search struct {
	Dir string `json:"dir"`
	*status
}

// statusOfStore prints what the store of clmc run holds.
func (a *app) statusOfStore(dir string, kept checks.Holdings, format string) error {
	all := storeStatus{Schema: "clmc.store-status/1", Results: kept.Results, Searches: []search{}}
	for _, d := range kept.Searches {
		s, err := readStatus(d)
		if err != nil {
			a.logf("%v", err)
			continue
		}
		all.Searches = append(all.Searches, search{d, s})
	}
	if format == "json" {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		return enc.Encode(&all)
	}
	fmt.Fprintf(a.out, "%s: %d results remembered, %d searches unfinished\n", visible.Line(dir), all.Results, len(all.Searches))
	for _, s := range all.Searches {
		fmt.Fprintln(a.out)
		s.print(a, s.Dir)
	}
	return nil
}

// print writes the status for people.
func (s *status) print(a *app, dir string) {
	fmt.Fprintf(a.out, "%s: %s, OpenCL %s, reduction %s\n", dir, visible.Line(s.Model), visible.Line(s.Spec), visible.Line(s.Reduction))
	switch s.State {
	case "running":
		fmt.Fprintf(a.out, "running, process %d\n", s.Process)
	case "finished":
		fmt.Fprintf(a.out, "finished: %s. clmc resume %s prints the result again\n", visible.Line(s.Verdict), shell.Word(dir))
	case "killed":
		fmt.Fprintf(a.out, "not running: the process ended without notice. Go on from the last checkpoint with: clmc resume %s\n", shell.Word(dir))
	default:
		fmt.Fprintf(a.out, "not running: %s. Go on with: clmc resume %s\n", visible.Line(strings.Join(s.Incomplete, "; ")), shell.Word(dir))
	}
	if left := timeLeft(s.States, s.Rate, s.Estimate); left != "" && s.State != "finished" {
		fmt.Fprintln(a.out, left)
	}
	fmt.Fprintf(a.out, "%s states, %s steps, %s executions, depth %s, frontier %s, %s states a second\n",
		thousands(s.States), thousands(s.Steps), thousands(s.Executions), thousands(s.Depth), thousands(s.Frontier), thousands(int(s.Rate)))
	fmt.Fprintf(a.out, "%v, checkpoints: %s, %s in memory, %s on disk\n",
		time.Duration(s.Seconds*float64(time.Second)).Round(time.Millisecond), thousands(s.Checkpoints),
		humanize.IBytes(uint64(s.MemoryBytes)), humanize.IBytes(uint64(s.DiskBytes)))
}
