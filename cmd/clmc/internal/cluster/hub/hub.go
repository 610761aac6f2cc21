package hub

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
)

// Options say how a hub is set up.
type Options struct {
	Listen   string                           // host:port; the port may be left out
	Dir      string                           // where it keeps jobs, and its certificate and keys
	MaxDisk  int64                            // bytes that jobs may take; 0 is for the server to choose
	Insecure bool                             // without TLS and keys, even on an address that others reach
	Log      func(format string, args ...any) // hears of errors of the server's
	Askers   []string                         // who gets a key of their own to submit jobs with, beside Hub.Asker
	MaxJobs  int                              // that one asker may have there; 0 is no bound
	// Check reports a job's description that is not that of the job with an id (cluster.RegistrarOptions).
	Check func(id string, description []byte) error
}

// Hub is a running server.
type Hub struct {
	URL    string   // where it is to be reached from this machine
	Remote []string // and by others: addresses to try
	Secure bool     // with TLS and keys, in the files that are named below
	CA     string   // the certificate to trust
	Worker string   // the key for whoever works on jobs
	Asker  string   // the key for whoever submits jobs, and looks after them
	Askers []string // more of these, each with jobs of its own
	Admin  string   // the key for whoever looks after the jobs of all

	server    *server.Server
	registrar *cluster.Registrar
	lock      *lock
}

// DefaultPort is that of NATS.
const DefaultPort = server.DEFAULT_PORT

// ServerName tells clients that what the server acknowledges is on its disk, and not only on its way there.
const ServerName = cluster.SyncingServer

// maxPayload bounds messages. A batch has half a mebibyte at most.
const maxPayload = 1 << 20

// startFor is how long a server may take to start.
const startFor = 30 * time.Second

// Start starts a hub.
func Start(o Options) (h *Hub, err error) {
	host, port, err := address(o.Listen)
	if err != nil {
		return nil, err
	}
	if err := free(host, port); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("--dir: %w", err)
	}
	h = &Hub{}
	if h.lock, err = acquire(o.Dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			h.Close()
		}
	}()
	so := &server.Options{
		ServerName: ServerName, Host: host, Port: port, NoSigs: true, NoLog: o.Log == nil,
		JetStream: true, StoreDir: filepath.Join(o.Dir, "jobs"), JetStreamMaxStore: o.MaxDisk, JetStreamMaxMemory: maxMemory,
		SyncAlways: true, MaxPayload: maxPayload, DisableShortFirstPing: true,
	}
	scheme, own := "nats", nkeys.KeyPair(nil)
	if h.Secure = !IsLocal(host) && !o.Insecure; h.Secure {
		scheme = "tls"
		if own, err = h.secure(so, &o, host); err != nil {
			return nil, err
		}
	}
	if h.server, err = server.NewServer(so); err != nil {
		return nil, err
	}
	if o.Log != nil {
		h.server.SetLogger(logger{o.Log}, false, false)
	}
	h.server.Start()
	if !h.server.ReadyForConnections(startFor) {
		return nil, fmt.Errorf("the server cannot listen on %s, or cannot read %s", net.JoinHostPort(host, strconv.Itoa(port)), so.StoreDir)
	}
	h.registrar, err = cluster.Serve(cluster.Server{URL: "nats://" + ServerName, Name: ServerName, InProcess: h.server, Own: own}, cluster.RegistrarOptions{
		Check: o.Check, MaxJobs: o.MaxJobs, MaxBytes: o.MaxDisk / quotaPart, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	h.sayWhere(scheme, host)
	return h, nil
}

// sayWhere notes where the hub is to be reached.
func (h *Hub) sayWhere(scheme, host string) {
	real := h.server.Addr().(*net.TCPAddr)
	at := func(host string) string { return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(real.Port)) }
	h.URL = at(host)
	if real.IP.IsUnspecified() {
		h.URL = at("127.0.0.1")
	}
	if !IsLocal(host) {
		for _, name := range reachable(host) {
			h.Remote = append(h.Remote, at(name))
		}
	}
}

// maxMemory bounds what JetStream keeps in memory: consumers of those who read, and nothing else.
const maxMemory = 64 << 20

// quotaPart is the part of the disk that the jobs of one asker may take.
const quotaPart = 2

// Close ends the hub.
func (h *Hub) Close() {
	if h.registrar != nil {
		h.registrar.Close()
	}
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
	h.lock.release()
}

