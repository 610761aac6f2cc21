package guard

import (
	"context"
	"os"
	"syscall"
	"testing"
)

// TestFault reads mapped memory that the system has nothing for, in a goroutine: that is a panic of the caller, as if it had done so, and not the end of the process.
func TestFault(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "empty")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	memory, err := syscall.Mmap(int(f.Fd()), 0, 1, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Skipf("no memory is mapped here: %v", err)
	}
	defer syscall.Munmap(memory)
	defer func() {
		if crash, ok := recover().(*Crash); !ok {
			t.Errorf("%v", crash)
		} else if _, fault := crash.Cause.(interface{ Addr() uintptr }); !fault {
			t.Errorf("%v", crash.Cause)
		}
	}()
	Await(context.Background(), "reader", func() (byte, error) { return memory[0], nil })
	t.Error("there was something to read")
}
