package endhost

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir"
)

// serving is the role "http-serve" of a test, and the address of its files.
func serving(t *testing.T, folder string) (url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	at, serve, err := serveHTTP(ctx, ServeHTTP{Address: loopback[weir.IPv4], Folder: folder, Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve() }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return fmt.Sprintf("http://127.0.0.1:%d/", at.Port)
}

// request is what a server answers.
func request(t *testing.T, method, url, user, password string, body io.Reader) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(user, password)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(said)
}

func TestServeHTTP(t *testing.T) {
	above := t.TempDir()
	folder := filepath.Join(above, "files")
	if err := os.MkdirAll(filepath.Join(folder, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{"secret": "not for you", "files/old": strings.Repeat("old", 100_000)} {
		if err := os.WriteFile(filepath.Join(above, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/full", filepath.Join(folder, "full")); err != nil {
		t.Fatal(err)
	}
	url := serving(t, folder)
	for _, c := range []struct {
		name, method, path, user, password, body string
		code                                     int
		said                                     string
	}{
		{"a file is sent", "GET", "old", HTTPUser, "secret", "", 200, strings.Repeat("old", 100_000)},
		{"a file is taken", "PUT", "new", HTTPUser, "secret", "new text", 201, ""},
		{"and sent again", "GET", "new", HTTPUser, "secret", "", 200, "new text"},
		{"not without the password", "GET", "old", HTTPUser, "wrong", "", 401, "wrong user or password\n"},
		{"nor for others", "PUT", "old", "root", "secret", "x", 401, "wrong user or password\n"},
		{"what is not there", "GET", "never", HTTPUser, "secret", "", 404, "openat never: no such file or directory\n"},
		{"a folder", "GET", "sub", HTTPUser, "secret", "", 500, "sub is no file\n"},
		{"the folder itself", "GET", "", HTTPUser, "secret", "", 500, "openat : empty path\n"},
		{"above the folder", "GET", "%2e%2e/secret", HTTPUser, "secret", "", 500, "openat ../secret: path escapes from parent\n"},
		{"out of it by a link", "PUT", "full", HTTPUser, "secret", "x", 500, "openat full: path escapes from parent\n"},
		{"another method", "DELETE", "old", HTTPUser, "secret", "", 405, "DELETE is not for files\n"},
	} {
		code, said := request(t, c.method, url+c.path, c.user, c.password, strings.NewReader(c.body))
		if code != c.code || said != c.said {
			t.Errorf("%s: got %d %.80q, want %d %.80q", c.name, code, said, c.code, c.said)
		}
	}
}

func TestServeHTTPRefuses(t *testing.T) {
	for settings, want := range map[string]string{
		`{"address":"127.0.0.1","folder":"/"}`:                        "a password",
		`{"address":"127.0.0.1","folder":"/no/such","password":"x"}`:  "/no/such",
		`{"address":"198.51.100.1","folder":"/tmp","password":"x"}`:   "cannot assign",
		`{"address":"127.0.0.1","folder":"/tmp","passwort":"secret"}`: "passwort",
	} {
		_, err := Roles["http-serve"](t.Context(), []byte(settings))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", settings, err, want)
		}
	}
}
