package proofs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/prove"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/clc"
)

// Options say what is to be proved.
type Options struct {
	Model   model.Options // macros, sizes and arguments that are given
	Groups  string        // the number of work-groups in each dimension; "" for any
	AnySize bool          // sizes that the file gives are not taken
	Assume  []string      // conditions on sizes and scalars that are taken for granted
	Search  explore.Options
	// Dry: what is not proved is not tried.
	Dry bool
	// Query bounds one question to the solver, and Replay the search of one launch; 0 stands for their defaults.
	Query, Replay time.Duration
	// Mem bounds the memory that is taken beside what the process has; 0: no bound.
	Mem int64
}

// defaultReplay is how long one launch is searched.
const defaultReplay = 5 * time.Second

// The verdicts.
const (
	Proved    = "proved"
	Violated  = "violated"
	NotProved = "not proved"
)

// Proof is what became of one kernel.
type Proof struct {
	Model   string
	Kernel  string
	Verdict string
	Scope   *report.Scope // of what is proved
	Open    []string      // what is not, in words
	Assumed []string      // what was taken for granted
	Queries int
	Elapsed time.Duration
	// Found is the report on the execution that goes wrong, and Launch how to repeat it.
	Found  *report.Report
	Launch []string
}

// maxFile bounds what is read of a kernel file.
const maxFile = 4<<20 + 1

// File proves the kernels of a file.
func File(ctx context.Context, path string, opt Options) ([]*Proof, error) {
	text, err := regular.Read(path, maxFile)
	if err != nil {
		return nil, regular.Fault(path, err)
	}
	return Source(ctx, path, text, opt)
}

