package load

// The functions of this file are compiled into the test and also loaded as a
// model: TestCorpus checks that both compute the same.

type corpusPoint struct {
	x, y int32
	tag  [2]uint8
}

func (p corpusPoint) sum() int64 {
	return int64(p.x) + int64(p.y) + int64(p.tag[0])*100 + int64(p.tag[1])
}

func (p *corpusPoint) shift(d int32) {
	p.x += d
	p.tag[d&1]++
}

type corpusOuter struct {
	corpusPoint
	in [2]corpusPoint
	p  *corpusPoint
}

var (
	corpusTable  = [5]int32{9, 8, 7, 6, 5}
	corpusMatrix [3][4]int16
	corpusShared corpusOuter
	corpusSlice  = []int64{4, 5, 6}
	corpusNode   = &corpusPoint{x: 3}
	corpusCount  int64
)

func corpusMax[T int32 | int64 | uint8 | float64](a, b T) T {
	if a > b {
		return a
	}
	return b
}

type corpusPair[A, B any] struct {
	a A
	b B
}

func (p corpusPair[A, B]) swap() corpusPair[B, A] { return corpusPair[B, A]{p.b, p.a} }

func corpusDivMod(a, b int32) (q, r int32) {
	if b == 0 {
		return -1, -1
	}
	q = a / b
	r = a % b
	return
}

func corpusSum(xs ...int32) (n int32) {
	for _, x := range xs {
		n += x
	}
	return n
}

func corpusSwap(a, b *int32) { *a, *b = *b, *a }

func corpusApply(n int, f func(int) int64) int64 {
	t := int64(0)
	for i := range n {
		t = t*3 + f(i)
	}
	return t
}

func corpusArray(k int32) [4]int32 { return [4]int32{k, k * 2, k * 3, k * 4} }

func caseWrap() int64 {
	a, b, c, d := int8(127), uint8(255), int32(-1<<31), uint64(1<<63)
	a++
	b += 2
	c--
	d *= 2
	e := uint32(a&7) - 9
	f := int16(-300) + int16(a&1)
	return int64(a) + int64(b)*1000 + int64(c) ^ int64(d) ^ int64(e)<<3 ^ int64(int8(f)) + int64(uint16(f))
}

func caseShift() int64 {
	t := int64(0)
	for s := uint(0); s < 70; s += 9 {
		t = t*31 + int64(int32(-77)<<s) + int64(uint32(1<<31)>>s) + int64(int8(-128)>>s) + (-5 >> s)
	}
	for s := int8(0); s < 70; s += 7 {
		t = t*31 + int64(uint8(200)>>s) + int64(uint64(1)<<s)
	}
	return t
}

func caseDivide() int64 {
	t := int64(0)
	xs := [6]int32{7, -7, 1 << 30, -1 << 31, 3, -3}
	for _, a := range xs {
		for _, b := range xs {
			q, r := corpusDivMod(a, b)
			t = t*17 + int64(q) + int64(r)*3 + int64(uint32(a)/uint32(b)) + int64(uint64(a)%uint64(b))
		}
	}
	q, r := corpusDivMod(1, 0)
	m := int64(-1 << 63)
	n := int64(-1)
	return t + int64(q+r) + m/n + m%n
}

func caseFibonacci() int64 {
	a, b := int64(0), int64(1)
	for range 50 {
		a, b = b, a+b
	}
	return a
}

func caseRotate() int64 {
	a, b, c, d := int64(1), int64(2), int64(3), int64(4)
	for i := 0; i < 7; i++ {
		if i%3 == 0 {
			a, b, c = b, c, a
		} else {
			c, d = d, c
		}
	}
	return a + b*10 + c*100 + d*1000
}

func caseArrays() int64 {
	var a [10]int32
	for i := range a {
		a[i] = int32(i * i)
	}
	b := a
	b[3] = 100
	s := a[2:7]
	s[0] = -1
	t := s[1:3:4]
	n := int64(len(s)*100 + cap(s)*10 + len(t) + cap(t))
	for i := len(a) - 1; i >= 0; i-- {
		n = n*7 + int64(a[i]) - int64(b[i])
	}
	for _, v := range t {
		n += int64(v)
	}
	for i, v := range a {
		a[9-i] = v + 1
	}
	return n + int64(a[9]) + int64(a[0])*3 + int64(corpusArray(5)[int(n&3)])
}

func caseMatrix() int64 {
	for i := range corpusMatrix {
		for j := range corpusMatrix[i] {
			corpusMatrix[i][j] = int16(i*10 + j)
		}
	}
	row := corpusMatrix[1]
	corpusMatrix[2] = row
	p := &corpusMatrix[0]
	p[3] = 77
	n := int64(0)
	for _, r := range corpusMatrix {
		for _, v := range r {
			n = n*3 + int64(v)
		}
	}
	return n
}

func caseStructs() int64 {
	p := corpusPoint{x: 1, tag: [2]uint8{250, 3}}
	q := p
	for d := range int32(9) {
		q.shift(d)
	}
	o := corpusOuter{corpusPoint: q}
	o.in[1] = p
	o.shift(3)
	o.p = &o.in[1]
	o.p.y = 55
	corpusShared = o
	corpusShared.p = &corpusShared.in[0]
	corpusShared.p.shift(7)
	n := o.sum() + o.in[1].sum()*3 + corpusShared.sum()*5 + corpusShared.in[0].sum()*7
	if p == q {
		n++
	}
	if o.in[1] != p {
		n += 1000000
	}
	return n
}

