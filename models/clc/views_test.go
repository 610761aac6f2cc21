package clc_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/clmc/clmc/explore"
	"github.com/clmc/clmc/models/clc"
)

var viewSeeds = flag.Int("view-seeds", 120, "how many random programs with overlapping views are tried")

// TestOverlappingViews explores random kernels whose work-items access one array of bytes at many types, and compares the
// verdict with what happens to its bytes one by one: in each phase between two barriers, a byte that one
// work-item writes and the other accesses is a race, and one that is read but was never written is
// uninitialised; without either, what was read is known.
func TestOverlappingViews(t *testing.T) {
	t.Parallel()
	verdicts := map[string]int{}
	for seed := range *viewSeeds {
		v := newViews(int64(seed))
		text := v.program()
		want := v.want()
		if v.unclear {
			continue
		}
		verdicts[want]++
		p, err := clc.Source("views.cl", []byte(text), clc.Options{})
		if err != nil && strings.Contains(err.Error(), "too irregular") { // one byte of an object of many, which others see at all types
			verdicts["refused"]++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		r := explore.Run(t.Context(), p, explore.Options{})
		found := []string{}
		for _, x := range r.Violations {
			found = append(found, x.Kind.ID())
		}
		switch {
		case want == "verified" && r.Verdict != explore.Verified,
			want != "verified" && !slices.ContainsFunc(strings.Fields(want), func(id string) bool { return slices.Contains(found, id) }):
			t.Fatalf("seed %d: found %v %v, want %s\n%s", seed, r.Verdict, found, want, text)
		}
	}
	if verdicts["refused"] > *viewSeeds/50 {
		t.Errorf("%d of the programs are refused", verdicts["refused"])
	}
	for _, want := range []string{"verified", "CL1001", "CL1002"} {
		if verdicts[want] < *viewSeeds/20 {
			t.Errorf("only %d of the programs are %s", verdicts[want], want)
		}
	}
}

// views is a random program: what each of two work-items does in each phase.
type views struct {
	*rand.Rand
	space  string // of the array
	size   int
	phases [][2][]view
	sink   int // cells of what was read, so far
	// unclear: a struct in private memory was copied before all of it was written, which is no fault until a copy is read.
	unclear bool
}

// view is an access to some bytes.
type view struct {
	text  string
	write bool
	parts []viewPart
	sink  int // first cell of what is read
	// copied: the parts are written with what is that many bytes behind each of them, or before it.
	copied bool
	from   int
}

// viewPart is a scalar of an access.
type viewPart struct {
	at, bytes int
	value     uint64
	signed    bool
}

func newViews(seed int64) *views {
	v := &views{Rand: rand.New(rand.NewSource(seed))}
	v.space = []string{"global", "local", "private"}[v.Intn(3)]
	v.size = 16 + 8*v.Intn(3)
	for range 1 + v.Intn(3) {
		var phase [2][]view
		for w := range phase {
			if w == 1 && v.space == "private" {
				break
			}
			for range 1 + v.Intn(3) {
				phase[w] = append(phase[w], v.view(w))
			}
		}
		v.phases = append(v.phases, phase)
	}
	return v
}

type viewType struct {
	name   string
	bytes  int
	signed bool
}

// bits returns the unsigned type of so many bytes.
func (t viewType) bits() string {
	return map[int]string{1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[t.bytes]
}

// floating reports whether what is at the type is written and read as bits.
func (t viewType) floating() bool { return t.name == "half" || t.name == "float" || t.name == "double" }

// value writes a value of the type, of which the bits are given, and read what is told of one.
func (t viewType) value(bits uint64) string {
	if t.floating() {
		return fmt.Sprintf("as_%s((%s)%#xUL)", t.name, t.bits(), bits)
	}
	return fmt.Sprintf("(%s)%#xUL", t.name, bits)
}

func (t viewType) read(x string) string {
	if t.floating() {
		return fmt.Sprintf("as_%s(%s)", t.bits(), x)
	}
	return x
}

var viewTypes = []viewType{{"uchar", 1, false}, {"char", 1, true}, {"ushort", 2, false}, {"short", 2, true}, {"uint", 4, false}, {"int", 4, true}, {"ulong", 8, false}, {"long", 8, true},
	{"half", 2, false}, {"float", 4, false}, {"double", 8, false}}

// view makes an access of work-item w, which mostly keeps to its half of the array.
func (v *views) view(w int) view {
	t := viewTypes[v.Intn(len(viewTypes))]
	x := view{write: v.Intn(5) < 3}
	lanes, step := 1, 0
	from, to := 0, v.size
	if v.space != "private" && v.Intn(12) > 0 {
		from, to = w*v.size/2, (w+1)*v.size/2
	}
	switch v.Intn(6) {
	case 0, 1:
		lanes = []int{2, 3, 4}[v.Intn(3)]
	case 2:
		step = []int{8, 12, 16}[v.Intn(3)] // a member of a struct
	case 3:
		return v.member(t, x.write, from, to)
	case 4:
		return v.copy(from, to)
	}
	at := from + v.Intn(max(to-from-lanes*t.bytes, 0)/t.bytes+1)*t.bytes
	at = (at + t.bytes - 1) / t.bytes * t.bytes
	if at+lanes*t.bytes > v.size {
		lanes, at = 1, 0
	}
	ptr := fmt.Sprintf("((%s %s *)%s)", v.qualifier(), t.name, v.pointer(at))
	for i := range lanes {
		x.parts = append(x.parts, viewPart{at + i*t.bytes, t.bytes, v.Uint64() >> (64 - 8*t.bytes), t.signed})
	}
	value := func(i int) string {
		return t.value(x.parts[i].value)
	}
	if !x.write {
		x.sink = v.sink
		v.sink += lanes
	}
	switch {
	case lanes > 1 && x.write:
		var list []string
		for i := range lanes {
			list = append(list, value(i))
		}
		x.text = fmt.Sprintf("vstore%[1]d((%[2]s%[1]d)(%[3]s), 0, %[4]s);", lanes, t.name, strings.Join(list, ", "), ptr)
	case lanes > 1:
		x.text = fmt.Sprintf("{ %[1]s%[2]d x = vload%[2]d(0, %[3]s);", t.name, lanes, ptr)
		for i := range lanes {
			x.text += fmt.Sprintf(" sink[%d] = %s;", x.sink+i, t.read(fmt.Sprintf("x.s%d", i)))
		}
		x.text += " }"
	default:
		place := "*" + ptr
		if step > 0 && at%8 == 0 && at+step <= v.size && t.bytes == 4 && !t.floating() {
			place = fmt.Sprintf("((%s struct s%d *)%s)->m", v.qualifier(), step, v.pointer(at))
			x.parts[0].signed = true
		}
		x.text = fmt.Sprintf("%s = %s;", place, value(0))
		if !x.write {
			x.text = fmt.Sprintf("sink[%d] = %s;", x.sink, t.read(place))
		}
	}
	return x
}

// member makes an access to a member of a union of all types in a struct, behind some bytes.
func (v *views) member(t viewType, write bool, from, to int) view {
	at := (from + 7) / 8 * 8
	at += 8 * v.Intn(max(1, (to-at)/8))
	if at+8 > v.size {
		at = 0
	}
	i := v.Intn(8 / t.bytes)
	x := view{write: write, parts: []viewPart{{at + i*t.bytes, t.bytes, v.Uint64() >> (64 - 8*t.bytes), t.signed}}}
	place := fmt.Sprintf("((%s union any *)%s)->%s_[%d]", v.qualifier(), v.pointer(at), t.name, i)
	if write {
		x.text = fmt.Sprintf("%s = %s;", place, t.value(x.parts[0].value))
		return x
	}
	x.sink = v.sink
	v.sink++
	x.text = fmt.Sprintf("sink[%d] = %s;", x.sink, t.read(place))
	return x
}

// copy copies a struct of a char, a short and three ints whole; its padding, byte 1, is none of the parts.
func (v *views) copy(from, to int) view {
	const size = 16
	place := func() int {
		at := (from + 3) / 4 * 4
		at += 4 * v.Intn(max(1, (to-at-size)/4+1))
		if at+size > v.size {
			at = 0
		}
		return at
	}
	at, other := place(), place()
	if d := at - other; d > -size && d < size { // an assignment of overlapping structs is undefined
		other = at
	}
	x := view{write: true, copied: true, from: other - at}
	for _, p := range [][2]int{{0, 1}, {2, 2}, {4, 4}, {8, 4}, {12, 4}} {
		x.parts = append(x.parts, viewPart{at: at + p[0], bytes: p[1]})
	}
	x.text = fmt.Sprintf("*(%[1]s struct mixed *)%[2]s = *(%[1]s struct mixed *)%[3]s;", v.qualifier(), v.pointer(at), v.pointer(other))
	return x
}

// pointer writes a pointer to a byte of the array, which may have been in an array of pointers, set by a loop and before that to
// another object.
func (v *views) pointer(at int) string {
	if v.Intn(6) > 0 {
		return fmt.Sprintf("(a + %s)", v.offset(at))
	}
	return fmt.Sprintf("held(a, other, %s, %s, two)", v.offset(at), v.offset(v.Intn(v.size)))
}

// offset writes a distance in one of the ways in which the compiler may or may not know it.
func (v *views) offset(at int) string {
	switch v.Intn(4) {
	case 0:
		return fmt.Sprintf("%d + zero", at)
	case 1:
		if at%2 == 0 {
			return fmt.Sprintf("two * %d", at/2)
		}
	case 2:
		if at%4 == 0 {
			return fmt.Sprintf("4 * (%d + zero)", at/4)
		}
	}
	return fmt.Sprint(at)
}

func (v *views) qualifier() string { return "__" + v.space }

// program writes the kernel, and asserts what is read, as far as the oracle knows it.
func (v *views) program() string {
	var b strings.Builder
	items := 2
	if v.space == "private" {
		items = 1
	}
	fmt.Fprintf(&b, "//clmc:launch k global=%d local=%d zero=0 two=2 buffer=zero[%d] sink=zero[%d]\n", items, items, v.size, v.sink+1)
	if v.want() == "verified" {
		_, read, _ := v.play()
		for i, x := range read {
			fmt.Fprintf(&b, "//clmc:assert sink[%d] == %d\n", i, x)
		}
	}
	for _, n := range []int{8, 12, 16} {
		fmt.Fprintf(&b, "struct s%d { int m; char pad[%d]; };\n", n, n-4)
	}
	b.WriteString("struct mixed { char c; short s; int i[3]; };\nunion any {")
	for _, t := range viewTypes {
		fmt.Fprintf(&b, " %s %[1]s_[%d];", t.name, 8/t.bytes)
	}
	b.WriteString(" };\n")
	fmt.Fprintf(&b, "%[1]s uchar *held(%[1]s uchar *a, %[1]s uchar *other, int at, int before, int two) {\n  %[1]s uchar *p[2] = { other, other };\n", v.qualifier())
	b.WriteString("  for (int i = 0; i < two; i++) p[i] = a + (i ? at : before);\n  return p[1];\n}\n")
	fmt.Fprintf(&b, "__kernel void k(int zero, int two, __global uchar *buffer, __global long *sink) {\n")
	switch v.space {
	case "global":
		b.WriteString("  __global uchar *a = buffer, *other = (__global uchar *)sink;\n")
	default:
		fmt.Fprintf(&b, "  %[1]s uchar a[%[2]d];\n  %[1]s long longs[2];\n  %[1]s uchar *other = (%[1]s uchar *)longs;\n", v.qualifier(), v.size)
	}
	for i, phase := range v.phases {
		if i > 0 {
			b.WriteString("  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n")
		}
		for w := range phase {
			fmt.Fprintf(&b, "  if (get_local_id(0) == %d) {\n", w)
			for _, x := range phase[w] {
				fmt.Fprintf(&b, "    %s\n", x.text)
			}
			b.WriteString("  }\n")
		}
	}
	return b.String() + "}\n"
}

// play goes through the accesses byte by byte.
func (v *views) play() (race bool, read []int64, unwritten bool) {
	bytes, written := make([]byte, v.size+8), make([]bool, v.size+8)
	for i := range written {
		written[i] = v.space == "global"
	}
	read = make([]int64, v.sink)
	for _, phase := range v.phases {
		var wrote, touched [2][]bool
		for w := range phase {
			wrote[w], touched[w] = make([]bool, len(bytes)), make([]bool, len(bytes))
			for _, x := range phase[w] {
				for i, p := range x.parts {
					var buf [8]byte
					binary.LittleEndian.PutUint64(buf[:], p.value)
					for k := range p.bytes {
						if x.copied {
							touched[w][p.at+k+x.from] = true
							buf[k] = bytes[p.at+k+x.from]
							if !written[p.at+k+x.from] {
								v.unclear = v.unclear || v.space == "private"
								unwritten = true
							}
						}
						touched[w][p.at+k] = true
						if x.write {
							wrote[w][p.at+k], written[p.at+k] = true, true
							bytes[p.at+k] = buf[k]
						}
						unwritten = unwritten || !written[p.at+k]
					}
					if !x.write {
						copy(buf[:], make([]byte, 8))
						copy(buf[:p.bytes], bytes[p.at:])
						n := int64(binary.LittleEndian.Uint64(buf[:]))
						if shift := 64 - 8*p.bytes; p.signed {
							n = n << shift >> shift
						}
						read[x.sink+i] = n
					}
				}
			}
		}
		for k := range bytes {
			race = race || wrote[0][k] && touched[1][k] || wrote[1][k] && touched[0][k]
		}
	}
	return race, read, unwritten
}

// want returns the verdict, or two of which one is found.
func (v *views) want() string {
	race, _, unwritten := v.play()
	switch {
	case race && unwritten:
		return "CL1001 CL1002"
	case race:
		return "CL1001"
	case unwritten:
		return "CL1002"
	}
	return "verified"
}
