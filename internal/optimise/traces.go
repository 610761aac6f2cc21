package optimise

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/litmus"
)

// trace writes, for each single weakening of a result that goes wrong, the model with it and an execution that shows it.
func (f *finder) trace(best assignment) error {
	if f.opt.Traces == "" || best == nil {
		return nil
	}
	if err := os.MkdirAll(f.opt.Traces, 0o777); err != nil {
		return fmt.Errorf("--traces: %w", err)
	}
	n := 0
	for i := range f.r.Singles {
		w := &f.r.Singles[i]
		if w.verdict != violated || f.over() {
			continue
		}
		y := slices.Clone(best)
		y[w.d] = w.v
		file, texts, err := f.executed(w.bad.q, f.rewritten(f.strengths(y)))
		if err != nil {
			return err
		}
		if file == nil {
			continue
		}
		if err := f.saveTrace(n+1, file, texts); err != nil {
			os.Remove(filepath.Join(f.opt.Traces, fmt.Sprint(n+1))) // if it is empty
			return fmt.Errorf("--traces: %w", err)
		}
		n++
		w.trace = n
	}
	return nil
}

// executed explores texts that go wrong, and returns the execution that shows it; nil if there is none to keep.
func (f *finder) executed(q question, texts map[string]string) (*report.TraceFile, map[string]string, error) {
	m, err := f.reload(f.ctx, q.launch, texts)
	if errors.Is(err, guard.ErrLeft) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	opt := explore.Options{Spec: q.spec, Promises: q.launch.Promises, Mem: f.opt.Mem, Liveness: f.opt.Liveness}
	if m.Test != nil {
		return f.shown(q, m, opt, texts)
	}
	rep, err := m.Explore(f.ctx, opt)
	if err != nil || len(rep.Traces) == 0 {
		return nil, nil, err
	}
	file, err := report.NewTraceFile(string(f.target), m.Program, q.spec, q.launch.Options.Defines, rep.Traces[0])
	if err != nil {
		return nil, nil, nil // nothing reaches what is to be reached: that has no execution
	}
	file.Launch = q.launch.Options.Kernels.Flags()
	return file, texts, nil
}

// saveTrace writes a trace, and the model that it is of into a folder beside it.
func (f *finder) saveTrace(n int, file *report.TraceFile, texts map[string]string) error {
	main := f.launches[0].m.Program.Sources[0].Name
	dir := filepath.Join(f.opt.Traces, fmt.Sprint(n))
	for name, text := range texts {
		rel, err := filepath.Rel(filepath.Dir(main), name)
		if err != nil || strings.HasPrefix(rel, "..") { // it is found where it was
			continue
		}
		to := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := regular.Replace(to, []byte(text)); err != nil {
			return err
		}
	}
	file.Model = filepath.Join(dir, filepath.Base(main))
	var b bytes.Buffer
	if err := file.Save(&b); err != nil {
		return err
	}
	return regular.Replace(filepath.Join(f.opt.Traces, fmt.Sprintf("%d.json", n)), b.Bytes())
}

// shown is executed for a litmus test: an execution with an outcome that there should not be.
func (f *finder) shown(q question, m *model.Model, opt explore.Options, texts map[string]string) (*report.TraceFile, map[string]string, error) {
	cond, wrong := litmus.Typed(m.Test.Cond, m.Unsigned), m.Test.Quantifier != litmus.Forall
	text := cond.String()
	if !wrong {
		text = "~(" + text + ")"
	}
	opt.All, opt.Aside, opt.Witnesses = true, true, 1
	opt.Wanted = func(value func(name string) (int64, bool)) bool {
		holds, known := cond.Eval(value)
		return known && holds == wrong
	}
	r := explore.Run(f.ctx, m.Program, opt)
	for _, o := range r.Outcomes {
		schedule, ok := r.Witnesses[explore.OutcomeKey(o)]
		if !ok {
			continue
		}
		t, _, err := trace.Repeat(m.Program, q.spec, schedule, time.Time{}, m.Test.Vars...)
		if err != nil {
			return nil, nil, err
		}
		return report.NewWitnessFile(string(f.target), m.Program, q.spec, nil, t, text, m.Test.Vars, r.Names.Numbers(o)), texts, nil
	}
	return nil, nil, nil
}
