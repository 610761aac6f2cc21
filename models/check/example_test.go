package check_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/clmc/clmc/models/check"
)

// printer is what a *testing.T is in a test of yours. It prints the first words of
// what it is told.
type printer struct{}

func (p printer) Helper()                  {}
func (p printer) Context() context.Context { return context.Background() }
func (p printer) Logf(string, ...any)      {}
func (p printer) Errorf(f string, a ...any) {
	fmt.Println("FAIL:", fmt.Sprintf("%.82s", fmt.Sprintf(f, a...)))
}
func (p printer) Fatalf(f string, a ...any) { p.Errorf(f, a...) }

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// A test of the package that a kernel belongs to says that no execution of it goes
// wrong: func TestReduce(t *testing.T) { check.Verify(t, ...) }
func ExampleVerify() {
	var t printer
	check.Verify(t, "testdata/reduce.go", check.Size("n", 4), check.Spec("2.0"))
	check.Verify(t, "testdata/reduce.go", check.Define("barrier", "false"))
	// Output:
	// FAIL: testdata/reduce.go: CL1001: Data race on numbers[1] (local memory of work-group 0)
}

// What goes wrong is in the result, and an execution that shows it can be repeated alone.
func ExampleRun() {
	r, err := check.Run(context.Background(), "testdata/reduce.go", check.Define("barrier", "false"))
	if err != nil {
		log.Fatal(err)
	}
	v := r.Violations[0]
	fmt.Printf("%v: %s, %s on %s\n", r.Verdict, v.ID, v.Kind, v.Variable)

	again, err := check.Run(context.Background(), "testdata/reduce.go", check.Define("barrier", "false"), check.Replay(v.Replay))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("again:", again.Violations[0].Kind)
	// Output:
	// violated: CL1001, data race on numbers[1]
	// again: data race
}

// The text of a model can come from anywhere. What it is, the name says.
func ExampleSource() {
	const text = `package main

import "github.com/clmc/clmc/models/cl"

var counter cl.AtomicInt

func count() { cl.AtomicFetchAddExplicit(&counter, 1, cl.MemoryOrderRelaxed) }

func main() {
	cl.EnqueueNDRangeKernel(count, cl.NDRange1D(3, 1))
	cl.Finish()
	cl.Observe("counter", cl.AtomicLoadExplicit(&counter, cl.MemoryOrderRelaxed))
}
`
	r, err := check.Run(context.Background(), "counter.go", check.Source(text))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Verdict, r.Outcomes)
	// Output: verified [map[counter:3]]
}

// A search that is cut short concludes nothing, and says why.
func ExampleResult_Err() {
	r, err := check.Run(context.Background(), "@ticketlock", check.MaxStates(3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Verdict)
	fmt.Println(r.Err())
	// Output:
	// inconclusive
	// inconclusive: the bound of 3 states was met
}

// A litmus test is judged by its condition, beside all else that can go wrong.
func ExampleRun_litmus() {
	r, err := check.Run(context.Background(), "testdata/sb.litmus")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Verdict, r.Condition, len(r.Outcomes))
	// Output: verified Ok 3
}

// A Result prints as the report of clmc explore.
func ExampleResult_String() {
	r, err := check.Run(context.Background(), "@mp_release_acquire")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(firstLine(r.String()))
	// Output: @mp_release_acquire, OpenCL 3.0
}
