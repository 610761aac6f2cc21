// Command causality runs the causality tests of the Java memory model: can values
// justify themselves?
//
// Shape: twenty programs with cycles of causes (-D test=1 to 20). Source: W. Pugh, "Causality
// Test Cases" (unified proposal for JSR-133, 2004). A Java variable is a relaxed atomic here, a
// volatile one seq_cst, and a join is a flag. Each test asks whether one behaviour can occur;
// "violated" says that it can.
//
// Derivation: by the rules of the promising semantics (J. Kang, C.-K. Hur, O. Lahav, V. Vafeiadis
// and D. Dreyer, POPL 2017, section 2), in brackets where Java decides otherwise:
//
//	 1  can: y = 1 is certified, for x = 0 >= 0, and kept when x = 1
//	 2  can: y = 1 is certified, both loads reading 0, and kept, both reading 1
//	 3  can: as 2; the other store to x need not be read
//	 4  cannot: alone, both threads store 0
//	 5  cannot: alone, only the fourth thread stores 1 to x, and only if r3 = 1
//	 6  can: the second thread stores 1 to A whatever it loads
//	 7  can: x = 1 is certified; then y = 1, by reading it; then all the rest runs in order
//	 8  can: 1 + r1 * r1 - r1 is 1 for r1 = 0 and for r1 = 1
//	 9  can: as 8; the other store to x need not be read
//	10  cannot: as 5, by control
//	11  can: x = 1 and z = 1, the latter when y = 1 has been promised, are both certified
//	12  cannot: alone, the first thread writes y = a[0] = 0
//	13  cannot: alone, neither thread stores
//	14  cannot: a = 1 comes after a loop that alone does not end
//	15  cannot: as 14
//	16  cannot (Java: can): both load the other's store of one variable, which is not coherent
//	    (rules 7.3 to 7.6); variables of Java are less than relaxed atomics
//	17  can: y = 42 is certified, x = 42 being stored before the load, and kept, x = 42 being read
//	18  can: as 17
//	19  cannot (Java: can): y = 42 comes after a join that alone does not end; that promises are
//	    certified by one thread is why joining threads into one is not sound there
//	20  cannot (Java: can): as 19
//
//clmc:expect -D test=1 violated CL1004
//clmc:expect -D test=1 promises=0 verified
//clmc:expect -D test=2 violated CL1004
//clmc:expect -D test=3 violated CL1004
//clmc:expect -D test=4 verified
//clmc:expect -D test=5 verified
//clmc:expect -D test=6 violated CL1004
//clmc:expect -D test=7 violated CL1004
//clmc:expect -D test=8 violated CL1004
//clmc:expect -D test=9 violated CL1004
//clmc:expect -D test=10 verified
//clmc:expect -D test=11 violated CL1004
//clmc:expect -D test=12 verified
//clmc:expect -D test=13 verified
//clmc:expect -D test=14 verified
//clmc:expect -D test=15 verified
//clmc:expect -D test=16 verified
//clmc:expect -D test=17 violated CL1004
//clmc:expect -D test=17 promises=0 verified
//clmc:expect -D test=18 violated CL1004
//clmc:expect -D test=19 verified
//clmc:expect -D test=20 verified
package main

import "github.com/clmc/clmc/models/cl"

const test = 1

var (
	a, b, w, x, y, z, ended cl.AtomicInt

	r0, r1, r2, r3, r4 int32 // each is written by one work-item
)

func load(v *cl.AtomicInt) int32       { return cl.AtomicLoadExplicit(v, cl.MemoryOrderRelaxed) }
func store(v *cl.AtomicInt, val int32) { cl.AtomicStoreExplicit(v, val, cl.MemoryOrderRelaxed) }

