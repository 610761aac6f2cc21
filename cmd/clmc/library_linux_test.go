package main

import (
	"strings"
	"syscall"
	"testing"
)

// TestNoLibraryUnasked watches a file that is named as the library of OpenCL: commands that are not about devices do not open it.
func TestNoLibraryUnasked(t *testing.T) {
	library := write(t, "libOpenCL.so", "no library\n")
	test := write(t, "t.litmus", "OpenCL t\n{ [x]=0; }\nP0 (global atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n")
	list := write(t, "list.yaml", "checks:\n  - {model: \"@mp_relaxed\", expect: CL1001}\n")
	watch, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Close(watch)
	if _, err := syscall.InotifyAddWatch(watch, library, syscall.IN_OPEN); err != nil {
		t.Skip(err)
	}
	opens := func(args ...string) bool {
		cmd := clmc(args...)
		cmd.Env = append(cmd.Env, "CLMC_OPENCL_LIBRARY="+library)
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		n, _ := syscall.Read(watch, make([]byte, 1<<12))
		return n > 0
	}
	if !opens("devices") {
		t.Skip("this build of clmc uses no devices")
	}
	for _, args := range [][]string{
		{"explore", "@mp_relaxed"}, {"explore", "--liveness", "all", "@mp_relaxed"}, {"litmus", test}, {"litmus", "--emit", t.TempDir(), test}, {"run", list}, {"test", "@mp_relaxed"},
		{"optimise", "@kernel_dot"}, {"repair", "@mp_relaxed"}, {"models"}, {"simulate", "--runs", "20", "@kernel_dot"}, {"version"}, {"help", "devices"},
	} {
		if opens(args...) {
			t.Errorf("clmc %s opens the library of OpenCL", strings.Join(args, " "))
		}
	}
	if !opens("litmus", "--device", test) {
		t.Error("clmc litmus --device does not")
	}
}
