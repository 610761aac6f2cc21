package cluster

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// Server says where the server is, and how to be let in.
type Server struct {
	URL     string // nats://host:4222, or several with commas; "" if Context has it
	Creds   string // a file of credentials
	NKey    string // a file with the seed of an nkey
	CA      string // a file of certificates that are to be trusted
	Cert    string // this client's certificate, and its key
	Key     string
	Context string // a context of the nats command
	Name    string // what the server calls this client

	InProcess nats.InProcessConnProvider // the server, where it is in this process
	Own       nkeys.KeyPair              // a key that is in no file; nil if there is none

	tempo *tempo // nil means the usual one
}

// Cluster is a connection to the server.
type Cluster struct {
	*direct
	way    way
	url    string                // to be shown
	who    string                // the public key, or Anybody
	denied atomic.Pointer[error] // the last thing that this client was told it may not do
}

// direct is a way to the streams that needs all rights to them: that of the registrar, and of whoever uses a server without one.
type direct struct {
	nc    *nats.Conn
	js    jetstream.JetStream
	tempo tempo
}

// way is how a client gets at the jobs: by itself, or by asking the registrar.
type way interface {
	submit(ctx context.Context, id, name string, message []byte, replicas int) (JobState, error)
	jobs(ctx context.Context) ([]StreamInfo, map[string]JobState, error)
	state(ctx context.Context, id string) (JobState, error)
	take(ctx context.Context, id string) (*taken, error)
	message(ctx context.Context, id string, seq uint64) ([]byte, error)
	from(ctx context.Context, f *Feed, after uint64) (source, error)
	// member is the name of a worker of this connection with a number, and append appends what that one has to say.
	member(link uint64) uint64
	append(ctx context.Context, id, subject string, link uint64, message []byte) error
	change(ctx context.Context, id string, change *Change) (JobState, error)
	remove(ctx context.Context, id string) error
	workers(ctx context.Context) ([]WorkerState, error)
	beat(ctx context.Context, w *WorkerState) error
	leave(ctx context.Context, id string) error
	room(ctx context.Context) error
	origin(ctx context.Context) (string, error)
	wait(ctx context.Context) error
}

// Dial connects to a server. The connection comes back by itself if it is lost.
func Dial(s Server) (*Cluster, error) {
	c, err := connect(s)
	if err != nil {
		return nil, err
	}
	if err := c.findWay(); err != nil {
		c.Close()
		return nil, s.explain(err)
	}
	return c, nil
}

// connect connects, and does not ask for anything yet.
func connect(s Server) (*Cluster, error) {
	c := &Cluster{direct: &direct{tempo: usual()}, who: Anybody}
	if s.tempo != nil {
		c.tempo = *s.tempo
	}
	opts, err := s.options(&c.tempo)
	if err != nil {
		return nil, err
	}
	if who := s.who(); who != "" {
		c.who = who
	}
	c.url, c.way = s.URL, c.direct
	opts = append(opts, nats.CustomInboxPrefix(inboxOf(c.who)), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) && !strings.Contains(err.Error(), askPrefix) { // it asks what its key is for
			c.denied.Store(&err)
		}
	}))
	if c.nc, err = nats.Connect(s.URL, opts...); err != nil {
		return nil, s.explain(err)
	}
	if c.js, err = jetstream.New(c.nc, jetstream.WithDefaultTimeout(c.tempo.patience)); err != nil {
		c.nc.Close()
		return nil, err
	}
	return c, nil
}

// findWay finds out whether there is a registrar, and what it takes this client for. On a server without one this client
// looks after the streams itself.
func (c *Cluster) findWay() error {
	a, err := c.greet()
	if err != nil {
		return err
	}
	if a != nil {
		c.way = a
		return nil
	}
	err = c.again(context.Background(), func(ctx context.Context) error {
		_, err := c.js.AccountInfo(ctx)
		return err
	})
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return errNoJetStream
	}
	if c.denied.Load() != nil {
		return fmt.Errorf("%w: %w", errNoRegistrar, *c.denied.Load())
	}
	return err
}

var (
	errNoJetStream = errors.New("the server has no JetStream")
	errNoRegistrar = errors.New("nobody at the server answers for the jobs")
)

// Close ends the connection.
func (c *Cluster) Close() { c.nc.Close() }

