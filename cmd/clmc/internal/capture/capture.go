// Package capture turns what an application asked of OpenCL, as the layer of clmc noted it, into kernel files with //clmc:launch lines.
package capture

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Layer is the name of the shared library that notes what an application does; make layer builds it.
const Layer = "libclmc_capture.so"

// Options say what is noted.
type Options struct {
	Layer    string // the shared library
	Contents int    // bytes of each buffer of which the content is noted; 0: none
	Launches int    // that are noted of a kernel
}

// Log is what was noted of all processes of an application.
type Log struct {
	programs []*program
	launches []*launch
	limits   []string // what was not noted
	queues   map[string]bool
	disorder bool // a queue is out of order
}

// program is a program object.
type program struct {
	process int
	cwd     string
	N       int    `json:"n"`
	Made    string `json:"made"`
	Cut     bool   `json:"cut"`
	Options text   `json:"options"`
	Text    text   `json:"text"`
	Inputs  []int  `json:"inputs"`
	Headers []struct {
		N    int  `json:"n"`
		Name text `json:"name"`
	} `json:"headers"`
	file string // that it was written to
}

// launch is a kernel that was enqueued.
type launch struct {
	process    int
	Program    int    `json:"program"`
	Queue      int    `json:"queue"`
	OutOfOrder bool   `json:"outoforder"`
	Kernel     text   `json:"kernel"`
	Global     []int  `json:"global"`
	Local      []int  `json:"local"`
	Offset     []int  `json:"offset"`
	Args       []*arg `json:"args"`
}

// arg is an argument, as it was set.
type arg struct {
	Size    int    `json:"size"`
	Unset   bool   `json:"unset"`
	Null    bool   `json:"null"`
	SVM     bool   `json:"svm"`
	Mem     int    `json:"mem"` // the number of the memory object, of a sub-buffer that of its buffer
	Bytes   int    `json:"bytes"`
	Sub     bool   `json:"sub"`
	Origin  int    `json:"origin"`
	Image   []int  `json:"image"`
	Sampler []int  `json:"sampler"`
	Value   bytes  `json:"value"`
	Content *bytes `json:"content"`
	Writer  text   `json:"writer"`
}

// text is bytes of the application, each of which is a character of that number in the log.
type text string

// UnmarshalJSON is the inverse of put_string of the layer.
func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	raw := make([]byte, 0, len(s))
	for _, r := range s {
		raw = append(raw, byte(r))
	}
	*t = text(raw)
	return nil
}

// bytes are written as hexadecimal digits.
type bytes []byte

// UnmarshalJSON is the inverse of put_hex of the layer.
func (t *bytes) UnmarshalJSON(b []byte) (err error) {
	var s string
	if err = json.Unmarshal(b, &s); err == nil {
		*t, err = hex.DecodeString(s)
	}
	return err
}

// Run runs an application, and returns what was noted of it and its exit code: that of a shell, 128 and the number of the signal that ended it. An
// interrupt is passed on to the application, which decides what to do.
func Run(ctx context.Context, opt Options, command []string) (log *Log, code int, err error) {
	dir, err := os.MkdirTemp("", "clmc-capture-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(),
		"OPENCL_LAYERS="+before(opt.Layer, os.Getenv("OPENCL_LAYERS")),
		"LD_PRELOAD="+before(opt.Layer, os.Getenv("LD_PRELOAD")),
		"CLMC_CAPTURE_DIR="+dir, fmt.Sprintf("CLMC_CAPTURE_CONTENTS=%d", opt.Contents), fmt.Sprintf("CLMC_CAPTURE_LAUNCHES=%d", opt.Launches))
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })
	defer stop()
	var ended *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &ended) {
		return nil, 0, err
	}
	log, err = Read(dir)
	return log, exitCode(cmd.ProcessState), err
}

func before(first, others string) string {
	if others == "" {
		return first
	}
	return first + ":" + others
}

// Read reads the logs of a folder. A line that the end of a process cut short is left out.
func Read(dir string) (*Log, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	l := &Log{queues: map[string]bool{}}
	for i, name := range files {
		if err := l.readFile(name, i); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *Log) readFile(name string, process int) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, cwd := bufio.NewReaderSize(f, 1<<16), ""
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		cwd = l.readLine(line, process, cwd)
	}
}

// readLine notes a line, and returns the working folder of the process. What is no line of the layer is left out.
func (l *Log) readLine(line []byte, process int, cwd string) string {
	var head struct {
		T    string `json:"t"`
		CWD  text   `json:"cwd"`
		What text   `json:"what"`
		Name text   `json:"name"`
	}
	if json.Unmarshal(line, &head) != nil {
		return cwd
	}
	switch head.T {
	case "process":
		return string(head.CWD)
	case "program":
		p := &program{process: process, cwd: cwd}
		if json.Unmarshal(line, p) == nil {
			l.programs = append(l.programs, p)
		}
	case "launch":
		k := &launch{process: process}
		if json.Unmarshal(line, k) == nil && len(k.Global) > 0 {
			l.launches = append(l.launches, k)
			l.queues[fmt.Sprint(process, " ", k.Queue)] = true
			l.disorder = l.disorder || k.OutOfOrder
		}
	case "limit":
		what := string(head.What)
		if head.Name != "" {
			what = string(head.Name) + ": " + what
		}
		if !slices.Contains(l.limits, what) {
			l.limits = append(l.limits, what)
		}
	}
	return cwd
}

// program returns a program of a process.
func (l *Log) program(process, n int) *program {
	// One that was built again is noted again: the last is the one that is launched.
	for _, p := range slices.Backward(l.programs) {
		if p.process == process && p.N == n {
			return p
		}
	}
	return nil
}

// splitOptions splits the options of a build as OpenCL does: at blanks, but not between quotes.
func splitOptions(s string) (words []string) {
	var word strings.Builder
	quote, open := byte(0), false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case c == '\\' && i+1 < len(s) && strings.IndexByte(`"\ `, s[i+1]) >= 0:
			i++
			word.WriteByte(s[i])
			open = true
		case quote == 0 && strings.IndexByte(" \t\n\r", c) >= 0:
			if open {
				words, open = append(words, word.String()), false
				word.Reset()
			}
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}
