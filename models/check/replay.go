package check

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/clmc/clmc/explore/report"
	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/memmodel"
)

// A replay string is the id of the kind of violation, for people, and after a point
// a trace file, as clmc explore --trace writes one, without what the call says
// anyway: compressed, and in an alphabet that needs no quoting.

var alphabet = base64.RawURLEncoding

// encode returns the replay string of an execution.
func encode(m *model.Model, spec memmodel.Spec, t *trace.Trace) (string, error) {
	f, err := report.NewTraceFile("", m.Program, spec, nil, t)
	if err != nil {
		return "", err
	}
	f.Kind, f.Message = "", ""
	for _, g := range m.Data { // what was any is what the execution is about
		f.Launch = append(f.Launch, givenFlag, g)
	}
	var packed, text bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if err := errors.Join(f.Save(w), w.Close()); err != nil {
		return "", err
	}
	text.WriteString(f.ID + ".")
	text.WriteString(alphabet.EncodeToString(packed.Bytes()))
	return text.String(), nil
}

// givenFlag comes before what an input was that is any.
const givenFlag = "--given"

// takeGiven gives the model the data of the execution to repeat.
func (c *config) takeGiven() {
	f, err := decode(c.replay)
	if c.replay == "" || err != nil {
		return // it is told later
	}
	for i := 0; i+1 < len(f.Launch); i += 2 {
		if f.Launch[i] == givenFlag {
			c.loading.Kernels.Given = append(c.loading.Kernels.Given, f.Launch[i+1])
		}
	}
}

// maxTrace bounds the size of a trace in bytes, so that a short string cannot fill
// the memory.
const maxTrace = 64 << 20

// decode reads a replay string.
func decode(s string) (*report.TraceFile, error) {
	id, rest, _ := strings.Cut(s, ".")
	packed, err := alphabet.DecodeString(rest)
	if err != nil || rest == "" {
		return nil, fmt.Errorf("check.Replay(%.40q): want all of the string that a failure ends in", s)
	}
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxTrace))
	if err != nil {
		return nil, fmt.Errorf("check.Replay(%.40q): the string is damaged: %w", s, err)
	}
	f, err := report.LoadTrace(bytes.NewReader(text))
	if err == nil && f.ID != id {
		err = fmt.Errorf("it is of a %s", f.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("check.Replay(%.40q): the string is damaged: %w", s, err)
	}
	return f, nil
}
