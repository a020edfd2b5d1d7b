package serve

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"

	"weir/internal/tokens"
)

// upload sends a file in a form.
func (s *actionSite) upload(name, text string, headers ...string) (string, *http.Response) {
	s.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	if err := form.WriteField("other", "x"); err != nil {
		s.Fatal(err)
	}
	if name != "" {
		part, err := form.CreateFormFile("file", name)
		if err != nil {
			s.Fatal(err)
		}
		if _, err := part.Write([]byte(text)); err != nil {
			s.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		s.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.Context(), "POST", s.http.URL+"/import", &b)
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return s.do(req)
}

// Who may has weir import a file. A script of sh(1) stands for weir, of which $6 is the file.
func TestImport(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	s := newActionSite(t, Options{Allow: []tokens.Scope{tokens.Import}, Weir: []string{"/bin/sh", "-c", `grep wrong "$6" && { echo "weir: <b>no" >&2; exit 1; }; echo "$*" >&2; echo "[{\"campaign\": \"$(cat "$6")\"}]"`, "weir"}})
	bearer := []string{"Authorization", "Bearer " + s.tokens[tokens.Import]}
	if _, answer := s.upload("a.txt", s.id); answer.StatusCode != 401 {
		t.Errorf("without a token: %d", answer.StatusCode)
	}
	if _, answer := s.upload("a.txt", s.id, "Authorization", "Bearer "+s.tokens[tokens.Run]); answer.StatusCode != 403 {
		t.Errorf("with another scope: %d", answer.StatusCode)
	}
	if text, answer := s.upload("../../a b.txt", s.id, bearer...); answer.StatusCode != 303 || answer.Header.Get("Location") != "c/"+s.id {
		t.Errorf("imported: %d, %s, %s", answer.StatusCode, answer.Header.Get("Location"), text)
	}
	if text, answer := s.upload("a.txt", "wrong", bearer...); answer.StatusCode != 422 || !strings.Contains(text, "It was not imported: weir: &lt;b&gt;no") {
		t.Errorf("a wrong file: %d, %s", answer.StatusCode, text)
	}
	if text, answer := s.upload("", "", bearer...); answer.StatusCode != 422 || !strings.Contains(text, "There is no file") {
		t.Errorf("no file: %d, %s", answer.StatusCode, text)
	}
	if text, answer := s.upload("a.txt", strings.Repeat("x", mostImport+2*mostForm), bearer...); answer.StatusCode != 413 || !strings.Contains(text, "too large") {
		t.Errorf("a large file: %d, %s", answer.StatusCode, text)
	}
	if _, answer := s.send("/import", note, bearer...); answer.StatusCode != 400 {
		t.Errorf("a form without files: %d", answer.StatusCode)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	s.signIn(tokens.Import)
	if text, answer := s.send("/import", nil); answer.StatusCode != 200 || !strings.Contains(text, "64 MiB") {
		t.Errorf("the form is %d, %s", answer.StatusCode, text)
	}
}

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"result.csv": "file-result.csv", "../../etc/passwd": "file-.._.._etc_passwd", "-rf": "file--rf", "a b;c\x00d": "file-a_b_c_d", strings.Repeat("x", 300) + ".csv": "file-" + strings.Repeat("x", 76) + ".csv",
	} {
		if got := fileName(name); got != want {
			t.Errorf("%q is called %q", name, got)
		}
	}
}
