package device

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
)

// Kernel is a kernel that runs on a device beside a search.
type Kernel struct {
	Host *clc.Hosted
	// Ends has the outcomes of Host.Program; nil where nothing is known of them.
	Ends *explore.Result
	Runs int
	Time time.Duration // no run begins later than that
	Seed uint64
}

// Ending is how some runs ended.
type Ending struct {
	Contents [][]byte
	Count    int
	// Forbidden: no execution ends so.
	Forbidden bool
	Fails     []string // assertions that do not hold then
}

// Ended is what came of the runs of a kernel.
type Ended struct {
	Runs    int
	Time    time.Duration // in launches
	Endings []Ending      // the most frequent first
	Lost    int           // runs that ended in yet other ways
	// Unknown says why no run can be called wrong; "" if each can.
	Unknown string
	Allowed int // outcomes of executions
	Seen    int // of them
	Unread  int // runs in which work-items observed more than is kept, so that they are not judged
}

// Forbidden is how many runs ended as no execution does.
func (e *Ended) Forbidden() (n int) {
	for i := range e.Endings {
		if e.Endings[i].Forbidden {
			n += e.Endings[i].Count
		}
	}
	return n
}

// Run compiles and runs the kernel; include are folders of files that it includes.
func (k *Kernel) Run(ctx context.Context, c *Client, d *Info, include []string) (*Ended, error) {
	options := []string{"-cl-std=" + d.standard(k.Host.Std)}
	for _, dir := range include {
		options = append(options, "-I", dir)
	}
	var names []string
	for _, list := range k.Host.Launches {
		if name := list[0].Kernel; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if k.Host.Variables > 0 {
		names = append(names, clc.HostFetch, clc.HostReset)
	}
	if err := c.BuildBare(ctx, k.Host.Text, strings.Join(options, " "), names); err != nil {
		return nil, err
	}
	t, err := c.RunKernel(ctx, k.job())
	if err != nil {
		return nil, err
	}
	return k.compare(d, t), nil
}

// standard is the version of OpenCL C to compile a kernel by that is written for version std; "" is the newest.
func (d *Info) standard(std string) string {
	switch {
	case std != "" && std != "CL3.0":
		return std
	case d.generation >= 3:
		return "CL3.0"
	case d.generation == 2:
		return "CL2.0"
	}
	return "CL1.2"
}

// job is what the device is to do.
func (k *Kernel) job() *KernelJob {
	h := k.Host
	j := &KernelJob{Runs: k.Runs, Time: k.Time, Seed: k.Seed}
	of := func(b *clc.HostBuffer) Buffer {
		out := Buffer{Initial: b.Initial}
		for _, c := range b.Choices {
			out.Choices = append(out.Choices, Choice(c))
		}
		return out
	}
	for i := range h.Buffers {
		j.Buffers = append(j.Buffers, of(&h.Buffers[i]))
	}
	if h.Variables > 0 {
		j.Buffers = append(j.Buffers, Buffer{Initial: make([]byte, h.Variables), Fetch: clc.HostFetch, Reset: clc.HostReset})
	}
	for _, list := range h.Launches {
		var all []Launch
		for _, l := range list {
			one := Launch{Kernel: l.Kernel, Offset: l.Offset, Global: l.Global, Local: l.Local}
			for i := range l.Args {
				a := &l.Args[i]
				one.Args = append(one.Args, LaunchArg{Buffer: a.Buffer, Null: a.Null, Local: a.Local, Value: of(&a.Value)})
			}
			if l.Seen {
				items := 1
				for _, n := range l.Global {
					items *= n
				}
				one.Args = append(one.Args, LaunchArg{Buffer: len(j.Buffers)})
				j.Buffers = append(j.Buffers, Buffer{Initial: make([]byte, 8*max(items, 1)*len(h.Names)*(clc.SeenRoom+1))})
			}
			all = append(all, one)
		}
		j.Launches = append(j.Launches, all)
	}
	return j
}

// compare compares what runs left with what executions leave.
func (k *Kernel) compare(d *Info, t *KernelTally) *Ended {
	e := &Ended{Runs: t.Runs, Time: t.Device, Lost: t.Lost, Unknown: k.unknown(d)}
	allowed := map[string]bool{}
	if e.Unknown == "" {
		for _, o := range k.Ends.Outcomes {
			allowed[k.outcomeKey(o)] = false
		}
	}
	for _, f := range t.Finals {
		n := Ending{Contents: f.Contents, Count: f.Count}
		if key, whole := k.contentsKey(f.Contents); !whole {
			e.Unread += f.Count
		} else if e.Unknown == "" {
			_, is := allowed[key]
			if n.Forbidden = !is; is {
				allowed[key] = true
			}
		}
		for i := range k.Host.Asserts {
			if a := &k.Host.Asserts[i]; !a.Holds(f.Contents) {
				n.Fails = append(n.Fails, fmt.Sprintf("%s (line %d)", a.Text, a.Line))
			}
		}
		e.Endings = append(e.Endings, n)
	}
	e.Allowed = len(allowed)
	for _, seen := range allowed {
		if seen {
			e.Seen++
		}
	}
	slices.SortStableFunc(e.Endings, func(a, b Ending) int { return b.Count - a.Count })
	return e
}

// unknown says why no run can be called wrong.
func (k *Kernel) unknown(d *Info) string {
	h := k.Host
	switch {
	case k.Ends == nil:
		return "what executions leave is not known"
	case len(k.Ends.Violations) > 0:
		return "the kernel goes wrong"
	case !k.Ends.Complete:
		return "not all executions were explored to see what they leave: " + strings.Join(k.Ends.Incomplete, "; ")
	case h.Math:
		return "what it leaves comes from floating-point operations whose results differ from device to device"
	case h.Sums && !d.SmallFloats:
		return "what it leaves comes from floating-point operations, and the device takes small numbers for zero"
	case len(h.Cells) == 0 && len(h.Names) == 0:
		return "it leaves nothing that can be compared"
	}
	return ""
}

// numbers joins numbers, and what was observed, to a key.
func (k *Kernel) numbers(cell func(c *clc.HostCell) int64, observed map[string]int64) string {
	var b strings.Builder
	for i := range k.Host.Cells {
		c := &k.Host.Cells[i]
		v := cell(c)
		if c.Type.Float() && math.IsNaN(c.Type.Number(v)) {
			v = -1 // one that is not a number is like any other
		}
		fmt.Fprintf(&b, "%d,", v)
	}
	for _, name := range slices.Sorted(maps.Keys(observed)) {
		fmt.Fprintf(&b, " %s=%d", name, observed[name])
	}
	return b.String()
}

// outcomeKey is the key of an outcome.
func (k *Kernel) outcomeKey(o map[string]int64) string {
	observed := map[string]int64{}
	if len(k.Host.Names) > 0 {
		observed = maps.Clone(o)
	}
	return k.numbers(func(c *clc.HostCell) int64 { delete(observed, c.Outcome); return o[c.Outcome] }, observed)
}

// contentsKey is that of what a run left; whole is false if more was observed than is kept.
func (k *Kernel) contentsKey(contents [][]byte) (key string, whole bool) {
	observed, whole := k.Observed(contents)
	return k.numbers(func(c *clc.HostCell) int64 { return c.Value(contents) }, observed), whole
}

// Observed is what work-items observed in a run, by the names of outcomes; whole is false if that is not all.
func (k *Kernel) Observed(contents [][]byte) (values map[string]int64, whole bool) {
	values, whole = map[string]int64{}, true
	n := len(k.Host.Names)
	if n == 0 || len(contents) == 0 {
		return values, true
	}
	words := contents[len(contents)-1] // the last buffer of the job
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(words[8*i:])) }
	const row = clc.SeenRoom + 1
	for at := range len(words) / 8 / row {
		made := word(at * row)
		whole = whole && made <= clc.SeenRoom
		for i := range min(made, clc.SeenRoom) {
			name := fmt.Sprintf("%d:%s", at/n, k.Host.Names[at%n])
			if i > 0 {
				name += fmt.Sprintf("#%d", i+1)
			}
			values[name] = word(at*row + 1 + int(i))
		}
	}
	return values, whole
}

