package opencl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Entry is where a program has a test.
type Entry struct {
	Kernel string   // that plays it
	Args   []uint32 // behind those of the shape: which of the kernel's tests is played
}

// Merged is Source with kernels that each play any of several tests: drivers that compile each kernel by itself, and again for
// each size of work-groups, take less time for these. Entries are the tests', in order.
func Merged(kernels []*Kernel) (source string, entries []Entry) {
	b := head(kernels)
	plays := map[string]*strings.Builder{}
	threads := map[string]int{}
	for i, k := range kernels {
		members, ok := k.members()
		if !ok {
			b.WriteString("\n" + k.Source)
			entries = append(entries, Entry{Kernel: k.Name})
			continue
		}
		e := Entry{fmt.Sprintf("clmc_play%d", k.Roles), []uint32{uint32(i), uint32(k.Groups), uint32(k.Threads), members}}
		entries = append(entries, e)
		threads[e.Kernel] = k.Roles
		if plays[e.Kernel] == nil {
			plays[e.Kernel] = &strings.Builder{}
		}
		fmt.Fprintf(plays[e.Kernel], "        case %d: { // %s\n%s        } break;\n", i, comment(k.Test), k.play)
	}
	for _, name := range slices.Sorted(maps.Keys(plays)) {
		fmt.Fprintf(b, `
kernel void %s(%s,
                uint %s,
                uint test, uint groups, uint threads, uint members) {
%s    for (uint it = 0; it < iter; it++) {
        const uint i = (set * iter + it) * lanes + lane;
%s        switch (test) {
%s        }
    }
}
`, name, Params, strings.Join(scalars, ", uint "), part("groups", threads[name]), begin("threads", "(members >> 4 * g & 15)"), plays[name])
	}
	return b.String(), entries
}

// members is how many threads each work-group of a test has, four bits each. A test that does not fit there has a kernel of its own, and
// so has one with local memory or barriers, whose initial values or places depend on the test.
func (k *Kernel) members() (packed uint32, ok bool) {
	if k.Barriers || len(k.Locals) > 0 || k.Groups > 8 || k.Roles > 15 {
		return 0, false
	}
	for g, n := range k.sizes {
		packed |= uint32(n) << (4 * g)
	}
	return packed, true
}
