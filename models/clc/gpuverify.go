package clc

import (
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clmc/clmc/models/clc/internal/tree"
)

// headerFlag is a flag of GPUVerify's in the comment that a file begins with.
var headerFlag = regexp.MustCompile(`--(local_size|global_size|num_groups)=(\[[^\]]*\]|\S*)`)

// headerRequests reads the header of a file as GPUVerify takes it,
//
//	//--local_size=[4,4] --num_groups=[2,2]
//
// and launches the kernel that the flags name, or each of the file. Flags of clmc come first.
func (l *launcher) headerRequests() (requests []*request) {
	sizes, at := l.header()
	if sizes == nil {
		return nil
	}
	global := sizes["global_size"]
	if groups, ok := sizes["num_groups"]; ok {
		if global != "" {
			l.fault(at, "leave one of them out", "the header has both --num_groups and --global_size")
			return nil
		}
		if global, ok = product(groups, sizes["local_size"]); !ok {
			l.fault(at, "write as many numbers in both, as in --local_size=[4,4] --num_groups=[2,2]", "--num_groups=%s does not fit --local_size=%s", groups, sizes["local_size"])
			return nil
		}
	}
	for _, k := range l.unit.Kernels {
		if l.opt.Kernel != "" && l.opt.Kernel != k.Name {
			continue
		}
		r := &request{kernel: k.Name, global: global, local: sizes["local_size"], offset: l.opt.Offset, at: at}
		if l.opt.Global != "" {
			r.global = l.opt.Global
		}
		if l.opt.Local != "" {
			r.local = l.opt.Local
		}
		r.args = l.argsFor(k)
		requests = append(requests, r)
	}
	if requests == nil {
		l.fault(at, "", "there is no kernel to launch; the file has %s", l.kernelNames())
	}
	return requests
}

// argsFor returns the arguments of the flags that are for a kernel: with one kernel all of them, so that
// what none has is an error.
func (l *launcher) argsFor(k *tree.Func) (args []string) {
	taken := func(by *tree.Func, arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.ContainsFunc(by.Params, func(v *tree.Var) bool { return v.Name == name })
	}
	for _, arg := range l.opt.Args {
		others := l.opt.Kernel == "" && slices.ContainsFunc(l.unit.Kernels, func(by *tree.Func) bool { return taken(by, arg) })
		if taken(k, arg) || !others {
			args = append(args, arg)
		}
	}
	return args
}

// header returns the sizes of the header.
func (l *launcher) header() (sizes map[string]string, at token.Position) {
	n := 0
	for line := range strings.Lines(l.unit.Files[0].Text) {
		n++
		text := strings.TrimSpace(line)
		if text != "" && !strings.HasPrefix(text, "//") {
			break
		}
		for _, m := range headerFlag.FindAllStringSubmatch(text, -1) {
			if sizes == nil {
				sizes = map[string]string{}
				at = token.Position{Filename: l.unit.Files[0].Name, Line: n, Column: 1 + strings.Index(line, "//")}
			}
			if _, twice := sizes[m[1]]; twice {
				l.fault(at, "leave one of them out", "the header has --%s twice", m[1])
				return nil, at
			}
			sizes[m[1]] = strings.Join(strings.FieldsFunc(m[2], func(c rune) bool { return strings.ContainsRune("[], \t", c) }), ",")
		}
	}
	if sizes == nil {
		l.fault(token.Position{Filename: l.path}, "begin the file with a line as //--local_size=[4,4] --num_groups=[2,2], or leave --gpuverify-header out", "the file has no header of GPUVerify's")
	}
	return sizes, at
}

// product multiplies two sizes.
func product(a, b string) (string, bool) {
	x, y := strings.Split(a, ","), strings.Split(b, ",")
	if len(x) != len(y) {
		return "", false
	}
	for i := range x {
		m, err1 := strconv.ParseInt(x[i], 10, 32)
		n, err2 := strconv.ParseInt(y[i], 10, 32)
		if err1 != nil || err2 != nil || m < 1 || n < 1 || m*n > 1<<31-1 {
			return "", false
		}
		x[i] = strconv.FormatInt(m*n, 10)
	}
	return strings.Join(x, ","), true
}
