// Package thorough says how much of a kind tests try. By default it is little, so that make test is done within minutes;
// with
//
//	CLMC_THOROUGH=1
//
// as make check and make nightly have it, tests try all that they have.
//
// It is part of clmc and not of its Go API.
package thorough

import (
	"fmt"
	"os"
	"testing"
)

// Asked reports whether tests are to try all they have. It panics if CLMC_THOROUGH says something else than 1 or 0.
func Asked() bool {
	switch asked := os.Getenv("CLMC_THOROUGH"); asked {
	case "", "0":
		return false
	case "1":
		return true
	default:
		panic(fmt.Sprintf("CLMC_THOROUGH=%s: want 1, or 0 for not", asked))
	}
}

// Of returns how many of a kind to try: few, or all where that is asked for.
func Of(few, all int) int {
	if Asked() {
		return all
	}
	return few
}

// Only skips a test that is for thorough runs, and says what a usual run has of its kind.
func Only(t testing.TB, instead string) {
	t.Helper()
	if !Asked() {
		t.Skipf("left to make check and make nightly (CLMC_THOROUGH=1); here there is %s", instead)
	}
}
