package main

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// long is a plan that takes longer than anybody waits for it.
const long = `name: long
testbed: {kind: sim}
traffic: {sizes: [64]}
factors: {firewall: [none, stateful]}
methods: [{method: throughput, trial: 20ms}]
runs: 5000
`

// program makes the test's program weir, in a folder with a store and tokens of its own, and runs it as
// an ordinary user: root serves nothing.
func program(t *testing.T) func(args ...string) *exec.Cmd {
	t.Helper()
	const nobody = 65534
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	weir := filepath.Join(folder, "weir")
	if err := os.WriteFile(weir, text, 0o755); err != nil {
		t.Fatal(err)
	}
	var as *syscall.SysProcAttr
	if os.Geteuid() == 0 {
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if err := errors.Join(os.Chmod(filepath.Dir(folder), 0o755), os.Chown(folder, nobody, nobody)); err != nil {
			t.Fatal(err)
		}
	}
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command(weir, args...)
		cmd.Dir, cmd.SysProcAttr = folder, as
		cmd.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+filepath.Join(folder, "config"), "WEIR_STORE="+filepath.Join(folder, "data", "weir.db"))
		return cmd
	}
}

// printed runs a command to its end, and returns what it prints.
func printed(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// await asks until an answer has something, and returns it.
func await(t *testing.T, want string, ask func() string) string {
	t.Helper()
	for end := time.Now().Add(10 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		got := ask()
		if strings.Contains(got, want) {
			return got
		}
		if time.Now().After(end) {
			t.Fatalf("it never has %q: %s", want, got)
		}
	}
}

// A weir that is controlled takes a line on standard input for a Ctrl-C, and so it does its end: when
// the program is gone that has started it, and nobody reads what it says any more.
func TestControlled(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(io.WriteCloser){
		"a line":  func(in io.WriteCloser) { io.WriteString(in, "\n") },
		"its end": func(in io.WriteCloser) { in.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			weir := program(t)
			cmd := weir("run", "--controlled", "--id", "20261130-1200-000000-0123456789", "long.yaml")
			if err := os.WriteFile(filepath.Join(cmd.Dir, "long.yaml"), []byte(long), 0o644); err != nil {
				t.Fatal(err)
			}
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			said, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			list := func() string { return printed(t, weir("list", "campaigns", "--format", "json")) }
			await(t, `"state": "under way"`, list)
			said.Close()
			end(in)
			if err := cmd.Wait(); err == nil || err.Error() != "exit status 130" {
				t.Errorf("it ended with %v", err)
			}
			if got := list(); !strings.Contains(got, `"campaign": "20261130-1200-000000-0123456789"`) || !strings.Contains(got, `"ended": "interrupted"`) {
				t.Errorf("the store has %s", got)
			}
		})
	}
}

// A server measures what who may sends, and at its end stops that in order.
func TestServeMeasures(t *testing.T) {
	t.Parallel()
	weir := program(t)
	token := printed(t, weir("serve", "token", "add", "me", "--scope", "run"))
	server := weir("serve", "--address", "127.0.0.1:0", "--allow", "run")
	said, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	at := regexp.MustCompile(`http://[^/]+`).FindString(line)
	if err != nil || at == "" {
		t.Fatal(line, err)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	send := func(method, path string, form url.Values) (string, *http.Response) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, at+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text), answer
	}
	if text, answer := send("POST", "/measure", url.Values{"plan": {"methods: [no such]"}}); answer.StatusCode != 422 || !strings.Contains(text, "plan.yaml:1") {
		t.Errorf("a wrong plan: %d, %s", answer.StatusCode, text)
	}
	if text, answer := send("POST", "/measure", url.Values{"plan": {long}}); answer.StatusCode != 303 {
		t.Errorf("a plan: %d, %s", answer.StatusCode, text)
	}
	job := await(t, `href="../c/`, func() string { text, _ := send("GET", "/measure/2", nil); return text })
	id := regexp.MustCompile(`\.\./(c/[0-9a-f-]+)`).FindStringSubmatch(job)[1]
	await(t, "data-live", func() string { text, _ := send("GET", "/"+id, nil); return text })
	if err := server.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, said); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if got := printed(t, weir("list", "campaigns", "--format", "json")); !strings.Contains(got, `"ended": "interrupted"`) {
		t.Errorf("the store has %s", got)
	}
}
