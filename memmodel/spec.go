package memmodel

import "fmt"

// Inclusion is the reading of "inclusive scope" (rules 3.5, 3.6).
type Inclusion uint8

const (
	// SameScope: both actions name the same scope (OpenCL 2.0 to 3.0).
	SameScope Inclusion = iota
	// WiderScope: each action names the common scope or a wider one (OpenCL 3.1).
	WiderScope
)

// SCRule is the reading of the seq_cst constraint on loads (rule 8.3).
type SCRule uint8

const (
	// SCText: a seq_cst load of a value that no seq_cst operation wrote is
	// constrained only as the text says.
	SCText SCRule = iota
	// SCPartial: the text as a partial order: such a load precedes the seq_cst
	// writes that its source happens before (herd's reading of the text).
	SCPartial
	// SCSimplified: every seq_cst load precedes all seq_cst writes that follow its
	// source in modification order (Batty, Donaldson and Wickerson, POPL 2016).
	SCSimplified
	// SCScoped: as SCSimplified, between operations of inclusive scopes only.
	SCScoped
)

// Spec is one reading of the specification: the points where the versions of
// the text, or the text and its formalisations, differ.
type Spec struct {
	Name      string    // as --spec has it
	Inclusion Inclusion // which scopes are inclusive
	SCBoth    bool      // seq_cst operations are actions of both happens-before relations (rule 6.8)
	SC        SCRule    // rule 8.3
	// SCConditional: S exists only if all seq_cst operations have
	// all_svm_devices scope on fine-grained atomics memory, or all have device
	// scope and none is on such memory (rule 8.1, OpenCL 2.0).
	SCConditional bool
	// SCFencesExempt: a seq_cst fence of all_svm_devices scope does not
	// break SCConditional. Only a published variant of the model reads it so.
	SCFencesExempt bool
	// Kindless: a scope means the same on all memory. The published models
	// read it so; the text reduces all_svm_devices to device scope except on SVM
	// with atomics, and any wider scope to work_group on local memory (rules
	// 2.4, 3.4).
	Kindless bool
	// NoEmptyRanges: an index space without work-items is an error (before OpenCL
	// 2.1), not a command that does nothing (rule 12.22).
	NoEmptyRanges bool
}

// Specs lists the named readings that users may choose, the default first.
var Specs = []Spec{
	{Name: "3.0", SCBoth: true},
	{Name: "2.0", SCBoth: true, SCConditional: true, NoEmptyRanges: true},
	{Name: "3.1", SCBoth: true, Inclusion: WiderScope},
	{Name: "popl16", SC: SCSimplified, SCConditional: true, Kindless: true, NoEmptyRanges: true},
	{Name: "popl16-scoped", SC: SCScoped, Kindless: true, NoEmptyRanges: true},
}

// ParseSpec returns the reading of that name.
func ParseSpec(name string) (Spec, error) {
	for _, s := range Specs {
		if s.Name == name {
			return s, nil
		}
	}
	return Spec{}, fmt.Errorf("unknown specification %q: want 3.0, 2.0, 3.1, popl16 or popl16-scoped", name)
}
