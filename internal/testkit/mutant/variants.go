package mutant

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Variants are builds of the test of one package, from which what some mutants break is missing: to measure what
// it is worth, not to see a test fail. They are in no ledger.
type Variants struct {
	tests *builder
	dir   string
}

// NewVariants returns the variants of the test of the package at hand. What they write is the caller's to remove.
func NewVariants(list []Mutant, dir string) (*Variants, error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return &Variants{&builder{root: root, list: list, dir: dir, builds: map[string]*build{}}, filepath.Clean(here)}, nil
}

// Command returns what runs the test without what m breaks, or as it is if m is nil.
func (v *Variants) Command(m *Mutant, flags ...string) (*exec.Cmd, error) {
	file, active, err := "", "0", error(nil)
	if m == nil {
		file, err = v.tests.unmutated(v.dir)
	} else {
		file, active, _, err = v.tests.binary(v.dir, *m)
	}
	if err != nil {
		return nil, fmt.Errorf("the test of %s: %w", v.dir, err)
	}
	cmd := exec.Command(file, flags...)
	cmd.Dir = v.dir
	cmd.Env = append(os.Environ(), Environment+"="+active)
	return cmd, nil
}
