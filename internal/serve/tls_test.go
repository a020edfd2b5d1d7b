package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weir/internal/tokens"
)

func TestOwnCertificate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "some folder", "tls.pem")
	now := time.Now()
	made := func(now time.Time, names ...string) string {
		t.Helper()
		c, err := OwnCertificate(file, names, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := c.is.Leaf.VerifyHostname(name); err != nil {
				t.Error(err)
			}
		}
		return c.Fingerprint()
	}
	first := made(now, "localhost", "192.0.2.1", "2001:db8::1")
	if len(first) != 95 || strings.Trim(first, "0123456789ABCDEF:") != "" {
		t.Errorf("the fingerprint is %q", first)
	}
	if is, err := os.Stat(file); err != nil || is.Mode() != 0o600 {
		t.Errorf("the file is %v, %v", is, err)
	}
	if again := made(now.Add(ownTime-renewTime-time.Hour), "localhost", "192.0.2.1"); again != first {
		t.Error("another one was made")
	}
	if other := made(now, "localhost", "192.0.2.2"); other == first {
		t.Error("it stays for another address")
	}
	if later := made(now.Add(ownTime-renewTime+time.Hour), "192.0.2.2"); later == first {
		t.Error("it stays when it ends soon")
	}
	if err := os.Chmod(file, 0o606); err != nil {
		t.Fatal(err)
	}
	if _, err := OwnCertificate(file, nil, time.Now); err == nil {
		t.Error("one that others could have written was taken")
	}
}

// A certificate of weir's own that ends soon is replaced while the server runs.
func TestRenewedCertificate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tls.pem")
	now, told := time.Now(), ""
	c, err := OwnCertificate(file, []string{"localhost"}, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	var kept error
	c.Renewed = func(c *Certificate, err error) { told, kept = c.Fingerprint(), err } // which another connection may ask for, too
	shown := func() *x509.Certificate {
		t.Helper()
		is, err := c.Config().GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		return is.Leaf
	}
	first := shown()
	if now = now.Add(ownTime - renewTime - time.Hour); !shown().Equal(first) || told != "" {
		t.Error("it is replaced before it is time")
	}
	now = now.Add(2 * time.Hour)
	if second := shown(); second.Equal(first) || !second.NotAfter.After(now.Add(ownTime-time.Hour)) || told != c.Fingerprint() || kept != nil {
		t.Errorf("it stays until %v, and %q is told", second.NotAfter, told)
	}
	again, err := OwnCertificate(file, []string{"localhost"}, func() time.Time { return now })
	if err != nil || again.Fingerprint() != told {
		t.Errorf("the file has another one: %v", err)
	}
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Dir(file), nil, 0o600); err != nil { // where nothing can be kept
		t.Fatal(err)
	}
	if now = now.Add(ownTime); !shown().NotAfter.After(now) || kept == nil || told != c.Fingerprint() {
		t.Errorf("one that cannot be kept is none, or nobody is told: %v", kept)
	}
}

