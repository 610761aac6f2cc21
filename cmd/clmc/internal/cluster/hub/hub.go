package hub

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Options say how a hub is set up.
type Options struct {
	Listen   string                           // host:port; the port may be left out
	Dir      string                           // where it keeps jobs, and its certificate and keys
	MaxDisk  int64                            // bytes that jobs may take; 0 is for the server to choose
	Insecure bool                             // without TLS and keys, even on an address that others reach
	Log      func(format string, args ...any) // hears of errors of the server's
}

// Hub is a running server.
type Hub struct {
	URL    string   // where it is to be reached from this machine
	Remote []string // and by others: addresses to try
	Secure bool     // with TLS and keys, in the files that are named below
	CA     string   // the certificate to trust
	Worker string   // the key for whoever works on jobs
	Admin  string   // the key for whoever may remove jobs
	server *server.Server
	lock   *lock
}

// DefaultPort is that of NATS.
const DefaultPort = server.DEFAULT_PORT

// ServerName tells clients that what the server acknowledges is on its disk, and not only on its way there.
const ServerName = "clmc-hub" // cluster.SyncingServer

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
	scheme := "nats"
	if h.Secure = !IsLocal(host) && !o.Insecure; h.Secure {
		scheme = "tls"
		if err := h.secure(so, o.Dir, host); err != nil {
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
	return h, nil
}

// maxMemory bounds what JetStream keeps in memory: consumers of those who read, and nothing else.
const maxMemory = 64 << 20

// Close ends the hub.
func (h *Hub) Close() {
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

// secure makes the server use TLS, and let in only whom it has given keys.
func (h *Hub) secure(so *server.Options, dir, host string) error {
	names := append(reachable(host), "localhost", "127.0.0.1", "::1")
	h.CA = filepath.Join(dir, "ca.pem")
	cert, err := certificate(h.CA, filepath.Join(dir, "ca.key"), names)
	if err != nil {
		return err
	}
	so.TLS, so.TLSTimeout = true, tlsTimeout
	so.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}
	h.Worker, h.Admin = filepath.Join(dir, "worker.nk"), filepath.Join(dir, "admin.nk")
	for _, u := range []struct {
		file string
		may  *server.Permissions
	}{{h.Worker, WorkerPermissions()}, {h.Admin, AdminPermissions()}} {
		public, err := key(u.file)
		if err != nil {
			return err
		}
		so.Nkeys = append(so.Nkeys, &server.NkeyUser{Nkey: public, Permissions: u.may})
	}
	return nil
}

// tlsTimeout is how long a handshake may take, in seconds.
const tlsTimeout = 10

// logger hands on what the server says of errors.
type logger struct {
	say func(format string, args ...any)
}

func (l logger) Errorf(format string, args ...any) { l.say("server: "+format, args...) }
func (l logger) Fatalf(format string, args ...any) { l.say("server: "+format, args...) }
func (l logger) Warnf(string, ...any)              {}
func (l logger) Noticef(string, ...any)            {}
func (l logger) Debugf(string, ...any)             {}
func (l logger) Tracef(string, ...any)             {}

// ErrInUse tells that another hub has the folder.
var ErrInUse = errors.New("another hub is at work on it")