// address reads an address to listen on.
func address(listen string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		host, text = listen, strconv.Itoa(DefaultPort)
		if ip := net.ParseIP(listen); ip == nil && !isName(listen) {
			return "", 0, fmt.Errorf("--listen %q: want an address such as 192.168.1.2:%d", listen, DefaultPort)
		}
	}
	if host == "" {
		host = "0.0.0.0"
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 1<<16-1 {
		return "", 0, fmt.Errorf("--listen %q: %q is not a port", listen, text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// free reports an address that cannot be listened on. The server would only say so, and not be ready for ever.
func free(host string, port int) error {
	if port == server.RANDOM_PORT {
		return nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("--listen: %w\nIf another hub or NATS server has the port, name another one", err)
	}
	return l.Close()
}

// isName reports whether a word could be the name of a host.
func isName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '.' {
			return false
		}
	}
	return s != ""
}

// IsLocal reports whether an address is one that only this machine reaches.
func IsLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// reachable lists names and addresses under which others may reach this machine.
func reachable(host string) (all []string) {
	if ip := net.ParseIP(host); ip == nil || !ip.IsUnspecified() {
		return []string{host}
	}
	if name, err := os.Hostname(); err == nil && isName(name) {
		all = append(all, name)
	}
	addrs, _ := net.InterfaceAddrs() // none, then
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			all = append(all, n.IP.String())
		}
	}
	return all
}

// secure makes the server use TLS, and let in only whom it has given keys. It returns that of the registrar, which nobody else has.
func (h *Hub) secure(so *server.Options, o *Options, host string) (nkeys.KeyPair, error) {
	names := append(reachable(host), "localhost", "127.0.0.1", "::1")
	in := func(name string) string { return filepath.Join(o.Dir, name) }
	h.CA = in("ca.pem")
	cert, err := certificate(h.CA, in("ca.key"), names)
	if err != nil {
		return nil, err
	}
	so.TLS, so.TLSTimeout = true, tlsTimeout
	so.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}
	h.Worker, h.Asker, h.Admin = in("worker.nk"), in("asker.nk"), in("admin.nk")
	if h.Askers, err = askers(o); err != nil {
		return nil, err
	}
	roles := map[string]cluster.Role{h.Worker: cluster.Worker, h.Asker: cluster.Asker, h.Admin: cluster.Admin}
	for _, file := range h.Askers {
		roles[file] = cluster.Asker
	}
	for file, role := range roles {
		public, err := key(file)
		if err != nil {
			return nil, err
		}
		so.Nkeys = append(so.Nkeys, &server.NkeyUser{Nkey: public, Permissions: Permissions(role, public)})
	}
	own, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	public, err := own.PublicKey()
	so.Nkeys = append(so.Nkeys, &server.NkeyUser{Nkey: public})
	return own, err
}

// askers are the files of keys of those who are named, and of those who were at an earlier start.
func askers(o *Options) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(globbed(o.Dir), "asker-*.nk"))
	for _, name := range o.Askers {
		if !isName(name) {
			return nil, fmt.Errorf("--asker %q: want letters, digits, dots and dashes", name)
		}
		if file := filepath.Join(o.Dir, "asker-"+name+".nk"); !slices.Contains(all, file) {
			all = append(all, file)
		}
	}
	return all, err
}

// globbed is a folder as a pattern that only it matches.
func globbed(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// tlsTimeout is how long a handshake may take, in seconds.
const tlsTimeout = 10

// greeting is what the server says of a client that asks what its key is for (cluster.Dial).
var greeting = regexp.MustCompile(`Publish Violation - Subject "clmc\.ask\.[a-z]+\.[A-Za-z0-9]+\.hello"`)

// logger hands on what the server says of errors.
type logger struct {
	say func(format string, args ...any)
}

func (l logger) Errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !greeting.MatchString(text) {
		l.say("server: %s", text)
	}
}
func (l logger) Fatalf(format string, args ...any) { l.say("server: "+format, args...) }
func (l logger) Warnf(string, ...any)              {}
func (l logger) Noticef(string, ...any)            {}
func (l logger) Debugf(string, ...any)             {}
func (l logger) Tracef(string, ...any)             {}

// ErrInUse tells that another hub has the folder.
var ErrInUse = errors.New("another hub uses it")
