package hub

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"time"

	"github.com/nats-io/nkeys"
)

// lifetime is how long certificates are good for. A hub makes its own at each start, its authority once.
const lifetime = 10 * 365 * 24 * time.Hour

// certificate makes a certificate for these names and addresses, signed by the authority that is kept in two files,
// which are made if they are not there.
func certificate(caFile, keyFile string, names []string) (tls.Certificate, error) {
	ca, caKey, err := authority(caFile, keyFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	c, err := template("clmc hub")
	if err != nil {
		return tls.Certificate{}, err
	}
	c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	c.KeyUsage = x509.KeyUsageDigitalSignature
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			c.IPAddresses = append(c.IPAddresses, ip)
		} else {
			c.DNSNames = append(c.DNSNames, n)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, ca, &own.PublicKey, caKey)
	return tls.Certificate{Certificate: [][]byte{der, ca.Raw}, PrivateKey: own}, err
}

func template(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, BasicConstraintsValid: true,
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(lifetime),
	}, err
}

// authority reads what signs the hub's certificates, or makes it.
func authority(caFile, keyFile string) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	certText, err := os.ReadFile(caFile)
	if errors.Is(err, fs.ErrNotExist) {
		if err := newAuthority(caFile, keyFile); err != nil {
			return nil, nil, err
		}
		certText, err = os.ReadFile(caFile)
	}
	if err != nil {
		return nil, nil, err
	}
	keyText, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, nil, err
	}
	pair, err := tls.X509KeyPair(certText, keyText)
	if err != nil {
		return nil, nil, fmt.Errorf("%s and %s: %w\nRemove both; the hub then creates new ones", caFile, keyFile, err)
	}
	ca, err := x509.ParseCertificate(pair.Certificate[0])
	signer, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if err == nil && !ok {
		err = fmt.Errorf("%s: it is not a key that a hub has made", keyFile)
	}
	return ca, signer, err
}

func newAuthority(caFile, keyFile string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	c, err := template("clmc hub authority")
	if err != nil {
		return err
	}
	c.IsCA, c.KeyUsage = true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	if err := write(keyFile, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})); err != nil {
		return err
	}
	return write(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// key reads the seed of a user's key, or makes one, and returns the public key.
func key(file string) (string, error) {
	seed, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		pair, err := nkeys.CreateUser()
		if err != nil {
			return "", err
		}
		if seed, err = pair.Seed(); err != nil {
			return "", err
		}
		if err := write(file, append(seed, '\n')); err != nil {
			return "", err
		}
	} else if err != nil {
		return "", err
	}
	pair, err := nkeys.ParseDecoratedNKey(seed)
	if err != nil {
		return "", fmt.Errorf("%s: %w\nRemove it; the hub then creates a new one", file, err)
	}
	return pair.PublicKey()
}

// write makes a file that nobody else can read.
func write(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}
