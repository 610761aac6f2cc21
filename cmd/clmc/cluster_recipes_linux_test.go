package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// fenced returns the block of the page between fences whose text has a word.
func fenced(t *testing.T, page, word string) string {
	t.Helper()
	for i, part := range strings.Split(page, "```") {
		if i%2 == 1 && strings.Contains(part, word) {
			_, text, _ := strings.Cut(part, "\n")
			return text
		}
	}
	t.Fatalf("the page has no block with %q", word)
	return ""
}

// newKey makes a user's key, the seed of which is in a file.
func newKey(t *testing.T, file string) (public string) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	if public, err = pair.PublicKey(); err != nil {
		t.Fatal(err)
	}
	return public
}

// teamServer starts a team's server with the settings of the page, and returns its address.
func teamServer(t *testing.T, page, dir string) string {
	t.Helper()
	accounts := strings.NewReplacer(
		"UWORKER...", newKey(t, filepath.Join(dir, "worker.nk")), "UASKER...", newKey(t, filepath.Join(dir, "asker.nk")), "UHUB...", newKey(t, filepath.Join(dir, "hub.nk")),
	).Replace(fenced(t, page, "accounts {"))
	o := &server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true}
	if err := o.ProcessConfigString(accounts + "\njetstream {\n  store_dir: \"" + filepath.Join(dir, "jobs") + "\"\n  sync: always\n}\n"); err != nil {
		t.Fatal(err)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL()
}

// in runs a command in a folder to its end.
func in(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	cmd := clmc(args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	return finished(t, cmd.Run(), &stdout, &stderr)
}

// TestTeamRecipe tries docs/distribution.md on a team's NATS: its settings, the command for a nightly list, and the workers that are a
// Kubernetes Job, as the page has them but for addresses and files.
func TestTeamRecipe(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/distribution.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	url, key, worker := teamServer(t, string(page), dir), filepath.Join(dir, "asker.nk"), filepath.Join(dir, "worker.nk")
	// Without somebody who answers for the jobs it is said who that may be.
	if o := in(t, dir, "cluster", "jobs", "--cluster", url, "--nkey", key); o.code != 2 || !strings.Contains(o.stderr, "clmc hub --cluster URL") {
		t.Errorf("exit code %d\n%s", o.code, o.stderr)
	}
	answers := fenced(t, string(page), "clmc hub --cluster")
	hub := clmc(strings.Fields(strings.NewReplacer("tls://nats.example:4222", url, "hub.nk", filepath.Join(dir, "hub.nk")).Replace(answers))[1:]...)
	out, err := hub.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(hub) })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "answering") {
		t.Fatalf("%q, %v", line, err)
	}
	list := "checks:\n- {model: '@kernel_dot'}\n- {model: '@kernel_dot_wrongflag', expect: violated CL1001}\n"
	if err := os.WriteFile(filepath.Join(dir, "checks.yaml"), []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	nightly := regexp.MustCompile("`clmc (run --cluster URL [^`]*)`").FindSubmatch(page)
	if nightly == nil {
		t.Fatal("the page has no command for a list")
	}
	words := strings.Fields(strings.NewReplacer("URL", url, "FILE", key).Replace(string(nightly[1])))
	if o := in(t, dir, words...); o.code != 0 || strings.Count(o.stdout, "\n") < 3 {
		t.Errorf("%v: exit code %d\n%s%s", words, o.code, o.stdout, o.stderr)
	}
	if junit, err := os.ReadFile(filepath.Join(dir, "results.xml")); err != nil || strings.Count(string(junit), "<testcase") != 2 {
		t.Errorf("%v\n%s", err, junit)
	}

	// A job that nobody has worked on yet is there for the workers.
	if o := unattended(t, dir, "--cluster", url, "--nkey", key, "@spinlock"); o.code != 3 {
		t.Errorf("exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	var job struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct{ Args []string }
				}
			}
		}
	}
	if err := yaml.Unmarshal([]byte(fenced(t, string(page), "kind: Job")), &job); err != nil {
		t.Fatal(err)
	}
	containers := job.Spec.Template.Spec.Containers
	if len(containers) != 1 {
		t.Fatalf("%+v", job)
	}
	words = strings.Fields(strings.NewReplacer("nats://nats.clmc.svc:4222", url, "/keys/worker.nk", worker).Replace(strings.Join(containers[0].Args, " ")))
	if o := in(t, dir, words...); o.code != 0 || !strings.Contains(o.stderr, "verified") {
		t.Errorf("%v: exit code %d\n%s%s", words, o.code, o.stdout, o.stderr)
	}

	// Who works may not remove what is there; who has submitted it may.
	jobs := in(t, dir, "cluster", "jobs", "--cluster", url, "--nkey", key).stdout
	if strings.Count(jobs, ": done: ") != 3 {
		t.Errorf("the jobs are\n%s", jobs)
	}
	id, _, _ := strings.Cut(jobs, " ")
	for _, try := range []struct {
		file string
		code int
	}{{"worker.nk", 2}, {"asker.nk", 0}} {
		if o := in(t, dir, "cluster", "remove", "--cluster", url, "--nkey", filepath.Join(dir, try.file), id); o.code != try.code {
			t.Errorf("%s: exit code %d, want %d\n%s", try.file, o.code, try.code, o.stderr)
		}
	}
	if left := in(t, dir, "cluster", "jobs", "--cluster", url, "--nkey", key).stdout; strings.Contains(left, id) {
		t.Errorf("there is still\n%s", left)
	}
}

// TestServiceRecipe tries the commands of the page's systemd units, with other files and another port.
func TestServiceRecipe(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/distribution.md")
	if err != nil {
		t.Fatal(err)
	}
	port, dir := freePort(t), filepath.Join(t.TempDir(), "clmc-hub")
	at := "127.0.0.1:" + strconv.Itoa(port)
	start := func(unit string) {
		command := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/clmc (.*)$`).FindStringSubmatch(fenced(t, string(page), unit))
		if command == nil {
			t.Fatalf("%s has no command", unit)
		}
		text := strings.NewReplacer(
			"0.0.0.0", "0.0.0.0:"+strconv.Itoa(port), "/var/lib/clmc-hub", dir, "hub.example:4222", at,
			"${CREDENTIALS_DIRECTORY}", dir,
		).Replace(command[1])
		cmd := clmc(strings.Fields(text)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kill(cmd) })
	}
	start("Description=clmc hub")
	listening(t, at)
	start("Description=clmc worker")
	access := []string{"--cluster", "tls://" + at, "--tls-ca", filepath.Join(dir, "ca.pem"), "--nkey", filepath.Join(dir, "asker.nk")}
	if o := run(t, append([]string{"explore", "--no-work", "@kernel_dot_wrongflag"}, access...)...); o.code != 1 {
		t.Errorf("exit code %d, want 1: the worker finds a race\n%s%s", o.code, o.stdout, o.stderr)
	}
}