// A certificate that takes the place of another one counts without a restart; files that do not fit
// each other do not.
func TestLoadCertificate(t *testing.T) {
	folder := t.TempDir()
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	written := time.Now()
	write := func(file string) {
		t.Helper()
		text, err := makeCertificate([]string{"localhost"}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range strings.Fields(file) {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			written = written.Add(time.Second)
			if err := os.Chtimes(file, written, written); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(cert + " " + key)
	c, err := LoadCertificate(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	shown := func() string {
		t.Helper()
		if _, err := c.Config().GetCertificate(nil); err != nil {
			t.Fatal(err)
		}
		return c.Fingerprint()
	}
	first := shown()
	write(key)
	if shown() != first {
		t.Error("a key of another certificate counts")
	}
	write(cert + " " + key)
	if shown() == first {
		t.Error("the certificate of before counts")
	}
	write(key)
	if _, err := LoadCertificate(cert, key); err == nil || !strings.Contains(err.Error(), "key.pem") {
		t.Errorf("a key of another certificate is taken: %v", err)
	}
	if _, err := LoadCertificate(cert, filepath.Join(folder, "none")); err == nil {
		t.Error("a key that is not there is taken")
	}
}

// By TLS, where others can reach it, the site shows who has no token nothing but the form to sign in.
func TestGuarded(t *testing.T) {
	s := newActionSite(t, Options{Guarded: true, TLS: &tls.Config{}, Allow: []tokens.Scope{tokens.Annotate}})
	for _, path := range []string{"/", "/c/" + s.id, "/c/" + s.id + "/report.json", "/c/" + s.id + "/badge.svg", "/c/" + s.id + "/events", "/metrics", "/changes.atom", "/compare", "/history", "/api/campaigns", "/api/openapi.json", "/nothing", "/static/", "/static/../c/" + s.id} {
		if text, answer := s.send(path, nil, "Accept", "*/*"); answer.StatusCode != 401 && answer.StatusCode != 301 && answer.StatusCode != 307 || strings.Contains(text, s.id+"-") {
			t.Errorf("%s without a token: %d, %.300s", path, answer.StatusCode, text)
		}
	}
	if _, answer := s.send("/?q=x", nil); answer.StatusCode != 303 || answer.Header.Get("Location") != "sign-in?next=%3Fq%3Dx" {
		t.Errorf("a person without a session: %d, %s", answer.StatusCode, answer.Header.Get("Location"))
	}
	for path, want := range map[string]string{"/sign-in?next=c/x": `href="./c/x"`, "/static/weir.css": "--c0"} {
		if text, answer := s.send(path, nil); answer.StatusCode != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d, %.300s", path, answer.StatusCode, text)
		}
	}
	if _, answer := s.send("/", nil, "Authorization", "Bearer "+s.tokens[tokens.Annotate]); answer.StatusCode != 403 {
		t.Errorf("a token of another scope: %d", answer.StatusCode)
	}
	if text, answer := s.send("/api/campaigns", nil, "Authorization", "Bearer "+s.tokens[tokens.Read]); answer.StatusCode != 200 || !strings.Contains(text, s.id) {
		t.Errorf("a token that may read: %d", answer.StatusCode)
	}
	answer := s.signIn(tokens.Read)
	if c := answer.Cookies(); len(c) != 1 || !c[0].Secure || !strings.HasPrefix(c[0].Name, "__Host-weir") || c[0].Path != "/" {
		t.Errorf("the cookie is %v", c)
	}
	if _, answer := s.send("/c/"+s.id, nil, "Cookie", answer.Cookies()[0].Name+"="+answer.Cookies()[0].Value); answer.StatusCode != 200 {
		t.Errorf("with a session: %d", answer.StatusCode)
	}
}

// A server with a certificate speaks TLS, and nothing else.
func TestTLS(t *testing.T) {
	c, err := OwnCertificate(filepath.Join(t.TempDir(), "tls.pem"), []string{"127.0.0.1"}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s := newActionSite(t, Options{})
	served := New(Options{Store: s.path, Log: s.Server.Log, TLS: c.Config()})
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- served.Serve(ctx, on) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	known := x509.NewCertPool()
	known.AddCert(c.is.Leaf)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: known}}}
	defer client.CloseIdleConnections()
	at := url.URL{Scheme: "https", Host: on.Addr().String(), Path: "/static/weir.css"}
	answer, err := client.Get(at.String())
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 200 || answer.TLS.Version < tls.VersionTLS12 || answer.Header.Get("Strict-Transport-Security") != "" {
		t.Errorf("it answers %d by TLS %x", answer.StatusCode, answer.TLS.Version)
	}
	at.Scheme = "http"
	if answer, err := client.Get(at.String()); err == nil && answer.StatusCode == 200 {
		t.Error("it answers without TLS")
	}
}
