package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"encoding/json"
)

// onSmallDisk runs a shell script as root of a namespace of its own, in which
// the working directory is a file system of 64 MiB, and returns its output. The
// script calls the command as $CLMC.
func onSmallDisk(t *testing.T, script string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const noMount = 77
	cmd := exec.Command("/bin/sh", "-c", `mount -t tmpfs -o size=64m tmpfs "$DISK" && cd "$DISK" || exit 77`+"\n"+script)
	cmd.Env = append(os.Environ(), asCommand+"=1", "CLMC="+self, "DISK="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == noMount, errors.Is(err, syscall.EPERM), errors.Is(err, syscall.ENOSPC):
		t.Skipf("cannot mount a small disk: %v %s", err, &stderr)
	case err != nil:
		t.Fatalf("%v: %s", err, &stderr)
	}
	return stdout.String()
}

// TestFullDisk lets a disk fill up slowly. The search stops while there is room
// for a last checkpoint, and goes on when there is room again.
func TestFullDisk(t *testing.T) {
	model := write(t, "model.go", manyOutcomes)
	want := run(t, "explore", "--format", "json", "-D", "rounds=4", model)
	t.Setenv("MODEL", model)
	out := onSmallDisk(t, `
head -c 39M /dev/zero > filler
$CLMC explore --store s --mem 32MiB --checkpoint-every 10ms -D rounds=4 "$MODEL" 2>&1
echo "exit code $?"
rm filler
$CLMC status s
$CLMC resume s --format json
`)
	before, after, _ := strings.Cut(out, "exit code 3\n")
	for _, text := range []string{"the disk is full", "Go on with: clmc resume s"} {
		if !strings.Contains(before, text) {
			t.Errorf("the first run does not say %q:\n%s", text, out)
		}
	}
	if !strings.Contains(after, "not running: s: the disk is full") {
		t.Errorf("the status does not say that the disk was full:\n%s", out)
	}
	sameEnd(t, after, want)
}

// sameEnd checks the JSON at the end of an output.
func sameEnd(t *testing.T, out string, want outcome) {
	t.Helper()
	var got result
	if err := json.Unmarshal([]byte(out[max(0, strings.Index(out, "{\n")):]), &got); err != nil || !reflect.DeepEqual(got, want.result) {
		t.Errorf("the second run: %v, %s, %d states of %d\n%.1000s", err, got.Verdict, got.Statistics.States, want.Statistics.States, out)
	}
}

// TestSuddenlyFullDisk takes away all space in the middle of a run. That may
// even crash it, for Badger's files are mapped; what is on the disk must do.
func TestSuddenlyFullDisk(t *testing.T) {
	model := write(t, "model.go", manyOutcomes)
	want := run(t, "explore", "--format", "json", "-D", "rounds=4", model)
	t.Setenv("MODEL", model)
	t.Setenv("TRACES", filepath.Join(t.TempDir(), "stderr"))
	out := onSmallDisk(t, `
$CLMC explore --store s --mem 32MiB --checkpoint-every 10ms -D rounds=4 "$MODEL" 2> "$TRACES" &
while ! [ -e s/clmc-store ]; do sleep 0.05; done
sleep 0.3
head -c 80M /dev/zero > filler 2> /dev/null
wait $!
echo "exit code $?"
rm filler
$CLMC resume s --format json
`)
	_, after, _ := strings.Cut(out, "exit code ")
	code, after, _ := strings.Cut(after, "\n")
	t.Logf("the first run's exit code is %s", code)
	sameEnd(t, after, want)
}

// TestReadOnlyDisk has a store on a disk that cannot be written any more, not
// even by root, and asks for one there.
func TestReadOnlyDisk(t *testing.T) {
	model := write(t, "model.go", manyOutcomes)
	want := run(t, "explore", "--format", "json", model)
	t.Setenv("MODEL", model)
	out := onSmallDisk(t, `
$CLMC explore --store s --mem 32MiB --max-states 300 "$MODEL" > /dev/null 2>&1
mount -o remount,ro "$DISK" || exit 77
$CLMC resume s 2>&1
echo "exit code $?"
$CLMC explore --store new "$MODEL" 2>&1
echo "exit code $?"
$CLMC status s
mount -o remount,rw "$DISK"
$CLMC resume s --format json
`)
	for _, text := range []string{
		"clmc: s: read-only file system\nMake the folder and all files in it readable and writable", "clmc: new: read-only file system\nMake the folder and all files in it readable and writable",
		"not running: the bound of 300 states was met",
	} {
		if !strings.Contains(out, text) {
			t.Errorf("the runs do not say %q:\n%s", text, out)
		}
	}
	sameEnd(t, out, want)
}

// TestFullDiskOptimise has no room for what clmc optimise and clmc repair write: what was there is whole afterwards, nothing else is left, and it is said.
func TestFullDiskOptimise(t *testing.T) {
	weak, err := os.ReadFile("../../internal/optimise/testdata/spin.go")
	if err != nil {
		t.Fatal(err)
	}
	strong := strings.NewReplacer("MemoryOrderRelease", "MemoryOrderSeqCst", "MemoryOrderAcquire", "MemoryOrderSeqCst").Replace(string(weak))
	wrong := strings.ReplaceAll(strong, "MemoryOrderSeqCst", "MemoryOrderRelaxed")
	t.Setenv("STRONG", write(t, "strong.go", strong))
	t.Setenv("WRONG", write(t, "wrong.go", wrong))
	out := onSmallDisk(t, `
mkdir a b traces store && cp "$STRONG" a/m.go && cp "$WRONG" b/m.go
for f in old.patch old.go old.html; do echo old > $f; done
dd if=/dev/zero of=filler bs=4k 2>/dev/null
before=$(find . | sort)
try() {
	echo "$("$CLMC" "$@" 2>&1 >/dev/null), exit code $("$CLMC" "$@" >/dev/null 2>&1; echo $?)"
}
for how in "--write" "-o old.go" "-o new.go" "--patch old.patch" "--html old.html" "--traces traces"; do
	try optimise $how a/m.go
done
for how in "--write" "-o old.go" "--patch old.patch"; do
	try repair $how b/m.go
done
"$CLMC" optimise --store store -D n=2 a/m.go 2>&1 | grep '^-*store\|--store'
cmp a/m.go "$STRONG" && cmp b/m.go "$WRONG" && cat old.patch old.go old.html
rm store/*
[ "$(find . | sort)" = "$(echo "$before" | grep -v jsonl)" ] || find .
echo the same
`)
	want := `clmc: --write: a/m.go stays as it was: no space left on device, exit code 2
clmc: -o: old.go stays as it was: no space left on device, exit code 2
clmc: -o: new.go is not written: no space left on device, exit code 2
clmc: --patch: old.patch stays as it was: no space left on device, exit code 2
clmc: --html: old.html stays as it was: no space left on device, exit code 2
clmc: --traces: traces/1/m.go is not written: no space left on device, exit code 2
clmc: --write: b/m.go stays as it was: no space left on device, exit code 2
clmc: -o: old.go stays as it was: no space left on device, exit code 2
clmc: --patch: old.patch stays as it was: no space left on device, exit code 2
`
	if !strings.HasPrefix(out, want) || !strings.Contains(out, "--store: not all checks are kept: ") || !strings.HasSuffix(out, "old\nold\nold\nthe same\n") {
		t.Errorf("%s\nwant\n%s", out, want)
	}
}