func casePointers() int64 {
	a, b := int32(3), int32(4)
	corpusSwap(&a, &b)
	p := &a
	if b > 2 {
		p = &b
	}
	*p += 10
	q := new(int32)
	*q = *p
	p = q
	*p *= 2
	var arr [3]int32
	for i := range arr {
		e := &arr[(i+1)%3]
		*e = int32(i) + *q
	}
	corpusNode.shift(1)
	corpusSlice[1] += int64(arr[2])
	n := int64(a) + int64(b)*10 + int64(*q)*100
	for _, v := range corpusSlice {
		n = n*3 + v
	}
	return n + corpusNode.sum() + int64(arr[0])
}

func caseClosures() int64 {
	x := int64(1)
	inc := func(d int64) int64 { x += d; return x }
	n := inc(2)*10 + inc(3)
	twice := func(f func(int64) int64) int64 { return f(1) + f(1) }
	n += twice(inc) + x
	n += corpusApply(4, func(i int) int64 { n++; return int64(i) + x })
	for i := 0; i < 3; i++ {
		add := func() { n += int64(i); i++ }
		add()
	}
	m := corpusPoint{x: 5}.sum
	k := corpusPoint.sum
	return n + m() + k(corpusPoint{y: 6})
}

func caseControl() int64 {
	n := int64(0)
outer:
	for i := 0; i < 10; i++ {
		switch {
		case i == 2:
			continue outer
		case i == 4:
			n += 1
			fallthrough
		case i == 5:
			n += 10
		case i > 7:
			break outer
		default:
			for j := range 3 {
				if j == i {
					continue outer
				}
				n += int64(j)
			}
		}
	}
	i := 0
again:
	i++
	if i < 5 {
		n *= 2
		goto again
	}
	for {
		if n%7 == 0 || n > 1<<40 && n%3 == 1 {
			break
		}
		n += 3
	}
	return n
}

func caseGenerics() int64 {
	p := corpusPair[int32, uint8]{-5, 200}
	q := p.swap()
	return int64(corpusMax(int32(3), p.a)) + int64(corpusMax(q.a, 7))*10 + corpusMax(int64(9), 2)*1000 + int64(corpusMax(2.5, 1.5)*4)
}

func caseFloats() int64 {
	x := 1.0
	for i := range 20 {
		x = x/3 + float64(i)*0.25
	}
	y := float32(0.1)
	for range 10 {
		y += 0.1
	}
	z := -x
	n := int64(x*1e6) + int64(y*1e6) + int64(z)
	if y == 1.1 || z < 0 {
		n++
	}
	return n + int64(uint8(int(y*10))) + int64(float32(uint64(1<<62)+uint64(n)))>>40
}

func caseVariadic() int64 {
	s := corpusTable[1:4]
	return int64(corpusSum()) + int64(corpusSum(1, 2, 3))*10 + int64(corpusSum(s...))*100
}

func caseMinMax() int64 {
	a, b := int32(-4), int32(9)
	c, d := uint8(200), uint8(100)
	return int64(min(a, b, 3)) + int64(max(a, b))*10 + int64(min(c, d))*100 + int64(max(2.5, float64(a))*2)
}

func caseBits() int64 {
	a, b := uint32(0xf0f0a5a5), uint32(0x0ff05a5a)
	c, d := int16(-12345), int16(0x1234)
	return int64(a&b) ^ int64(a|b)<<1 ^ int64(a^b)<<2 ^ int64(a&^b)<<3 ^ int64(^a) + int64(c&d) - int64(c|d)*3 + int64(^c) + int64(-d) + int64(c&^d)
}

func caseBooleans() int64 {
	n := int64(0)
	t := func(b bool) bool { n++; return b }
	for i := range 4 {
		a, b := i&1 == 1, i&2 == 2
		c := t(a) && t(b) || !t(a != b)
		if c == (a && b) {
			n += 10
		}
		n *= 2
	}
	return n
}

func caseGlobals() int64 {
	for i := range corpusTable {
		corpusTable[i] += int32(i)
		corpusCount += int64(corpusTable[i])
	}
	p := &corpusCount
	*p++
	return corpusCount
}

func caseLoopVariable() int64 {
	n := int64(0)
	for i := int64(0); i < 5; i++ {
		p := &i
		f := func() int64 { return i * 2 }
		*p += f() % 2
		n = n*5 + f()
	}
	return n
}

func caseSliceToArray() int64 {
	s := corpusTable[:]
	a := [3]int32(s[1:])
	p := (*[2]int32)(s)
	p[1]++
	return int64(a[0]) + int64(p[1])*10 + int64(s[1])*100
}

func caseDeadBranches() int64 {
	const debug = false
	n := int64(1)
	if debug {
		n = 99
	}
	x := 3
	if x > 5 {
		return -1
	}
	for x < 0 {
		n++
	}
	return n
}
