package cli

import (
	"bytes"
	"testing"
)

// Only what begins a line of a report is coloured, however the line is written, and nothing is lost.
func TestPainter(t *testing.T) {
	var b bytes.Buffer
	p := &painter{w: &b}
	for _, part := range []string{"a.go, OpenCL\nCL10", "01: race\nsays verdict", ": verified\nverdict: ver", "ified: all\nverdict: violated", " (CL1001)"} {
		p.Write([]byte(part))
	}
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	want := "a.go, OpenCL\n" + red + "CL1001:" + noColour + " race\nsays verdict: verified\n" + green + "verdict: verified" + noColour + ": all\nverdict: violated (CL1001)"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
