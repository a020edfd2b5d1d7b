package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"weir/internal/infile"
	"weir/internal/outfile"
)

const (
	ownTime   = 365 * 24 * time.Hour // that a certificate of weir's own is good for
	renewTime = 30 * 24 * time.Hour  // before its end, when another one is made
	mostPEM   = 1 << 20              // octets of a file with a certificate
)

// A Certificate is what a server shows by TLS.
type Certificate struct {
	cert, key string // files
	mu        sync.Mutex
	is        tls.Certificate
	seen      [2]time.Time // when the files were written
}

// LoadCertificate reads a certificate and its key. Files that replace them count from the next
// connection on, if they fit each other.
func LoadCertificate(cert, key string) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key}
	err := c.load()
	return c, err
}

// load reads the files, if they have changed.
func (c *Certificate) load() error {
	var seen [2]time.Time
	for i, file := range []string{c.cert, c.key} {
		info, err := os.Stat(file)
		if err != nil {
			return fmt.Errorf("read the certificate: %w", err)
		}
		seen[i] = info.ModTime()
	}
	if seen == c.seen {
		return nil
	}
	cert, err := infile.Read(c.cert, mostPEM)
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	key, err := infile.Read(c.key, mostPEM)
	if err != nil {
		return fmt.Errorf("read the key of the certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("the certificate %s and the key %s: %w", c.cert, c.key, err)
	}
	c.is, c.seen = pair, seen
	return nil
}

// Config returns what a server of TLS needs.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cert != "" {
			_ = c.load() // the one of before is as good as it was
		}
		is := c.is
		return &is, nil
	}}
}

// Fingerprint returns the SHA-256 of the certificate, as browsers show it.
func (c *Certificate) Fingerprint() string {
	sum := sha256.Sum256(c.is.Certificate[0])
	return strings.ReplaceAll(fmt.Sprintf("% X", sum), " ", ":")
}

// OwnCertificate returns a certificate for names and addresses that nobody vouches for, from a file,
// or makes it there: for its owner alone to read. One that is for other names, or ends soon, is
// replaced.
func OwnCertificate(file string, names []string, now time.Time) (*Certificate, error) {
	text, err := infile.Read(file, mostPEM)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	if err == nil {
		if err := outfile.OnlyMine(file); err != nil {
			return nil, fmt.Errorf("the certificate %s: %w: remove it, and another one is made", file, err)
		}
		if pair, err := tls.X509KeyPair(text, text); err == nil && fits(pair.Leaf, names, now) {
			return &Certificate{is: pair}, nil
		}
	}
	text, err = makeCertificate(names, now)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(text, text)
	if err == nil {
		err = outfile.MakeFolder(filepath.Dir(file))
	}
	if err == nil {
		err = outfile.WriteSecret(file, func(w io.Writer) error { _, err := w.Write(text); return err })
	}
	if err != nil {
		return nil, fmt.Errorf("keep the certificate: %w", err)
	}
	return &Certificate{is: pair}, nil
}

// fits reports whether a certificate is for all of some names, and good for a while.
func fits(c *x509.Certificate, names []string, now time.Time) bool {
	for _, name := range names {
		if c.VerifyHostname(name) != nil {
			return false
		}
	}
	return now.After(c.NotBefore) && now.Add(renewTime).Before(c.NotAfter)
}

// makeCertificate makes a certificate and its key.
func makeCertificate(names []string, now time.Time) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	number, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	of := x509.Certificate{
		SerialNumber: number, Subject: pkix.Name{CommonName: "weir serve"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(ownTime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			of.IPAddresses = append(of.IPAddresses, ip)
		} else {
			of.DNSNames = append(of.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, &of, &of, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), nil
}
