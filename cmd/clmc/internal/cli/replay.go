package cli

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
)

const replayLong = `Repeat the execution that clmc explore --trace wrote, step by step, and show what goes wrong; of
an execution of --witness, show how it comes to its outcome. Constants and --spec are those of the
recording. Name MODEL only if the file has moved since.

Exit codes:
  0  nothing goes wrong, and the execution ends as recorded (of --witness)
  1  the execution goes wrong as recorded
  2  the trace does not fit the model: the bug is repaired, or the model has changed
  3  interrupted
  4  internal error: a bug of clmc, please report it`

const replayExample = `  clmc explore --trace bug.json model.go
  clmc replay bug.json
  clmc replay bug.json elsewhere/model.go --graph bug.svg
  clmc replay --html bug.html bug.json`

// replayFlags are the flags of clmc replay.
type replayFlags struct {
	outputFlags
	format choiceValue
}

func (a *app) replayCommand() *cobra.Command {
	r := &replayFlags{}
	cmd := &cobra.Command{
		Use:     "replay TRACE [MODEL]",
		Short:   "Repeat an execution that goes wrong, step by step",
		Long:    replayLong,
		Example: replayExample,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := r.open()
			if err != nil {
				return err
			}
			defer files.discard()
			return a.replay(cmd.Context(), r, args, files)
		},
	}
	r.format = formatValue()
	cmd.Flags().Var(&r.format, "format", "how to print results: text or json")
	r.registerGraph(cmd.Flags())
	r.registerPage(cmd.Flags())
	return cmd
}

// replay repeats a recorded execution and prints it.
func (a *app) replay(ctx context.Context, r *replayFlags, args []string, files *files) error {
	f, err := guard.Read(ctx, "trace", func() (*report.TraceFile, error) { return loadTrace(args[0]) })
	if err != nil {
		return inputError{err}
	}
	name := f.Model
	if len(args) == 2 {
		name = args[1]
	}
	if _, err := find(ctx, name); err != nil {
		return inputError{fmt.Errorf("the model of %s: %w", args[0], err)}
	}
	kernels, err := kernelOptions(f.Launch)
	if err != nil {
		return inputError{fmt.Errorf("%s: %w", args[0], err)}
	}
	m, err := load(ctx, model.Target(name), model.Options{Defines: f.Defines, LegacyWorkGroup: f.LegacyWorkGroup, Kernels: kernels})
	if err != nil {
		return inputError{err}
	}
	rep, err := guard.Await(ctx, "replay", func() (*report.Report, error) { return m.Repeat(f) })
	if err != nil {
		return inputError{fmt.Errorf("%s: %w", args[0], err)}
	}
	rep.Full = r.full
	if f.Witness() {
		return a.replayWitness(r, f, rep, files)
	}
	a.code = worse(a.code, exitViolation)
	if err := a.writeReport(rep, r.format.value, false); err != nil {
		return err
	}
	if err := files.show(rep); err != nil {
		return err
	}
	return files.draw(rep.Shown(rep.Traces[0]))
}

// replayWitness prints an execution in which nothing goes wrong.
func (a *app) replayWitness(r *replayFlags, f *report.TraceFile, rep *report.Report, files *files) error {
	doc := &witnessDocument{Schema: "clmc.witness/1", Model: rep.Model, Spec: f.Spec, Condition: f.Condition, Answer: "found",
		Incomplete: []string{}, Outcome: f.Outcome, Execution: rep.Witnesses[0]}
	if r.format.value == "json" {
		if err := report.WriteJSON(a.out, doc); err != nil {
			return err
		}
	} else {
		a.tellWitness(doc, rep.Result, r.full)
	}
	if err := files.show(rep); err != nil {
		return err
	}
	return files.draw(rep.Shown(doc.Execution))
}

// maxTrace bounds the size of a trace file in bytes: more than a million steps.
const maxTrace = 64 << 20

// loadTrace reads a trace file.
func loadTrace(path string) (*report.TraceFile, error) {
	text, err := regular.Read(path, maxTrace+1)
	if err != nil {
		return nil, regular.Fault(path, err)
	}
	if len(text) > maxTrace {
		return nil, fmt.Errorf("%s: larger than %d MiB, too large for a trace", path, maxTrace>>20)
	}
	t, err := report.LoadTrace(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n'clmc explore --trace FILE MODEL' writes one", path, err)
	}
	return t, nil
}
