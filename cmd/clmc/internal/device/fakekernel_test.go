package device

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/clmc/clmc/memmodel"
	"github.com/clmc/clmc/models/clc"
	"github.com/clmc/clmc/state/ir"
)

var (
	parameters = regexp.MustCompile(`kernel\s+void\s+\w+\s*\(([^)]*)\)`)
	parameter  = regexp.MustCompile(`(\w+)\s*\**\s*(\w+)\s*$`)
)

// run runs a kernel that is no litmus test: it leaves one of the outcomes that its executions may have.
func (f *fake) run(k *fakeKernel, offset, global, local []int) {
	source := k.program.source
	if f.rewrite != nil {
		source = f.rewrite.Replace(source)
	}
	size := func(list []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]") }
	opt := clc.Options{KeepValues: true, Kernel: k.name, Global: size(global), Local: size(local), Offset: size(offset)}
	buffers := map[string]*fakeBuffer{}
	for i, p := range strings.Split(parameters.FindStringSubmatch(source)[1], ",") {
		word := parameter.FindStringSubmatch(p)
		kind, name := strings.TrimPrefix(word[1], "atomic_"), word[2]
		switch a := k.args[i].(type) {
		case *fakeBuffer:
			buffers[name] = a
			opt.Args = append(opt.Args, fmt.Sprintf("%s=%s[%d]{%s}", name, kind, len(a.values(kind)), strings.Trim(strings.ReplaceAll(fmt.Sprint(a.values(kind)), " ", ","), "[]")))
		case int:
			opt.Args = append(opt.Args, fmt.Sprintf("%s=local[%d]", name, a/4))
		case uint32:
			opt.Args = append(opt.Args, fmt.Sprintf("%s=%d", name, int32(a)))
		}
	}
	key := fmt.Sprint(opt)
	if _, known := f.outcomes[key]; !known {
		f.outcomes[key] = f.executions(source, opt, buffers)
	}
	if len(f.outcomes[key]) == 0 {
		return // the kernel is undefined
	}
	f.leave(buffers, f.outcomes[key])
}

// executions are the outcomes of a launch.
func (f *fake) executions(source string, opt clc.Options, buffers map[string]*fakeBuffer) []map[string]int64 {
	p, err := clc.Source("fake.cl", []byte(source), opt)
	if err != nil {
		panic(err)
	}
	for _, o := range p.Objects {
		if buffers[o.Name] != nil || o.Kind == memmodel.ProgramScope {
			for c := range o.Layout.Cells() {
				p.Final = append(p.Final, ir.FinalVar{Name: fmt.Sprintf("%s[%d]", o.Name, c), Addr: o.Base + int32(c)})
			}
		}
	}
	return f.explore(p).Outcomes
}

// leave chooses an outcome.
func (f *fake) leave(buffers map[string]*fakeBuffer, outcomes []map[string]int64) {
	at := f.random.IntN(len(outcomes))
	if f.choose != nil {
		at = f.choose(f.random, outcomes)
	}
	f.left = outcomes[at]
	for name, v := range outcomes[at] {
		var cell int
		buffer, rest, _ := strings.Cut(name, "[")
		b := buffers[buffer]
		if _, err := fmt.Sscanf(rest, "%d]", &cell); err != nil || b == nil {
			continue // what is observed is in a buffer, too
		}
		if buffer == "clmc_seen" {
			b.cells[2*cell], b.cells[2*cell+1] = int32(v), int32(v>>32)
		} else {
			b.cells[cell] = int32(v)
		}
	}
}

// copied matches what copies a variable of program scope, with its first byte in the buffer.
var copied = regexp.MustCompile(`to\[(\d+) \+ i\] = \(\(global uchar \*\)&(\w+)\)`)

// fetch copies variables of program scope: after a run what that left, before it what the program says.
func (f *fake) fetch(k *fakeKernel) {
	p, err := clc.Source("fake.cl", []byte(k.program.source), clc.Options{Kernel: k.name, Global: "1", Local: "1", Args: []string{"to=zero[64]"}, KeepValues: true})
	if err != nil {
		panic(err)
	}
	for _, m := range copied.FindAllStringSubmatch(k.program.source, -1) {
		var at int
		fmt.Sscan(m[1], &at)
		for _, o := range p.Objects {
			for c := range o.Init { // which are bytes here
				if o.Name == m[2] {
					shift := 8 * (c % 4)
					cell := &k.cells(0)[(at+c)/4]
					*cell = *cell&^(0xff<<shift) | int32(o.Init[c])<<shift
				}
			}
		}
		for c := 0; ; c++ {
			v, ok := f.left[fmt.Sprintf("%s[%d]", m[2], c)]
			if !ok {
				break
			}
			k.cells(0)[at/4+c] = int32(v)
		}
	}
}

// values are the numbers in a buffer.
func (b *fakeBuffer) values(kind string) (list []int64) {
	if kind != "long" {
		for _, c := range b.cells {
			list = append(list, int64(c))
		}
		return list
	}
	for c := range slices.Chunk(b.cells, 2) {
		list = append(list, int64(binary.LittleEndian.Uint64(words(c))))
	}
	return list
}
