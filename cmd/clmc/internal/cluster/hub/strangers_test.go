package hub_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster/hub"
)

// TestStrangers has those without a key that is good connect in all ways that a server of NATS knows: as clients, and as other servers.
func TestStrangers(t *testing.T) {
	dir := t.TempDir()
	h := start(t, hub.Options{Listen: "0.0.0.0:0", Dir: dir, Check: checked})
	taken := filepath.Join(t.TempDir(), "taken.nk")
	seed, err := os.ReadFile(h.Worker)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(taken, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := nats.NkeyOptionFromSeed(taken)
	if err != nil {
		t.Fatal(err)
	}
	if nc, err := nats.Connect(h.URL, nats.RootCAs(h.CA), key); err != nil {
		t.Fatal("a key that is good is refused: ", err)
	} else {
		nc.Close()
	}
	h.Close()
	if err := os.Remove(h.Worker); err != nil { // which takes the key away
		t.Fatal(err)
	}
	h = start(t, hub.Options{Listen: "0.0.0.0:0", Dir: dir, Check: checked})
	other, err := nats.NkeyOptionFromSeed(newKey(t))
	if err != nil {
		t.Fatal(err)
	}
	for what, o := range map[string]nats.Option{
		"without a key": nats.Name("x"), "with a key that was taken away": key, "with a key of one's own": other, "with a password": nats.UserInfo("admin", "admin"),
		"with a token": nats.Token("admin"), "as the server's own account": nats.UserInfo("$SYS", ""), "with a token of another kind": nats.UserJWTAndSeed("eyJ0eXAiOiJKV1QifQ.e30.x", strings.TrimSpace(string(seed))),
	} {
		nc, err := nats.Connect(h.URL, nats.RootCAs(h.CA), o)
		if err == nil {
			nc.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "Authorization Violation") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := nats.Connect(h.URL); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without the hub's certificate: %v", err)
	}
	for _, line := range []string{
		`CONNECT {"verbose":true,"pedantic":true,"server_id":"x","name":"leaf","cluster":"c","headers":true}` + "\r\nLS+ >\r\n", "LS+ clmc.>\r\n", "LMSG clmc.x 1\r\nx\r\n",
		`INFO {"server_id":"x","name":"route","cluster":"c","host":"0.0.0.0","port":4222}` + "\r\n", "RS+ $G >\r\n", "RMSG $G clmc.x 1\r\nx\r\n", "A+ $G\r\n", "GS+ $G >\r\n",
		`INFO {"server_id":"x","gateway":"g","gateway_cmd":1}` + "\r\n", "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n", "\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00",
		"PUB $JS.API.STREAM.LIST 0\r\n\r\n", "SUB > 1\r\n",
	} {
		if said := shouted(t, h, line); !strings.Contains(said, "-ERR") && said != "" || strings.Contains(said, "+OK") || strings.Contains(said, "MSG") {
			t.Errorf("%q is answered by %q", line, said)
		}
	}
	if _, _, err := by(t, h, h.Admin).Jobs(t.Context()); err != nil {
		t.Errorf("the hub does not answer any more: %v", err)
	}
}

// newKey makes a file with a key that nobody knows.
func newKey(t *testing.T) string {
	t.Helper()
	h := start(t, hub.Options{Listen: "0.0.0.0:0", Dir: t.TempDir()})
	defer h.Close()
	return h.Admin
}

// shouted says something to a hub that is no client's word, after the greeting, and returns what it says until it hangs up.
func shouted(t *testing.T, h *hub.Hub, text string) string {
	t.Helper()
	at, err := url.Parse(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(h.CA)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	plain, err := net.Dial("tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	plain.SetDeadline(time.Now().Add(30 * time.Second))
	greeting, err := bufio.NewReader(plain).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var info map[string]any
	if err := json.Unmarshal([]byte(strings.TrimPrefix(greeting, "INFO ")), &info); err != nil {
		t.Fatal(err)
	}
	for _, door := range []string{"leafnode_urls", "gateway", "gateway_url", "gateway_urls", "cluster", "connect_urls", "ws_connect_urls"} {
		if _, open := info[door]; open {
			t.Errorf("the hub says that it has %s", door)
		}
	}
	secure := tls.Client(plain, &tls.Config{RootCAs: roots, ServerName: at.Hostname()})
	if _, err := secure.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for b := make([]byte, 1<<12); ; {
		n, err := secure.Read(b)
		said.Write(b[:n])
		if err, late := err.(net.Error); late && err.Timeout() {
			t.Errorf("%q: the hub does not hang up", text)
		}
		if err != nil {
			return said.String()
		}
	}
}
