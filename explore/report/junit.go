package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The part of JUnit's XML that CI services read. A check whose search was cut
// short is a skipped test: it neither passed nor failed.
type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	File    string       `xml:"file,attr"`
	Line    int          `xml:"line,attr"`
	Time    string       `xml:"time,attr"`
	Failure *junitDetail `xml:"failure"`
	Error   *junitDetail `xml:"error"`
	Skipped *junitDetail `xml:"skipped"`
	Out     string       `xml:"system-out,omitempty"`
}

type junitDetail struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes the summary as JUnit XML, a test case for each check.
func (s *Summary) JUnit(w io.Writer) error {
	suite := junitSuite{Name: "clmc run " + s.List, Tests: len(s.Checks), Failures: s.Counts[Unexpected],
		Errors: s.Counts[Failed], Skipped: s.Counts[Unfinished], Time: fmt.Sprintf("%.3f", s.Seconds)}
	for _, c := range s.Checks {
		suite.Cases = append(suite.Cases, c.junit())
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (c *Check) junit() junitCase {
	j := junitCase{Name: c.Name, Class: c.Model, File: c.At.File, Line: c.At.Line, Time: "0.000"}
	if c.Statistics != nil && !c.Remembered {
		j.Time = fmt.Sprintf("%.3f", c.Statistics.Seconds)
	}
	first, _, _ := strings.Cut(c.Reason, "\n")
	detail := &junitDetail{Message: first}
	switch c.Status {
	case Unexpected:
		detail.Type = "unexpected"
		for _, v := range c.Violations {
			detail.Text += fmt.Sprintf("%s: %s\n", v.ID, v.Message)
		}
		detail.Text += "see: " + c.Again + "\n"
		j.Failure = detail
	case Failed:
		detail.Type, detail.Text = "error", c.Reason+"\n"
		j.Error = detail
	case Unfinished:
		j.Skipped = detail
	case Expected:
		if first != "" {
			j.Out += first + "\n"
		}
	}
	for _, k := range c.Known {
		for _, line := range k.lines() {
			j.Out += "known: " + line + "\n"
		}
	}
	return j
}
