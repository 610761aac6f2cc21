package device

import (
	"math/bits"

	"github.com/clmc/clmc/models/litmus/opencl"
)

// The most instances that there is memory for: of a device with many work-items, and of one with few.
const (
	manyInstances = 1 << 18
	fewInstances  = 1 << 15
)

// line is how many cells a cache line has, at the most.
const line = 32

// Setting is what is tried around a test, whatever its size: of the fields of opencl.Shape those that do not depend on it.
type Setting struct {
	Own    bool   `json:"own"`   // each instance has cache lines of its own
	Mixed  bool   `json:"mixed"` // locations of an instance lie side by side
	Turn   uint32 `json:"turn"`
	Twist  uint32 `json:"twist"`
	Pair   bool   `json:"pair"` // work-groups that play together are far apart
	Spin   uint32 `json:"spin"`
	Delay  uint32 `json:"delay"`
	Pre    uint32 `json:"pre"`
	Stress uint32 `json:"stress"`
	Extra  int    `json:"extra"` // groups that only access other memory, of each sixteen compute units
}

// Settings are what is tried where nobody has tuned: they take turns.
func Settings(d *Info) []Setting {
	if d.Type == "cpu" {
		return []Setting{
			{Own: true, Spin: 256},
			{Spin: 256, Turn: 2},
			{Own: true, Spin: 256, Delay: 15},
			{Mixed: true, Spin: 256, Delay: 7},
		}
	}
	return []Setting{
		{Spin: 1024, Turn: 4},
		{Spin: 1024, Turn: 4, Twist: 2},
		{Spin: 1024, Turn: 4, Delay: 255},
		{Spin: 1024, Own: true, Pair: true, Delay: 63},
		{Spin: 1024, Turn: 4, Pair: true, Stress: 256, Extra: 16, Pre: 4},
		{Spin: 512, Turn: 2, Twist: 6, Delay: 63, Stress: 128, Extra: 8},
		{Turn: 4, Delay: 127},
		{Spin: 1024, Mixed: true, Twist: 2},
	}
}

// Shapes are the shapes of a kernel under some settings.
func Shapes(d *Info, k *opencl.Kernel, settings []Setting) (list []Around) {
	s := size(d, k)
	locations := uint32(max(1, len(k.Globals), len(k.Fine)))
	for _, set := range settings {
		a := Around{Shape: s, Stressors: set.Extra * max(d.Units, 1) / 16}
		a.Turn, a.Twist, a.Spin, a.Delay, a.Pre, a.Stress = set.Turn&^1, set.Twist&^1, set.Spin, set.Delay, set.Pre, set.Stress
		gap := uint32(1)
		if set.Own {
			gap = line
		}
		if set.Mixed {
			a.Step, a.Base = locations*gap, gap
		} else {
			a.Step, a.Base = gap, s.N*gap
		}
		if set.Pair {
			a.Pair = coprime(s.Sets)
		}
		if set.Mixed {
			a.Turn = 0 // locations of one instance stay together
		}
		if k.Threads == 1 {
			a.Spin = 0
		}
		list = append(list, a)
	}
	return list
}

// size is how many instances a device plays at a time, with all roles at once.
func size(d *Info, k *opencl.Kernel) opencl.Shape {
	s := opencl.Shape{Gap: 1, Pair: 1, Lanes: 32, Sets: uint32(max(1, 2*d.Units/k.Groups))}
	most, rounds := uint32(manyInstances), uint32(32)
	if d.Type == "cpu" {
		s.Lanes, s.Gap, s.Sets = 1, 2, uint32(max(1, d.Units/k.Groups))
		most, rounds = fewInstances, fewInstances
	}
	for s.Sets*s.Lanes > most {
		s.Sets /= 2
	}
	s.Iter = min(max(1, most/(s.Sets*s.Lanes)), rounds)
	if len(k.Locals) > 0 {
		s.Iter = min(s.Iter, max(1, 512/s.Lanes))
	}
	s.N = ceilPower(s.Sets * s.Lanes * s.Iter)
	return s
}

// ceilPower is the least power of two that is not less.
func ceilPower(n uint32) uint32 { return 1 << bits.Len32(n-1) }

// coprime is a number near two fifths of n with which it has no divisor in common.
func coprime(n uint32) uint32 {
	for p := max(2*n/5, 2); p < n; p++ {
		if gcd(p, n) == 1 {
			return p
		}
	}
	return 1
}

func gcd(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
