package cli

import (
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/store/disk"
)

// storeFlags say where and how visited states are kept. They may differ from
// one run of a search to the next.
type storeFlags struct {
	mem        sizeValue
	checkpoint time.Duration
	diskLimit  sizeValue
}

// The bounds and defaults of the flags.
const (
	minMem     = 32 << 20
	defaultMem = 1 << 30
)

func (s *storeFlags) register(f *pflag.FlagSet) {
	f.Var(&s.mem, "mem", "memory for visited states, such as 2GiB. Without --store the search stops there; with it, the rest is on disk (default with --store: that of the last run, or GOMEMLIMIT, or 1GiB)")
	f.DurationVar(&s.checkpoint, "checkpoint-every", time.Minute, "with --store: write a checkpoint every `duration`")
	f.Var(&s.diskLimit, "disk-limit", "with --store: stop when the store has about this size, such as 100GiB (0: no limit)")
}

func (s *storeFlags) check() error {
	switch {
	case s.mem > 0 && s.mem < minMem:
		return fmt.Errorf("--mem %v: want at least %v", &s.mem, humanize.IBytes(minMem))
	case s.checkpoint <= 0:
		return fmt.Errorf("--checkpoint-every %v: want a positive duration", s.checkpoint)
	}
	s.confineReaders()
	return nil
}

// apply sets the options of a search.
func (s *storeFlags) apply(opt *explore.Options) {
	opt.Mem = s.memory(0)
	confine(opt.Mem)
	opt.CheckpointEvery = s.checkpoint
	opt.DiskLimit = int64(s.diskLimit)
}

// memory returns the bytes for visited states: what --mem says, but no more
// than GOMEMLIMIT, or else the default.
func (s *storeFlags) memory(otherwise int) int {
	limit := debug.SetMemoryLimit(-1)
	mem := int64(s.mem)
	switch {
	case mem > 0 && mem < limit:
	case limit < math.MaxInt64:
		mem = limit
	default:
		return otherwise
	}
	return int(min(mem, math.MaxInt)) // an int may have 32 bits
}

// again returns the memory for a store that is opened again: what --mem says, or
// else what it was before, but no more than GOMEMLIMIT.
func (s *storeFlags) again() disk.Options {
	if s.mem > 0 {
		return disk.Options{Mem: s.memory(0)}
	}
	return disk.Options{MaxMem: s.memory(0)}
}

// What reading and analysing a model may take: beside --mem, or without it.
const (
	readersMem    = 512 << 20
	readersBeside = 256 << 20
)

// confineReaders bounds what reading and analysing may take by --mem, if it is given.
func (s *storeFlags) confineReaders() {
	if s.mem > 0 {
		guard.Memory.Store(int64(min(uint64(s.mem), math.MaxInt64-readersBeside)) + readersBeside)
	}
}

// confine asks the runtime to stay within the memory for visited states, of
// which the garbage collector would otherwise use about as much again.
func confine(mem int) {
	if mem > 0 && int64(mem) < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(int64(mem))
	}
}

// sizeValue is a number of bytes.
type sizeValue uint64

func (v *sizeValue) Type() string { return "size" }
func (v *sizeValue) String() string {
	if *v == 0 {
		return "0"
	}
	return humanize.IBytes(uint64(*v))
}
func (v *sizeValue) Set(s string) error {
	n, err := humanize.ParseBytes(s)
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("want a size such as 512MiB or 2GiB")
	}
	*v = sizeValue(n)
	return nil
}