// URL is the server's, without anything secret.
func (c *Cluster) URL() string { return c.url }

// because adds to the error of a request that was not answered that this client may not do it, if it was told so, and to that
// of one for which there is no room where to find some.
func (c *Cluster) because(err error) error {
	if IsFull(err) {
		return fmt.Errorf("%w\nThe server has no room: 'clmc cluster remove' makes some, or give it more (clmc hub --max-disk)", err)
	}
	if why := c.denied.Load(); why != nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", err, *why)
	}
	return err
}

// soon bounds a request.
func (c *Cluster) soon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.tempo.patience)
}

// again has something done that may be done twice, once more whenever there is no answer: the server may have been away, or
// the connection lost, just then.
func (c *Cluster) again(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := c.soon(ctx)
	defer cancel()
	for {
		err := c.attempt(ctx, do)
		if err == nil || !Unanswered(err) || c.denied.Load() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(c.tempo.retry):
		}
	}
}

// attempt has something done once, in the time that an answer may take.
func (c *Cluster) attempt(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := c.briefly(ctx)
	defer cancel()
	return do(ctx)
}

// briefly bounds a request that need not succeed, or that is tried again.
func (c *Cluster) briefly(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.tempo.ask)
}

// Unanswered reports whether an error says that a request may not have reached the server, or its answer not this client, or
// that the server is about to be able to answer.
func Unanswered(err error) bool {
	var e *jetstream.APIError
	if errors.As(err, &e) {
		return e.ErrorCode == codeUnavailable
	}
	for _, one := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded,
		jetstream.ErrNoStreamResponse, errLater,
	} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

// codeUnavailable is the server's code for having no leader, or not being ready yet.
const codeUnavailable jetstream.ErrorCode = 10008

// options turns s into those of a connection at a tempo, and reads the context if there is one.
func (s *Server) options(at *tempo) ([]nats.Option, error) {
	var opts []nats.Option
	if s.Context != "" {
		more, err := s.readContext()
		if err != nil {
			return nil, err
		}
		opts = append(opts, more...)
	}
	if err := s.checkURL(); err != nil {
		return nil, err
	}
	for _, f := range []struct{ flag, name string }{
		{"creds", s.Creds}, {"nkey", s.NKey}, {"tls-ca", s.CA}, {"tls-cert", s.Cert}, {"tls-key", s.Key},
	} {
		if f.name == "" {
			continue
		}
		if _, err := os.Stat(f.name); err != nil {
			return nil, fmt.Errorf("--%s: %w", f.flag, err)
		}
	}
	if (s.Cert == "") != (s.Key == "") {
		return nil, errors.New("--tls-cert and --tls-key: a certificate needs its key; give both or none")
	}
	more, err := s.keys()
	if err != nil {
		return nil, err
	}
	opts = append(opts, more...)
	if s.CA != "" {
		opts = append(opts, nats.RootCAs(s.CA))
	}
	if s.Cert != "" {
		opts = append(opts, nats.ClientCert(s.Cert, s.Key))
	}
	return append(opts,
		nats.Name(s.Name),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(at.reconnect),
		nats.ReconnectJitter(at.reconnect/2, at.reconnect/2),
		nats.PingInterval(at.ping),
		nats.MaxPingsOutstanding(2),
		nats.Timeout(15*time.Second),
		// What cannot be sent now is not kept to be sent later: whoever sends it knows better by then.
		nats.ReconnectBufSize(-1),
	), nil
}

// keys are what lets this client in.
func (s *Server) keys() (opts []nats.Option, err error) {
	if s.Creds != "" {
		opts = append(opts, nats.UserCredentials(s.Creds))
	}
	if s.NKey != "" {
		o, err := nats.NkeyOptionFromSeed(s.NKey)
		if err != nil {
			return nil, fmt.Errorf("--nkey %s: %w", s.NKey, err)
		}
		opts = append(opts, o)
	}
	if s.InProcess != nil {
		opts = append(opts, nats.InProcessServer(s.InProcess))
	}
	if s.Own != nil {
		public, err := s.Own.PublicKey()
		if err != nil {
			return nil, err
		}
		opts = append(opts, nats.Nkey(public, s.Own.Sign))
	}
	return opts, nil
}

