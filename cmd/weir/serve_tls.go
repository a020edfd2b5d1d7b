package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"weir/internal/serve"
)

// tlsFlags are those that say what a server shows by TLS.
type tlsFlags struct {
	cert, key string
	own       bool
}

// check refuses what does not go together.
func (f tlsFlags) check() error {
	switch {
	case (f.cert == "") != (f.key == ""):
		return errors.New("a certificate and its key belong together: give --tls-cert and --tls-key")
	case f.own && f.cert != "":
		return errors.New("--tls-cert and --tls-self-signed both say which certificate: leave one out")
	}
	return nil
}

// wanted reports whether the server is to have TLS.
func (f tlsFlags) wanted() bool { return f.own || f.cert != "" }

// certificate returns what the server shows, and nil without TLS. One of its own lies in a folder.
func (f tlsFlags) certificate(at netip.Addr, folder string) (*serve.Certificate, error) {
	switch {
	case f.cert != "":
		return serve.LoadCertificate(f.cert, f.key)
	case f.own:
		names, err := namesOf(at)
		if err != nil {
			return nil, err
		}
		return serve.OwnCertificate(filepath.Join(folder, "serve-tls.pem"), names, time.Now)
	}
	return nil, nil
}

// namesOf returns the names and addresses that a browser may call a server by that listens at an
// address.
func namesOf(at netip.Addr) ([]string, error) {
	names := []string{"localhost"}
	if host, err := os.Hostname(); err == nil {
		names = append(names, host)
	}
	if !at.IsUnspecified() {
		return append(names, at.WithZone("").String()), nil
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("find the addresses of this machine: %w", err)
	}
	for _, a := range all {
		if of, err := netip.ParsePrefix(a.String()); err == nil && !slices.Contains(names, of.Addr().String()) {
			names = append(names, of.Addr().String())
		}
	}
	return names, nil
}

// tellCertificate says which certificate of weir's own is shown, and why it could not be kept.
func (a *app) tellCertificate(c *serve.Certificate, kept error) {
	if kept != nil {
		fmt.Fprintf(a.err, "weir: the certificate cannot be kept, and the next start makes another one: %v\n", kept)
	}
	if !a.quiet {
		fmt.Fprintf(a.err, "the certificate is weir's own: browsers ask; its SHA-256 is %s\n", c.Fingerprint())
	}
}

// add adds the flags of TLS.
func (f *tlsFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.cert, "tls-cert", "", "`file` of the certificate to show, in PEM, with those that vouch for it")
	cmd.Flags().StringVar(&f.key, "tls-key", "", "`file` of its key")
	cmd.Flags().BoolVar(&f.own, "tls-self-signed", false, "show a certificate that weir makes, and keeps beside the tokens")
}
