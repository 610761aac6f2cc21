package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/clmc/clmc/cmd/clmc/internal/device"
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/regular"
	"github.com/clmc/clmc/models/litmus/opencl"
)

// emitPrograms writes tests as programs for devices, and runs none.
func (a *app) emitPrograms(l *litmusFlags, files []string) error {
	mapping := l.device.wanted()
	if mapping == "" {
		mapping = opencl.C11
	}
	written := 0
	for _, file := range files {
		m, err := model.Litmus(file)
		if err != nil {
			a.failFor(err)
			continue
		}
		k, err := opencl.Emit(m.Test.Tree(), "test", mapping)
		if err != nil {
			a.logf("%s: not written: %v", file, err)
			continue
		}
		d := &device.Info{Type: "gpu", Units: 16}
		shape := device.Shapes(d, k, device.Settings(d))[0]
		p := &opencl.Program{Kernel: k, Shape: shape.Shape, Stressors: shape.Stressors, Options: "-cl-std=" + mapping.Standard() + " -DCLMC_RELAXED", About: []string{"Test " + m.Test.Name}}
		if err := writeProgram(l.device.emit, m.Test.Name, p, nil); err != nil {
			return inputError{err}
		}
		written++
	}
	fmt.Fprintf(a.out, "%d programs in %s\n", written, l.device.emit)
	return nil
}

// folderName is the name of a test as that of a folder.
func folderName(test string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, test)
	if strings.Trim(name, ".") == "" {
		name = "_" + name
	}
	return name
}

// writeProgram writes a program with its host program, and other files, to a folder of the test.
func writeProgram(dir, test string, p *opencl.Program, more map[string]string) error {
	dir = filepath.Join(dir, folderName(test))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return regular.Fault(dir, err)
	}
	files := map[string]string{"program.cl": opencl.Source([]*opencl.Kernel{p.Kernel}), "harness.cl": opencl.Clear, "host.c": p.Host()}
	for name, text := range more {
		files[name] = text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return regular.Fault(dir, err)
		}
	}
	return nil
}

// writeReport writes what repeats a forbidden outcome of a test.
func (r *deviceRun) writeReport(t *device.Result) error {
	d := r.suite.Info
	first := t.Forbidden()[0]
	shape := *first.Shape
	about := []string{
		"Test " + t.Test.Name, "OpenCL " + r.spec.Name + " forbids: " + condition(t.Test.Vars, first.Values), fmt.Sprintf("seen %d times in %d instances", first.Count, t.Instances),
		"Device: " + d.Name + ", of " + d.Vendor, "Platform: " + d.Platform + ", " + d.PlatformVersion, "Version: " + d.Version + ", driver " + d.Driver,
		"Mapping: " + string(t.Kernel.Mapping), fmt.Sprintf("Seed: %d", r.seed)}
	if len(t.Lacks) > 0 {
		about = append(about, "The device does not promise: "+strings.Join(t.Lacks, ", "))
	}
	p := &opencl.Program{Kernel: t.Kernel, Shape: shape, Options: r.suite.Options(t.Kernel.Mapping), Allowed: t.Allowed, About: about}
	for _, s := range device.Shapes(d, t.Kernel, r.suite.Settings) {
		if s.Turn == shape.Turn && s.Twist == shape.Twist && s.Stress == shape.Stress && s.Delay == shape.Delay && s.Step == shape.Step {
			p.Stressors = s.Stressors
		}
	}
	text, err := regular.Read(t.File, 1<<20)
	if err != nil {
		return regular.Fault(t.File, err)
	}
	read := strings.Join(about, "\n") + "\n"
	if why := r.forbids(t, first.Values); why != nil {
		read += "\n" + why.String() + "\n"
	}
	read += "\nBuild and run:  cc host.c -lOpenCL -o host && ./host [PLATFORM [DEVICE [LAUNCHES]]]\n"
	err = writeProgram(r.device.report, t.Test.Name, p, map[string]string{"test.litmus": string(text), "README.txt": read})
	if err == nil {
		r.logf("%s: the report is in %s", t.Test.Name, filepath.Join(r.device.report, folderName(t.Test.Name)))
	}
	return err
}
