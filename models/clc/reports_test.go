package clc_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/internal/testkit/foreign"
	"github.com/clmc/clmc/internal/testkit/thorough"
	"github.com/clmc/clmc/models/clc"
)

// Reports on random kernels that go wrong name what is the kernel's and OpenCL's, and nothing of clmc's own.
func TestReportsOfRandomKernels(t *testing.T) {
	t.Parallel()
	told := 0
	for n := range uint64(thorough.Of(40, 400)) {
		text, name := randomKernel(n).text(), fmt.Sprintf("random%d.cl", n)
		p, err := clc.Source(name, []byte(text), clc.Options{})
		if err != nil {
			continue
		}
		rep, err := report.New(name, p, explore.Run(context.Background(), p, explore.Options{All: true, MaxStates: 500}))
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		var said, data bytes.Buffer
		if err := rep.Text(&said); err != nil {
			t.Fatal(err)
		}
		if err := rep.JSON(&data); err != nil {
			t.Fatal(err)
		}
		w := foreign.Of(false, text).Know(name)
		found, err := w.InJSON(data.Bytes())
		if found = append(found, w.In(said.String())...); err != nil || len(found) > 0 {
			t.Errorf("%s: %v, names that are not the user's: %q\n%s", name, err, found, said.String())
		}
		told += len(rep.Traces)
	}
	if told < 20 {
		t.Errorf("only %d violations were told", told)
	}
}
