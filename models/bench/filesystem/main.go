// Command filesystem is the file system of Flanagan and Godefroid, "Dynamic partial-order
// reduction for model checking software" (POPL 2005): n work-groups each give their
// inode a block, looking for a free one from twice the inode's number on, under
// locks of inodes and blocks.
//
// Derivation: inode and block are touched under their locks only, which pass them on by
// release and acquire (rule 6.1). Up to 13 work-groups start at different blocks and never
// meet; there are 26 blocks, so up to 26 find one.
//
//clmc:expect verified
package main

import "github.com/clmc/clmc/models/cl"

const (
	n      = 4
	inodes = 32
	blocks = 26
)

var (
	lockInode [inodes]cl.AtomicInt
	lockBlock [blocks]cl.AtomicInt
	inode     [inodes]int32
	busy      [blocks]bool
)

func lock(l *cl.AtomicInt) {
	for {
		expected := int32(0)
		if cl.AtomicCompareExchangeStrongExplicit(l, &expected, 1,
			cl.MemoryOrderAcquire, cl.MemoryOrderRelaxed, cl.MemoryScopeDevice) {
			return
		}
	}
}

func unlock(l *cl.AtomicInt) {
	cl.AtomicStoreExplicit(l, 0, cl.MemoryOrderRelease, cl.MemoryScopeDevice)
}

func create() {
	i := cl.GetGlobalID(0) % inodes
	lock(&lockInode[i])
	if inode[i] == 0 {
		for b := i * 2 % blocks; ; b = (b + 1) % blocks {
			lock(&lockBlock[b])
			if !busy[b] {
				busy[b] = true
				inode[i] = int32(b + 1)
				unlock(&lockBlock[b])
				break
			}
			unlock(&lockBlock[b])
		}
	}
	unlock(&lockInode[i])
}

func main() {
	cl.EnqueueNDRangeKernel(create, cl.NDRange1D(n, 1))
	cl.Finish()
	for i := 0; i < n; i++ {
		cl.Assert(inode[i] != 0, "every file has a block")
	}
}
