package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/cmd/clmc/internal/proofs"
	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/internal/cputime"
	"github.com/clmc/clmc/internal/guard"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/models/clc"
)

// What is proved of a kernel before launches are guessed, and which launches are needed then.

// proofShare is the part of a limit that is tried for proofs, and proofTime how long without a limit.
const (
	proofShare = 10
	proofTime  = 2 * time.Second
)

// proved is a kernel, and what is proved of it; assuming is what that takes for granted.
type proved struct{ kernel, what, assuming string }

// proveFirst tries to prove the kernels of a file.
func (a *app) proveFirst(ctx context.Context, x *exploreFlags, t model.Target) (said []proved) {
	if x.noProof {
		return nil
	}
	whole := proofTime
	short, cancel := cputime.Within(ctx, whole)
	if deadline, ok := ctx.Deadline(); ok {
		cancel()
		whole = time.Until(deadline) / proofShare
		short, cancel = context.WithTimeout(ctx, whole)
	}
	defer cancel()
	list, err := guard.Read(short, "prove", func() ([]*proofs.Proof, error) {
		return proofs.File(short, string(t), proofs.Options{Model: x.loadOptions(), Dry: true, Query: whole})
	})
	if err != nil { // loading says what is wrong, and without time there is no proof
		return nil
	}
	for _, p := range list {
		if p.Verdict == proofs.Proved {
			assuming := ", if there is " + strings.Join(p.Assumed, ", ")
			if len(x.macros) > 0 {
				assuming += "; with " + strings.Join(x.macros, ", ")
			}
			said = append(said, proved{p.Kernel, "no data race, divergence or failed assertion" + p.Scope.ForAll(), assuming})
		}
	}
	return said
}

// proofOf returns the proof of a kernel, if there is one.
func proofOf(kernel string, list []proved) *proved {
	if i := slices.IndexFunc(list, func(p proved) bool { return p.kernel == kernel }); i >= 0 {
		return &list[i]
	}
	return nil
}

// needless reports whether a launch has nothing to show: its kernel is proved, and launches that were verified have come to each of its lines. What a proof is not about hangs
// on bounds, too: one of these launches has work-items that are left out, if this one has. It is not about divisions by 0 either, which hang on any number.
func needless(g *clc.Guess, before []*tried, list []proved) bool {
	if proofOf(g.Options.Kernel, list) == nil || g.Divides() {
		return false
	}
	verified := slices.DeleteFunc(slices.Clone(before), func(c *tried) bool {
		return c.opt.Kernel != g.Options.Kernel || c.r == nil || c.r.Verdict != explore.Verified
	})
	like := slices.ContainsFunc(verified, func(c *tried) bool { return g.Fits() || !c.guess.Fits() })
	never := neverIn(verified)
	return like && len(never.ran) == 0 && len(never.evaluated) == 0
}

// needed is how many launches of a list are to be explored, as far as is known: of a kernel that is proved one of each kind.
func needed(list []*clc.Guess, before []*tried, proofs []proved) (n int) {
	type kind struct {
		kernel string
		fits   bool
	}
	seen := map[kind]bool{}
	for _, g := range list {
		k := kind{g.Options.Kernel, g.Fits()}
		if needless(g, before, proofs) || seen[k] && proofOf(k.kernel, proofs) != nil && !g.Divides() {
			continue
		}
		seen[k] = true
		n++
	}
	return max(n, 1)
}

// ofProofs ends a verdict by what is proved, if that is the same of each kernel of the launches; else it says of how many something is.
func ofProofs(all []*tried, list []proved) string {
	var kernels, what []string
	for _, c := range all {
		if name := c.opt.Kernel; !slices.Contains(kernels, name) {
			kernels = append(kernels, name)
			if p := proofOf(name, list); p != nil {
				what = append(what, p.what)
			}
		}
	}
	switch {
	case len(what) == 0:
		return ""
	case len(what) < len(kernels) || slices.ContainsFunc(what, func(w string) bool { return w != what[0] }):
		return fmt.Sprintf("; %d of %d kernels proved", len(what), len(kernels))
	}
	return "; proved: " + what[0]
}