// who is the public key that the server knows this client by; "" if there is none.
func (s *Server) who() string {
	for _, file := range []string{s.NKey, s.Creds} {
		if file == "" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			continue // connecting says so
		}
		if pair, err := nkeys.ParseDecoratedNKey(text); err == nil {
			if who, err := pair.PublicKey(); err == nil {
				return who
			}
		}
	}
	return ""
}

// checkURL refuses addresses that are none, and those with a password in them: a command line can be seen by others.
func (s *Server) checkURL() error {
	if s.URL == "" {
		return errors.New("name the server, as in --cluster nats://host:4222")
	}
	for _, one := range strings.Split(s.URL, ",") {
		if !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		u, err := url.Parse(one)
		switch {
		case err != nil || u.Hostname() == "":
			return errors.New("--cluster: want an address such as nats://host:4222")
		case u.User != nil:
			return errors.New("--cluster: remove user and password from the address, because others can see it; use --creds, --nkey or --context")
		case u.Scheme != "nats" && u.Scheme != "tls" && u.Scheme != "ws" && u.Scheme != "wss":
			return fmt.Errorf("--cluster: %q is not a scheme of NATS; use nats or tls", u.Scheme)
		}
	}
	return nil
}

// explain adds what to do to an error about connecting.
func (s *Server) explain(err error) error {
	advice := "Is the server running, and reachable from here? 'clmc hub' starts one"
	switch text := err.Error(); {
	case errors.Is(err, errNoJetStream):
		advice = "Start it with -js, or use 'clmc hub'"
	case errors.Is(err, errNoRegistrar):
		advice = "Start 'clmc hub --cluster URL' beside it, with a key that may do all, or name the key of a worker, an asker or an administrator"
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrPermissionViolation), strings.Contains(text, "nkeys not supported"):
		advice = "Name credentials that the server knows with --creds, --nkey or --context"
	case errors.As(err, new(x509.HostnameError)):
		advice = "Use a name or address that the certificate names, or start the hub with --listen and this address"
	case strings.Contains(text, "x509:"), strings.Contains(text, "tls:"), errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted):
		advice = "Name the certificate to trust with --tls-ca; that of a hub is ca.pem in its folder"
	}
	return fmt.Errorf("%s: %w\n%s", s.URL, err, advice)
}

// natsContext is what is used of a context of the nats command.
type natsContext struct {
	URL      string `json:"url"`
	Creds    string `json:"creds"`
	NKey     string `json:"nkey"`
	CA       string `json:"ca"`
	Cert     string `json:"cert"`
	Key      string `json:"key"`
	User     string `json:"user"`
	Password string `json:"password"`
	Token    string `json:"token"`
}

// readContext fills in from a context of the nats command what flags have not said.
func (s *Server) readContext() ([]nats.Option, error) {
	if strings.ContainsAny(s.Context, `/\`) {
		return nil, fmt.Errorf("--context %q: want the name of a context of the nats command", s.Context)
	}
	dir, err := configFolder()
	if err != nil {
		return nil, fmt.Errorf("--context: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "nats", "context", s.Context+".json"))
	if err != nil {
		return nil, fmt.Errorf("--context: %w\n'nats context ls' lists them", err)
	}
	var c natsContext
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("--context %s: %w", s.Context, err)
	}
	for _, f := range []struct {
		to   *string
		from string
	}{{&s.URL, c.URL}, {&s.Creds, c.Creds}, {&s.NKey, c.NKey}, {&s.CA, c.CA}, {&s.Cert, c.Cert}, {&s.Key, c.Key}} {
		if *f.to == "" {
			*f.to = f.from
		}
	}
	switch {
	case c.User != "":
		return []nats.Option{nats.UserInfo(c.User, c.Password)}, nil
	case c.Token != "":
		return []nats.Option{nats.Token(c.Token)}, nil
	}
	return nil, nil
}

// configFolder is where the nats command keeps its contexts.
func configFolder() (string, error) {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".config"), err
}

// SyncingServer begins the names of servers that acknowledge nothing that is not on their disk.
const SyncingServer = "clmc-hub"

// Syncs reports whether what the server acknowledges is known to be on its disk.
func (c *Cluster) Syncs() bool { return strings.HasPrefix(c.nc.ConnectedServerName(), SyncingServer) }
