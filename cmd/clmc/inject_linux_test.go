package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

var injections = flag.Int("injections", 6, "failures of the disk that TestFailingDisk injects; -1: each call of each kind, once with each error")

// The kernel asks this test what becomes of some calls of the command: it goes on with them, or they fail (seccomp's user notifications).

// injected are the kinds of calls that fail, by number, and the file that they are about: its descriptor's place among the arguments,
// or, below 0, that of its name, less one.
var injected = map[string]struct {
	number uint32
	file   int
}{
	"openat": {unix.SYS_OPENAT, -2}, "fsync": {unix.SYS_FSYNC, 0}, "pwrite64": {unix.SYS_PWRITE64, 0}, "mmap": {unix.SYS_MMAP, 4},
	"renameat": {unix.SYS_RENAMEAT, -2}, "ftruncate": {unix.SYS_FTRUNCATE, 0}, "unlinkat": {unix.SYS_UNLINKAT, -2}, "write": {unix.SYS_WRITE, 0},
	"pread64": {unix.SYS_PREAD64, 0}, "fallocate": {unix.SYS_FALLOCATE, 0}, "mkdirat": {unix.SYS_MKDIRAT, -2}, "read": {unix.SYS_READ, 0},
}

// diskErrors are what they fail with.
var diskErrors = []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EMFILE, syscall.ENOMEM, syscall.EROFS}

// asInjected is the variable of the environment with the descriptor of a socket to which the command sends the one to ask.
const asInjected = "CLMC_TEST_INJECT"

// askFirst has the kernel ask whoever is at the other end of a socket about the calls of this process, from now on.
func askFirst(fd int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	ret := func(what uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET, K: what} }
	const allow, notify = 0x7fff0000, 0x7fc00000
	program := []unix.SockFilter{load(0)}
	for _, k := range injected {
		program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k.number, Jf: 1}, ret(notify))
	}
	program = append(program, ret(allow))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	p := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	const tsync, newListener, tsyncESRCH = 1, 8, 16
	send := sending(fd)
	// Between the two calls nobody answers. Another thread may wait in one to the memory then, with the locks of whoever allocates: nothing is allocated.
	listener, _, errno := unix.Syscall(unix.SYS_SECCOMP, 1, tsync|newListener|tsyncESRCH, uintptr(unsafe.Pointer(&p)))
	if errno != 0 {
		return errno
	}
	if errno = send(int32(listener)); errno != 0 {
		return errno
	}
	unix.Close(int(listener))
	unix.Close(fd)
	return nil
}

// sending returns what sends a descriptor to a socket, and allocates nothing.
func sending(fd int) func(listener int32) syscall.Errno {
	text, rights := []byte{1}, unix.UnixRights(0)
	place := rights[unix.CmsgLen(0):]
	m := &unix.Msghdr{Iov: &unix.Iovec{Base: &text[0], Len: 1}, Control: &rights[0]}
	m.SetIovlen(1) // whose type depends on the system
	m.SetControllen(len(rights))
	return func(listener int32) syscall.Errno {
		binary.NativeEndian.PutUint32(place, uint32(listener))
		_, _, errno := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(m)), 0)
		return errno
	}
}

func init() {
	if os.Getenv(asInjected) == "" {
		return
	}
	if err := askFirst(3); err != nil {
		unix.Sendmsg(3, []byte(err.Error()), nil, nil, 0)
		os.Exit(77)
	}
}

// bad is a call that fails.
type bad struct {
	call  string
	nth   int // of its kind in the directory, from 1; 0 for none
	errno syscall.Errno
}

func (b bad) String() string { return fmt.Sprintf("%s %d with %v", b.call, b.nth, b.errno) }

// faulty runs the command on a disk that fails once, and returns how many calls of each kind it has made.
type faulty struct {
	dir  string // the disk
	bad  bad
	made map[string]int
	met  bool
	why  error // why it cannot be
}

// run runs the command to its end.
func (f *faulty) run(t *testing.T, args ...string) outcome {
	t.Helper()
	f.made = map[string]int{}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "socket")
	cmd := clmc(args...)
	cmd.Env = append(cmd.Env, asInjected+"=1")
	cmd.ExtraFiles = []*os.File{theirs}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer unix.Close(pair[0])
		f.why = f.answer(pair[0])
	}()
	timeout := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	err = cmd.Wait()
	timeout.Stop()
	<-done
	if f.why != nil {
		t.Skipf("calls cannot be made to fail here: %v", f.why)
	}
	return finished(t, err, &stdout, &stderr)
}

// answer answers the kernel's questions until the process has ended.
func (f *faulty) answer(socket int) error {
	text, rights := make([]byte, 1000), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := unix.Recvmsg(socket, text, rights, 0)
	if err != nil {
		return err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:m])
	if err != nil || len(messages) == 0 {
		return errors.New(string(text[:n]))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	listener := fds[0]
	defer unix.Close(listener)
	const receive, send, goOn = 0xc0502100, 0xc0182101, 1
	for {
		poll := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err == unix.EINTR {
			continue
		} else if err != nil {
			return err
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			return nil // nobody is left
		}
		var q [80]byte
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), receive, uintptr(unsafe.Pointer(&q[0]))); errno != 0 {
			continue // whoever asked is gone
		}
		var a [24]byte
		copy(a[:8], q[:8])
		if errno := f.judge(q[:]); errno != 0 {
			binary.NativeEndian.PutUint32(a[16:], uint32(-int32(errno)))
		} else {
			binary.NativeEndian.PutUint32(a[20:], goOn)
		}
		unix.Syscall(unix.SYS_IOCTL, uintptr(listener), send, uintptr(unsafe.Pointer(&a[0])))
	}
}