// Value is a number that runs leave, with what executions leave there.
type Value struct {
	Name    string
	Of      func(e *Ending) string
	Allowed []string // what executions leave there; nil if that is not known
}

// Telling are the numbers by which endings differ from each other, or from what executions leave: so many at the most.
func (k *Kernel) Telling(e *Ended, most int) (list []Value, more int) {
	for i := range k.Host.Cells {
		c := &k.Host.Cells[i]
		v := Value{Name: c.Name, Of: func(n *Ending) string { return clc.Numeral(c.Type, c.Value(n.Contents)) }}
		if e.Unknown == "" {
			v.Allowed = k.allowed(func(o map[string]int64) string { return clc.Numeral(c.Type, o[c.Outcome]) })
		}
		k.tells(e, &v, most, &list, &more)
	}
	names := map[string]bool{}
	for i := range e.Endings {
		seen, _ := k.Observed(e.Endings[i].Contents)
		for name := range seen {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text := func(o map[string]int64) string {
			if v, ok := o[name]; ok {
				return fmt.Sprint(v)
			}
			return "none"
		}
		v := Value{Name: name, Of: func(n *Ending) string { seen, _ := k.Observed(n.Contents); return text(seen) }}
		if e.Unknown == "" {
			v.Allowed = k.allowed(text)
		}
		k.tells(e, &v, most, &list, &more)
	}
	return list, more
}

// allowed are the values that executions leave.
func (k *Kernel) allowed(of func(map[string]int64) string) (list []string) {
	all := map[string]bool{}
	for _, o := range k.Ends.Outcomes {
		all[of(o)] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// tells adds a value by which endings differ.
func (k *Kernel) tells(e *Ended, v *Value, most int, list *[]Value, more *int) {
	differs := false
	for i := range e.Endings {
		n := &e.Endings[i]
		text := v.Of(n)
		differs = differs || text != v.Of(&e.Endings[0]) || v.Allowed != nil && (len(v.Allowed) > 1 || !slices.Contains(v.Allowed, text))
	}
	switch {
	case !differs:
	case len(*list) == most:
		*more++
	default:
		*list = append(*list, *v)
	}
}
