package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
)

// liveFlags ask whether executions end.
type liveFlags struct {
	model    string // "" if that is not asked
	direct   bool   // nothing is left out
	fairness choiceValue
}

func (l *liveFlags) register(f *pflag.FlagSet) {
	l.fairness = choiceValue{"weak", []string{"weak", "strong"}}
	f.StringVar(&l.model, "liveness", "", "ask, too, whether every execution ends if work is scheduled as `MODEL` says: "+liveness.ModelHelp+"; all: a table of models")
	f.BoolVar(&l.direct, "liveness-direct", false, "with --liveness: leave nothing out of the graph in which executions that go on for ever are looked for")
	_ = f.MarkHidden("liveness-direct") // the flag is there: it is for finding faults of clmc
	f.Var(&l.fairness, "fairness", "with --liveness: weak, or strong, under which executions end that end with probability 1")
}

// registerRefused registers the flags where they are refused, so that a reason is told.
func (l *liveFlags) registerRefused(f *pflag.FlagSet) {
	l.register(f)
	_ = f.MarkHidden("liveness") // the flags are there
	_ = f.MarkHidden("fairness")
}

// requiredLive returns the models that a list of requirements names, as liveness=MODEL.
func requiredLive(list requirements) (models []string) {
	for _, word := range list {
		if m, ok := strings.CutPrefix(word, liveRequirement); ok {
			models = append(models, m)
		}
	}
	return models
}

const liveRequirement = "liveness="

// ask returns what is asked, nil for nothing.
func (l *liveFlags) ask(required []string) (*explore.Liveness, error) {
	switch {
	case l.model == "" && len(required) > 0:
		return nil, errors.New("--require liveness=MODEL: it needs --liveness all")
	case l.model == "" && l.fairness.value == "strong":
		return nil, errors.New("--fairness strong: it says how --liveness MODEL is meant; add that")
	case l.model == "" && l.direct:
		return nil, errors.New("--liveness-direct: it says how --liveness MODEL is answered; add that")
	case l.model == "":
		return nil, nil
	case l.model != explore.LivenessOfAll && len(required) > 0:
		return nil, fmt.Errorf("--liveness %s and --require liveness=MODEL: that goes with --liveness all; leave it out", l.model)
	}
	fair, err := liveness.ParseFairness(l.fairness.value)
	if err != nil {
		return nil, fmt.Errorf("--fairness: %w", err)
	}
	if l.model != explore.LivenessOfAll {
		ask, err := explore.ParseLiveness(l.model, l.fairness.value)
		if err != nil {
			return nil, fmt.Errorf("--liveness: %w", err)
		}
		ask.Direct = l.direct
		return ask, nil
	}
	ask := explore.AboutAll(fair)
	ask.Direct = l.direct
	for _, name := range required {
		q, err := liveness.ParseQuestion(name, fair)
		if err != nil {
			return nil, fmt.Errorf("--require liveness=%s: %w", name, err)
		}
		if !slices.Contains(ask.Asked, q) {
			ask.Asked = append(ask.Asked, q)
		}
		ask.Required = append(ask.Required, q)
	}
	return ask, nil
}

// checkLive reports flags that do not go with questions about liveness.
func (x *exploreFlags) checkLive() error {
	if x.live.model == "" {
		_, err := x.live.ask(requiredLive(x.require))
		return err
	}
	const why = "the search for executions that go on for ever is done by one process, in memory"
	switch {
	case x.store != "":
		return fmt.Errorf("--liveness goes without --store: %s", why)
	case x.used():
		return fmt.Errorf("--liveness goes without --cluster: %s", why)
	case x.noCache:
		return errors.New("--liveness goes without --no-cache: what goes round is found in the states that are kept")
	case x.witness != "":
		return errors.New("--liveness goes without --witness, which asks for an execution that ends")
	case x.exact:
		return errors.New("--liveness goes without --exact: its states are compared by their fingerprints")
	}
	_, err := x.live.ask(requiredLive(x.require))
	return err
}

// checkLive reports flags that do not go with questions about liveness.
func (l *litmusFlags) checkLive() error {
	_, err := l.live.ask(nil)
	switch {
	case err != nil || l.live.model == "":
		return err
	case l.noCache:
		return errors.New("--liveness goes without --no-cache: what goes round is found in the states that are kept")
	case l.specs != "":
		return errors.New("--liveness goes without --specs: it is asked under one version of the memory model")
	case l.device.name != "" || l.device.emit != "":
		return errors.New("--liveness is asked of executions, not of a device: leave out --device and --emit, or --liveness")
	case l.gen.kind.value != "":
		return errors.New("--liveness goes without --gen, which only writes tests")
	}
	return nil
}
