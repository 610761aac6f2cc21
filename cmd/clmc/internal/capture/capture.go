// Package capture turns what an application asked of OpenCL, as the layer of clmc noted it, into kernel files with //clmc:launch lines.
package capture

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/clmc/clmc/internal/regular"
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
	N       int         `json:"n"`
	Made    string      `json:"made"`
	Cut     bool        `json:"cut"`
	Options text        `json:"options"`
	Text    text        `json:"text"`
	Inputs  few[int]    `json:"inputs"`
	Headers few[header] `json:"headers"`
	file    string      // that it was written to
}

// header is a text that other programs include by a name.
type header struct {
	N    int  `json:"n"`
	Name text `json:"name"`
}

// launch is a kernel that was enqueued.
type launch struct {
	process    int
	Program    int      `json:"program"`
	Queue      int      `json:"queue"`
	OutOfOrder bool     `json:"outoforder"`
	Kernel     text     `json:"kernel"`
	Global     few[int] `json:"global"`
	Local      few[int] `json:"local"`
	Offset     few[int] `json:"offset"`
	Args       few[arg] `json:"args"`
}

// arg is an argument, as it was set.
type arg struct {
	Size    int      `json:"size"`
	Unset   bool     `json:"unset"`
	Null    bool     `json:"null"`
	SVM     bool     `json:"svm"`
	Mem     int      `json:"mem"` // the number of the memory object, of a sub-buffer that of its buffer
	Bytes   int      `json:"bytes"`
	Sub     bool     `json:"sub"`
	Origin  int      `json:"origin"`
	Image   few[int] `json:"image"`
	Sampler few[int] `json:"sampler"`
	Value   bytes    `json:"value"`
	Content *bytes   `json:"content"`
	Writer  text     `json:"writer"`
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

// few is a list that no application needs to be long.
type few[T any] []T

// mostOfList bounds its elements: a few bytes of a log are one.
const mostOfList = 4096

// UnmarshalJSON reads a list as the others are read.
func (f *few[T]) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return fmt.Errorf("want a list: %w", err)
	}
	for d.More() {
		if len(*f) == mostOfList {
			return fmt.Errorf("a list has more than %d elements", mostOfList)
		}
		var v T
		if err := d.Decode(&v); err != nil {
			return err
		}
		*f = append(*f, v)
	}
	return nil
}

// Run runs an application, and returns the folder in which it was noted what it does, which the caller removes, and its exit code: that of a shell, 128 and the
// number of the signal that ended it. An interrupt is passed on to the application, which decides what to do.
func Run(ctx context.Context, opt Options, command []string) (dir string, code int, err error) {
	folder, err := os.MkdirTemp("", "clmc-capture-")
	if err != nil {
		return "", 0, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(folder)
		}
	}()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(),
		"OPENCL_LAYERS="+before(opt.Layer, os.Getenv("OPENCL_LAYERS")),
		"LD_PRELOAD="+before(opt.Layer, os.Getenv("LD_PRELOAD")),
		"CLMC_CAPTURE_DIR="+folder, fmt.Sprintf("CLMC_CAPTURE_CONTENTS=%d", opt.Contents), fmt.Sprintf("CLMC_CAPTURE_LAUNCHES=%d", opt.Launches))
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })
	defer stop()
	var ended *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &ended) {
		return "", 0, err
	}
	return folder, exitCode(cmd.ProcessState), nil
}

func before(first, others string) string {
	if others == "" {
		return first
	}
	return first + ":" + others
}

// What is read: of the log of a process, which the layer keeps a little shorter, of all logs, and how many launches and programs. An application may write there, too.
const (
	maxLog      = 33 << 20
	maxLogs     = 128 << 20
	maxPrograms = 4096
	maxLaunches = 4096
)

// Read reads the logs of a folder. A line that the end of a process cut short is left out.
func Read(dir string) (*Log, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	l, left := &Log{queues: map[string]bool{}}, int64(maxLogs)
	for i, name := range files {
		most := min(left, maxLog)
		text, err := regular.Read(name, most)
		if err != nil {
			return nil, regular.Fault(name, err)
		}
		if left -= int64(len(text)); int64(len(text)) == most {
			l.limit("more than clmc reads was noted")
		}
		l.readLog(text, i)
	}
	return l, nil
}

// limit notes that something was not noted, or not read.
func (l *Log) limit(what string) {
	if len(l.limits) < maxLaunches && !slices.Contains(l.limits, what) {
		l.limits = append(l.limits, what)
	}
}

// readLog reads the log of a process. The end of a line may be missing only as the process was killed.
func (l *Log) readLog(text []byte, process int) {
	cwd := ""
	for {
		n := slices.Index(text, '\n')
		if n < 0 {
			return
		}
		cwd = l.readLine(text[:n], process, cwd)
		text = text[n+1:]
	}
}

// name is what a kernel may be called: files are named after it.
var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,200}$`)

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
		switch {
		case len(l.programs) == maxPrograms:
			l.limit(fmt.Sprintf("programs beyond the first %d", maxPrograms))
		case json.Unmarshal(line, p) == nil:
			l.programs = append(l.programs, p)
		}
	case "launch":
		k := &launch{process: process}
		switch {
		case len(l.launches) == maxLaunches:
			l.limit(fmt.Sprintf("launches beyond the first %d", maxLaunches))
		case json.Unmarshal(line, k) == nil && len(k.Global) > 0 && name.MatchString(string(k.Kernel)):
			l.launches = append(l.launches, k)
			l.queues[fmt.Sprint(process, " ", k.Queue)] = true
			l.disorder = l.disorder || k.OutOfOrder
		}
	case "limit":
		what := string(head.What)
		if head.Name != "" {
			what = string(head.Name) + ": " + what
		}
		l.limit(what)
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