// Source does so of a text.
func Source(ctx context.Context, path string, text []byte, opt Options) ([]*Proof, error) {
	kernels := opt.Model.Preprocessed()
	list, err := guard.Read(ctx, "load", func() ([]*clc.Open, error) { return clc.OpenKernels(path, text, kernels) })
	if errors.Is(err, guard.ErrLeft) {
		return nil, fmt.Errorf("%s: not proved: %w while it was loaded", path, err)
	}
	if err != nil {
		return nil, err
	}
	ctx, free := bounded(ctx, opt.Mem)
	defer free()
	var out []*Proof
	for _, o := range list {
		p, err := attempted(ctx, path, text, o, opt)
		if errors.Is(err, guard.ErrLeft) {
			return out, fmt.Errorf("%s: %s: not proved: %w", path, o.Name, err)
		}
		if err != nil {
			return out, fmt.Errorf("%s: %s: %w", path, o.Name, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// bounded returns a context that ends when the process takes so much more memory than it does now; 0 is no bound.
func bounded(ctx context.Context, mem int64) (context.Context, context.CancelFunc) {
	if mem == 0 {
		return context.WithCancel(ctx)
	}
	within, free := guard.Within(ctx, mem)
	return within, free
}

// patience is how long a proof that is to end may take to say how far it has come.
const patience = 500 * time.Millisecond

// attempted proves one kernel. What does not end soon when ctx does is not waited for.
func attempted(ctx context.Context, path string, text []byte, o *clc.Open, opt Options) (*Proof, error) {
	if ctx.Err() != nil {
		return nil, guard.Left(ctx)
	}
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(patience, cancel) })()
	p, err := guard.Await(late, "proof", func() (*Proof, error) { return one(ctx, path, text, o, opt) })
	if late.Err() != nil {
		return nil, guard.Left(ctx)
	}
	return p, err
}

// one proves one kernel.
func one(ctx context.Context, path string, text []byte, o *clc.Open, opt Options) (*Proof, error) {
	began := time.Now()
	p := &Proof{Model: path, Kernel: o.Name, Verdict: NotProved, Assumed: assumed(o)}
	defer func() { p.Elapsed = time.Since(began) }()
	if o.Unknown != "" {
		at := ""
		if o.At.Line > 0 {
			at = fmt.Sprintf(" (%s:%d)", path, o.At.Line)
		}
		p.Open = []string{"the kernel is not followed: " + o.Unknown + at}
		return p, nil
	}
	k, err := kernelOf(o, opt)
	if err != nil {
		return nil, err
	}
	var known []prove.Assumption
	for _, a := range opt.Assume {
		one, err := prove.ParseAssumption(a, k)
		if err != nil {
			return nil, fmt.Errorf("--assume: %w", err)
		}
		known = append(known, one)
	}
	r, err := prove.Prove(ctx, k, prove.Options{Query: opt.Query, Assume: known, NoWitness: opt.Dry})
	if errors.Is(err, prove.ErrNoSize) {
		return nil, fmt.Errorf("--assume: no size satisfies %s", strings.Join(opt.Assume, " and "))
	}
	if err != nil {
		return nil, err
	}
	p.Queries = r.Queries
	if r.Proved() {
		p.Verdict, p.Scope = Proved, scopeOf(o, k, opt)
		return p, nil
	}
	x := &attempt{ctx: ctx, path: path, text: text, o: o, k: k, r: r, opt: opt, p: p}
	return p, x.all()
}

// kernelOf says which sizes and scalars are known.
func kernelOf(o *clc.Open, opt Options) (*prove.Kernel, error) {
	k := &prove.Kernel{Program: o.Program, Func: o.Func, Dim: max(o.Dim, o.Asked, 1)}
	groups, n, err := parseSizes(opt.Groups)
	if err != nil {
		return nil, fmt.Errorf("--groups %s: want up to three numbers, as in 8 or 8,4", opt.Groups)
	}
	k.Dim = max(k.Dim, n)
	for d := range 3 {
		if d >= k.Dim {
			k.Local[d], k.Groups[d] = 1, 1
			continue
		}
		local, global := uint64(max(o.Local[d], 0)), uint64(max(o.Global[d], 0))
		if opt.AnySize && !o.Required {
			local = 0
		}
		if opt.AnySize {
			global = 0
		}
		if local > prove.MaxLocal || global > prove.MaxGlobal {
			return nil, fmt.Errorf("the sizes are larger than those that can be proved for: %d work-items in a group, and %d in all, in each dimension", prove.MaxLocal, prove.MaxGlobal)
		}
		k.Local[d] = local
		switch {
		case n > 0 && d < n:
			k.Groups[d] = groups[d]
		case n > 0:
			k.Groups[d] = 1
		case global != 0 && local != 0:
			if global%local != 0 {
				return nil, fmt.Errorf("the global size %d is no multiple of the local size %d: work-groups of several sizes are not proved for", global, local)
			}
			k.Groups[d] = global / local
		}
	}
	for _, s := range o.Scalars {
		k.Scalars = append(k.Scalars, prove.Scalar{Name: s.Name, Type: s.Type, Given: s.Given})
	}
	return k, nil
}

func parseSizes(s string) (list [3]uint64, n int, err error) {
	if s == "" {
		return list, 0, nil
	}
	list = [3]uint64{1, 1, 1}
	for _, w := range strings.Split(s, ",") {
		v, err := strconv.ParseUint(w, 10, 31)
		if err != nil || v == 0 || n == 3 {
			return list, n, errors.New("no sizes")
		}
		list[n] = v
		n++
	}
	return list, n, nil
}

// assumed lists what every proof takes for granted.
func assumed(o *clc.Open) []string {
	list := []string{"no signed overflow", "every loop ends within 2,147,483,648 rounds", "every index lies in its buffer"}
	buffers := 0
	for _, b := range o.Buffers {
		if b.Same == "" {
			buffers++
		}
	}
	if buffers > 1 {
		list = append(list, "pointers that are passed point to different buffers")
	}
	return list
}

// scopeOf says what a proof covers.
func scopeOf(o *clc.Open, k *prove.Kernel, opt Options) *report.Scope {
	s := &report.Scope{Data: []report.Datum{}, Kinds: []string{"CL1001", "CL1003", "CL1004"}, Sizes: report.Sizes{Covers: report.GivenCovered}}
	for _, b := range o.Buffers {
		if !b.Local {
			s.Data = append(s.Data, report.Datum{Name: b.Name, Kind: "buffer", Covers: report.AnyCovered})
		}
	}
	for _, c := range o.Scalars {
		if c.Part > 0 {
			continue
		}
		d := report.Datum{Name: c.Name, Kind: "scalar", Covers: report.AnyCovered}
		if c.Given != nil {
			d.Covers, d.Reason = report.GivenCovered, "is given"
			if c.Parts == 1 {
				d.Value = clc.Numeral(c.Type, *c.Given)
			}
		}
		s.Data = append(s.Data, d)
	}
	var conditions []string
	any := true
	for d := range k.Dim {
		if k.Local[d] != 0 {
			conditions = append(conditions, fmt.Sprintf("local%s == %d", suffix(k, d), k.Local[d]))
		}
		if k.Groups[d] != 0 {
			conditions = append(conditions, fmt.Sprintf("groups%s == %d", suffix(k, d), k.Groups[d]))
		}
		any = any && k.Local[d] == 0 && k.Groups[d] == 0
	}
	free := false
	for d := range k.Dim {
		free = free || k.Local[d] == 0 || k.Groups[d] == 0
	}
	if free {
		s.Sizes.Covers = report.AnyCovered
	}
	s.Sizes.If = strings.Join(append(conditions, opt.Assume...), " && ")
	if !free {
		s.Sizes.If = strings.Join(opt.Assume, " && ")
	}
	return s
}

func suffix(k *prove.Kernel, d int) string {
	if k.Dim == 1 {
		return ""
	}
	return fmt.Sprintf("[%d]", d)
}
