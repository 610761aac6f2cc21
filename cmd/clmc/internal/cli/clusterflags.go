package cli

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
	"github.com/clmc/clmc/internal/shell"
)

// clusterFlags say which NATS server jobs are on, and how to be let in.
type clusterFlags struct{ cluster.Server }

func (c *clusterFlags) register(f *pflag.FlagSet, what string) {
	f.StringVar(&c.URL, "cluster", "", what)
	f.StringVar(&c.Creds, "creds", "", "with --cluster: a `FILE` with NATS credentials")
	f.StringVar(&c.NKey, "nkey", "", "with --cluster: a `FILE` with an NKey, such as asker.nk or worker.nk of a hub")
	f.StringVar(&c.CA, "tls-ca", "", "with --cluster: a `FILE` with the certificate to trust, such as ca.pem of a hub")
	f.StringVar(&c.Cert, "tls-cert", "", "with --cluster: a `FILE` with a client certificate")
	f.StringVar(&c.Key, "tls-key", "", "with --cluster: the `FILE` with the key of that certificate")
	f.StringVar(&c.Context, "context", "", "take the server, keys and certificates from the context `NAME` of the nats command")
}

// used reports whether a server is named.
func (c *clusterFlags) used() bool { return c.URL != "" || c.Context != "" }

// check reports flags about a server where none is named.
func (c *clusterFlags) check() error {
	if c.used() {
		return nil
	}
	if c.Creds+c.NKey+c.CA+c.Cert+c.Key != "" {
		return errors.New("--creds, --nkey and --tls-...: name the server with --cluster")
	}
	return nil
}

// dial connects.
func (c *clusterFlags) dial() (*cluster.Cluster, error) {
	c.Name = "clmc " + version()
	conn, err := cluster.Dial(c.Server)
	if err != nil {
		return nil, inputError{err}
	}
	return conn, nil
}

// words are the flags as they are to be written for another command.
func (c *clusterFlags) words() string {
	text := ""
	for _, f := range []struct{ name, value string }{
		{"context", c.Context}, {"cluster", c.URL}, {"creds", c.Creds}, {"nkey", c.NKey}, {"tls-ca", c.CA}, {"tls-cert", c.Cert}, {"tls-key", c.Key},
	} {
		if f.value != "" && (f.name == "context" || c.Context == "") {
			text += " --" + f.name + " " + shell.Word(f.value)
		}
	}
	return text
}