func first() {
	switch test {
	case 1:
		r1 = load(&x)
		if r1 >= 0 {
			store(&y, 1)
		}
	case 2, 3:
		r1 = load(&x)
		r2 = load(&x)
		if r1 == r2 {
			store(&y, 1)
		}
	case 4, 5:
		r1 = load(&x)
		store(&y, r1)
	case 6:
		r1 = load(&a)
		if r1 == 1 {
			store(&b, 1)
		}
	case 7:
		r1 = load(&z)
		r2 = load(&x)
		store(&y, r2)
	case 8, 9:
		r1 = load(&x)
		store(&y, 1+r1*r1-r1)
	case 10, 13:
		r1 = load(&x)
		if r1 == 1 {
			store(&y, 1)
		}
	case 11:
		r1 = load(&z)
		store(&w, r1)
		r2 = load(&x)
		store(&y, r2)
	case 12:
		array := [2]int32{1, 2}
		r1 = load(&x)
		array[r1] = 0
		r2 = array[0]
		store(&y, r2)
	case 14, 15:
		r0 = 1
		if test == 15 {
			r0 = cl.AtomicLoad(&x)
		}
		r1 = 0
		if r0 == 1 {
			r1 = load(&a)
		}
		if r1 == 0 {
			cl.AtomicStore(&y, 1)
		} else {
			store(&b, 1)
		}
	case 16:
		r1 = load(&x)
		store(&x, 1)
	case 17, 18:
		part()
		r1 = load(&x)
		store(&y, r1)
	case 19, 20:
		for cl.AtomicLoadExplicit(&ended, cl.MemoryOrderAcquire) == 0 {
		}
		r1 = load(&x)
		store(&y, r1)
	}
}

// part is what the first thread does in tests 17 and 18 and the third one in 19 and 20.
func part() {
	r3 = load(&x)
	if (test == 17 || test == 19) && r3 != 42 || (test == 18 || test == 20) && r3 == 0 {
		store(&x, 42)
	}
}

func second() {
	switch test {
	case 1, 4, 5, 8, 9, 12, 17, 18, 19, 20:
		r2second := load(&y)
		store(&x, r2second)
		r4 = r2second
	case 2, 3:
		r3 = load(&y)
		store(&x, r3)
	case 6:
		r2 = load(&b)
		if r2 == 1 {
			store(&a, 1)
		}
		if r2 == 0 {
			store(&a, 1)
		}
	case 7:
		r3 = load(&y)
		store(&z, r3)
		store(&x, 1)
	case 10, 13:
		r2 = load(&y)
		if r2 == 1 {
			store(&x, 1)
		}
	case 11:
		r4 = load(&w)
		r3 = load(&y)
		store(&z, r3)
		store(&x, 1)
	case 14, 15:
		for r2+r3 == 0 {
			r2 = cl.AtomicLoad(&y)
			r3 = load(&b)
		}
		store(&a, 1)
	case 16:
		r2 = load(&x)
		store(&x, 2)
	}
}

func third() {
	switch test {
	case 3, 9:
		store(&x, 2)
	case 5, 10:
		store(&z, 1)
	case 15:
		cl.AtomicStore(&x, 1)
	case 19, 20:
		part()
		cl.AtomicStoreExplicit(&ended, 1, cl.MemoryOrderRelease)
	}
}

func fourth() {
	switch test {
	case 5:
		r3 = load(&z)
		store(&x, r3)
	case 10:
		r3 = load(&z)
		if r3 == 1 {
			store(&x, 1)
		}
	}
}

func kernel() {
	switch cl.GetGlobalID(0) {
	case 0:
		first()
	case 1:
		second()
	case 2:
		third()
	case 3:
		fourth()
	}
}

// occurs reports whether the behaviour in question has occurred.
func occurs() bool {
	switch test {
	case 1, 4, 8, 9:
		return r1 == 1 && r4 == 1
	case 2, 3:
		return r1 == 1 && r2 == 1 && r3 == 1
	case 5:
		return r1 == 1 && r4 == 1 && r3 == 0
	case 6, 13:
		return r1 == 1 && r2 == 1
	case 7:
		return r1 == 1 && r2 == 1 && r3 == 1
	case 10:
		return r1 == 1 && r2 == 1 && r3 == 0
	case 11:
		return r1 == 1 && r2 == 1 && r3 == 1 && r4 == 1
	case 12:
		return r1 == 1 && r2 == 1 && r4 == 1
	case 14:
		return r1 == 1 && r3 == 1 && r2 == 0
	case 15:
		return r0 == 1 && r1 == 1 && r3 == 1 && r2 == 0
	case 16:
		return r1 == 2 && r2 == 1
	}
	return r1 == 42 && r3 == 42 && r4 == 42
}

func main() {
	threads := 4
	if test != 5 && test != 10 {
		threads = 3
	}
	cl.EnqueueNDRangeKernel(kernel, cl.NDRange1D(threads, 1))
	cl.Finish()
	cl.Assert(!occurs(), "the behaviour does not occur")
}
