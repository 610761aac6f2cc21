package check

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/liveness"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
)

// Option says what to explore, or how far. Without any, all of a model's executions
// are explored up to the first violation, by the specification of OpenCL 3.0, with
// the constants that the model has.
type Option func(*config) error

// config is what the options amount to.
type config struct {
	loading model.Options
	search  explore.Options
	source  *[]byte // nil: the file's
	replay  string  // "": search
	limit   time.Duration

	liveness, fairness string // as explore.ParseLiveness takes them
}

// configure applies options in their order.
func configure(options []Option) (*config, error) {
	c := &config{loading: model.Options{Defines: map[string]string{}}}
	for _, o := range options {
		if err := o(c); err != nil {
			return nil, err
		}
	}
	return c, c.ask()
}

// ask understands what is asked about the end of executions.
func (c *config) ask() (err error) {
	switch {
	case c.liveness == "" && c.fairness != "":
		return errors.New("check.Fairness says how check.Liveness is meant: add that option")
	case c.liveness == "":
		c.loading.Kernels.Classes = model.Classes
		return nil
	case c.search.Workers > 1:
		return errors.New("check.Liveness goes without check.Workers: the search for executions that go on for ever is done by one goroutine")
	}
	if c.search.Liveness, err = explore.ParseLiveness(c.liveness, c.fairness); err != nil {
		return fmt.Errorf("check.Liveness: %w", err)
	}
	return nil
}

// Size sets a constant of the model to a number: the number of work-items, for
// example.
func Size(name string, n int) Option { return Define(name, strconv.Itoa(n)) }

// Define sets a constant of the model to a value, written as in Go.
func Define(name, value string) Option {
	return func(c *config) error {
		if _, twice := c.loading.Defines[name]; twice {
			return fmt.Errorf("check: the constant %s is set twice", name)
		}
		c.loading.Defines[name] = value
		return nil
	}
}

// Source gives the text of the model. The name then only says, by how it ends, what
// it is, and is not looked for.
func Source(text string) Option {
	return func(c *config) error {
		source := []byte(text)
		c.source = &source
		return nil
	}
}

// Spec chooses the reading of the specification: "3.0", which is the default,
// "2.0", or another that 'clmc explore --help' lists.
func Spec(name string) Option {
	return func(c *config) (err error) {
		c.search.Spec, err = memmodel.ParseSpec(name)
		return err
	}
}

// LegacyWorkGroup takes the atomic functions of OpenCL 1.x, which have no argument
// for it, to have the scope of a work-group and not that of the device.
func LegacyWorkGroup() Option {
	return func(c *config) error {
		c.loading.LegacyWorkGroup = true
		return nil
	}
}

// All goes on after the first violation.
func All() Option {
	return func(c *config) error {
		c.search.All = true
		return nil
	}
}

// Replay repeats one execution instead of exploring all of them: the one that a
// failure, or Violation.Replay, names. The model must be the same, with the same
// constants. If the execution still goes wrong so does the check, and if it does
// not, that is an error: nothing is verified in either case.
func Replay(execution string) Option {
	return func(c *config) error {
		c.replay = execution
		return nil
	}
}

// TimeLimit ends the search after a time.
func TimeLimit(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return fmt.Errorf("check: a time limit of %v: want a positive duration", d)
		}
		c.limit = d
		return nil
	}
}

// MaxStates ends the search after a number of states.
func MaxStates(n int) Option {
	return atLeastOne("states", n, func(c *config) { c.search.MaxStates = n })
}

// Memory ends the search when the visited states take so many bytes of memory.
func Memory(bytes int) Option {
	return atLeastOne("bytes of memory", bytes, func(c *config) { c.search.Mem = bytes })
}

// Workers searches with several goroutines.
func Workers(n int) Option { return atLeastOne("workers", n, func(c *config) { c.search.Workers = n }) }

// Promises bounds the writes that a work-item may have visible early, before it
// comes to them, where that can matter. A result is inconclusive if it can have more;
// without the option the bound is 8. With 0 executions with load buffering are left out.
func Promises(n int) Option {
	return func(c *config) (err error) {
		if c.search.Promises, err = explore.ParsePromises(strconv.Itoa(n)); err != nil {
			return fmt.Errorf("check: %d promises: want a number from 0 to 100", n)
		}
		return nil
	}
}

// Liveness asks, too, whether every execution ends if work is scheduled as a model says: "fair", "lobe",
// "hsa_obe", "obe", "hsa", "unfair", "opencl", "opencl-ifp", "gpu", "gpu-lockstep", or models by level such as
// "device=obe,group=fair,subgroup=unfair". One that may go on for ever is a violation, CL1020. With "all" the report has
// a table of models, and it is a violation if executions may go on for ever under each of them.
// docs/liveness.md in clmc's repository says what the models promise.
func Liveness(model string) Option {
	return func(c *config) error {
		if model == "" {
			return errors.New(`check: Liveness(""): want the name of a model, such as "gpu"`)
		}
		c.liveness = model
		return nil
	}
}

// Fairness says how Liveness is meant: "weak", which is the default, or "strong", under which executions
// end that end with probability 1.
func Fairness(kind string) Option {
	return func(c *config) error {
		if _, err := liveness.ParseFairness(kind); err != nil {
			return fmt.Errorf("check: fairness %w", err)
		}
		c.fairness = kind
		return nil
	}
}

// atLeastOne is an option that takes a positive number.
func atLeastOne(what string, n int, apply func(*config)) Option {
	return func(c *config) error {
		if n < 1 {
			return fmt.Errorf("check: %d %s: want at least 1", n, what)
		}
		apply(c)
		return nil
	}
}