// judge says what becomes of a call: the error with which it fails, or 0.
func (f *faulty) judge(q []byte) syscall.Errno {
	pid, number := binary.NativeEndian.Uint32(q[8:]), binary.NativeEndian.Uint32(q[16:])
	argument := func(i int) uint64 { return binary.NativeEndian.Uint64(q[32+8*i:]) }
	for name, k := range injected {
		if k.number != number {
			continue
		}
		file := ""
		if k.file >= 0 {
			file, _ = os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, int32(argument(k.file))))
		} else {
			file = textOf(pid, argument(-k.file-1))
		}
		if !strings.HasPrefix(file, f.dir) {
			return 0
		}
		f.made[name]++
		if f.bad.call == name && f.bad.nth == f.made[name] {
			f.met = true
			return f.bad.errno
		}
	}
	return 0
}

// textOf reads a text in the memory of a process.
func textOf(pid uint32, at uint64) string {
	b := make([]byte, 4096)
	m, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return ""
	}
	defer m.Close()
	n, _ := m.ReadAt(b, int64(at))
	text, _, _ := bytes.Cut(b[:n], []byte{0})
	return string(text)
}

// TestFailingDisk has each call that a search makes to its disk fail once. It says so, whatever the call, nothing is deleted, and
// the search goes on when the disk works again, or begins anew with what was there moved aside; its end is that of a search that met no trouble.
func TestFailingDisk(t *testing.T) {
	model := write(t, "model.go", manyOutcomes)
	search := []string{"-q", "--progress", "never", "--format", "json", "--mem", "32MiB", "--checkpoint-every", "20ms", "-D", "rounds=3", model}
	want := run(t, append([]string{"explore"}, search...)...)
	if want.code != 0 {
		t.Fatalf("exit code %d\n%s", want.code, want.stderr)
	}
	base := filepath.Join(t.TempDir(), "base")
	if o := run(t, append([]string{"explore", "--store", base, "--max-states", fmt.Sprint(want.Statistics.States / 2)}, search...)...); o.code != 3 {
		t.Fatalf("exit code %d\n%s", o.code, o.stderr)
	}
	for _, begin := range []bool{true, false} {
		whole := &faulty{dir: filepath.Join(t.TempDir(), "s")}
		go1 := func(f *faulty) outcome {
			if begin {
				return f.run(t, append([]string{"explore", "--store", f.dir}, search...)...)
			}
			if err := os.CopyFS(f.dir, os.DirFS(base)); err != nil {
				t.Fatal(err)
			}
			return f.run(t, "resume", "-q", "--progress", "never", "--format", "json", "--checkpoint-every", "20ms", f.dir)
		}
		if o := go1(whole); o.code != 0 || o.differs(&want) != "" {
			t.Fatalf("with a disk that does not fail: exit code %d, %s\n%s", o.code, o.differs(&want), o.stderr)
		}
		t.Logf("begin %v: %v", begin, whole.made)
		var all []bad
		for call, n := range whole.made {
			for i := range n {
				for _, e := range diskErrors {
					all = append(all, bad{call, i + 1, e})
				}
			}
		}
		slices.SortFunc(all, func(a, b bad) int { return strings.Compare(a.String(), b.String()) })
		rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if *injections >= 0 {
			all = all[:min(len(all), *injections)]
		}
		met := 0
		defer func() {
			if !t.Failed() && len(all) > 0 && met < (len(all)+1)/2 {
				t.Errorf("only %d of %d calls have failed", met, len(all))
			}
		}()
		for _, b := range all {
			t.Run(fmt.Sprintf("begin %v, %v", begin, b), func(t *testing.T) {
				f := &faulty{dir: filepath.Join(t.TempDir(), "s"), bad: b}
				o := go1(f)
				if !f.met {
					return
				}
				met++
				for _, word := range []string{"goroutine ", "panic", "Assert", "nil pointer", "internal error", "store itself is intact"} {
					if strings.Contains(o.stderr, word) || o.code == 4 {
						t.Errorf("exit code %d\n%s", o.code, o.stderr)
						break
					}
				}
				if o.code == 0 && o.differs(&want) != "" || o.code == 1 {
					t.Errorf("exit code %d: %s\n%s", o.code, o.differs(&want), o.stderr)
				}
				if o.code > 1 && o.stderr == "" {
					t.Errorf("exit code %d, and nothing is said", o.code)
				}
				again := run(t, append([]string{"explore", "--store", f.dir}, search...)...)
				if again.code != 0 || again.differs(&want) != "" {
					t.Errorf("first: exit code %d\n%s\nthen: exit code %d, %s\n%s", o.code, o.stderr, again.code, again.differs(&want), again.stderr)
				}
			})
		}
	}
}
