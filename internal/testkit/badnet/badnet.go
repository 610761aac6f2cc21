// Package badnet is a network that drops, delays and stalls, for tests.
package badnet

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/clmc/clmc/internal/guard"
)

// Proxy stands between clients and a server, and can be told to misbehave.
type Proxy struct {
	l  net.Listener
	to string // the server's address

	mu    sync.Mutex
	conns []net.Conn
	delay time.Duration
	stall time.Time
}

// New starts a proxy for a server at an address.
func New(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{l: l, to: to}
	guard.Go("proxy", p.serve)
	t.Cleanup(func() { l.Close(); p.Cut() })
	return p
}

// URL is where clients are to connect.
func (p *Proxy) URL() string { return "nats://" + p.l.Addr().String() }

// Cut drops all connections, with whatever is under way.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// Delay delays everything from now on.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Stall lets nothing through for a while.
func (p *Proxy) Stall(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stall = time.Now().Add(d)
}

func (p *Proxy) serve() {
	for {
		c, err := p.l.Accept()
		if err != nil {
			return
		}
		guard.Go("connection", func() { p.connect(c) })
	}
}

func (p *Proxy) connect(c net.Conn) {
	s, err := net.Dial("tcp", p.to)
	if err != nil {
		c.Close()
		return
	}
	p.mu.Lock()
	p.conns = append(p.conns, c, s)
	p.mu.Unlock()
	guard.Go("pipe", func() { p.pipe(c, s) })
	p.pipe(s, c)
}

func (p *Proxy) pipe(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		pause := max(p.delay, time.Until(p.stall))
		p.mu.Unlock()
		time.Sleep(pause)
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
