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

	own     ownCertificate            // how another one is made in its place; without a file it is not weir's own
	Renewed func(*Certificate, error) // is told of one that was made in its place, and why it could not be kept; nil
}

// An ownCertificate is where weir keeps one of its own, and what it is for.
type ownCertificate struct {
	file  string
	names []string
	now   func() time.Time
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
		is, renewed, err := c.current()
		if renewed && c.Renewed != nil {
			c.Renewed(c, err)
		}
		return &is, nil
	}}
}

// current returns the certificate as it is now, and takes another one in place of one of weir's own that ends
// soon. One of which err says why it cannot be kept in the file counts until the server ends.
func (c *Certificate) current() (is tls.Certificate, renewed bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cert != "" {
		_ = c.load() // the one of before is as good as it was
	}
	if c.own.file == "" || fits(c.is.Leaf, c.own.names, c.own.now()) {
		return c.is, false, nil
	}
	pair, text, err := makePair(c.own.names, c.own.now())
	if err != nil {
		return c.is, false, nil // the next connection tries again
	}
	c.is = pair
	return c.is, true, keepCertificate(c.own.file, text)
}

// Fingerprint returns the SHA-256 of the certificate, as browsers show it.
func (c *Certificate) Fingerprint() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := sha256.Sum256(c.is.Certificate[0])
	return strings.ReplaceAll(fmt.Sprintf("% X", sum), " ", ":")
}

// OwnCertificate returns a certificate for names and addresses that nobody vouches for, from a file,
// or makes it there: for its owner alone to read. One that is for other names, or ends soon, is
// replaced, also while the server runs.
func OwnCertificate(file string, names []string, now func() time.Time) (*Certificate, error) {
	own := ownCertificate{file, names, now}
	text, err := infile.Read(file, mostPEM)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	if err == nil {
		if err := outfile.OnlyMine(file); err != nil {
			return nil, fmt.Errorf("the certificate %s: %w: remove it, and another one is made", file, err)
		}
		if pair, err := tls.X509KeyPair(text, text); err == nil && fits(pair.Leaf, names, now()) {
			return &Certificate{is: pair, own: own}, nil
		}
	}
	pair, text, err := makePair(names, now())
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	if err := keepCertificate(file, text); err != nil {
		return nil, fmt.Errorf("keep the certificate: %w", err)
	}
	return &Certificate{is: pair, own: own}, nil
}

// keepCertificate writes a certificate and its key into a file.
func keepCertificate(file string, text []byte) error {
	if err := outfile.MakeFolder(filepath.Dir(file)); err != nil {
		return err
	}
	return outfile.WriteSecret(file, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// makePair makes a certificate, as it is shown and as it is kept.
func makePair(names []string, now time.Time) (pair tls.Certificate, text []byte, err error) {
	if text, err = makeCertificate(names, now); err == nil {
		pair, err = tls.X509KeyPair(text, text)
	}
	return pair, text, err
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
