package lab

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir/internal/agent"
	"weir/internal/shell"
	"weir/internal/telemetry"
	"weir/internal/testenv"
)

// quiet is a host in a network namespace in which nothing happens, so that its counters
// stand still.
func quiet(t testing.TB) *shell.Host {
	t.Helper()
	return quietAs(t, "quiet", "")
}

// quietAs is one of that name, whose shells begin with a line.
func quietAs(t testing.TB, name, first string) *shell.Host {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "nsenter")
	holder := exec.Command("unshare", "--net", "--mount", "sh", "-c", "mount -t sysfs none /sys && ip link set lo up && ip link add port0 type veth peer name port1 && echo; exec cat")
	hold, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ready, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hold.Close(); _ = holder.Wait() })
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	h, err := shell.New(t.Context(), name, func(context.Context) (shell.Stream, error) {
		s, err := shellIn(holder.Process.Pid)
		if err == nil {
			_, err = io.WriteString(s.In, first+"\n")
		}
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// shellIn is a shell in the network namespace of a process.
func shellIn(pid int) (s shell.Stream, err error) {
	cmd := exec.Command("nsenter", "--net", "--mount", "--target", fmt.Sprint(pid), "sh")
	if s.In, err = cmd.StdinPipe(); err != nil {
		return s, err
	}
	out, farOut, err := os.Pipe()
	if err != nil {
		return s, err
	}
	errs, farErr, err := os.Pipe()
	if err != nil {
		return s, err
	}
	cmd.Stdout, cmd.Stderr = farOut, farErr
	err = cmd.Start()
	farOut.Close()
	farErr.Close()
	var once sync.Once
	s.Out, s.Err, s.Ended = out, errs, func() error { return io.ErrClosedPipe }
	s.Close = func() error {
		once.Do(func() {
			s.In.Close()
			_ = cmd.Wait() // it ends with its input
			out.Close()
			errs.Close()
		})
		return nil
	}
	return s, err
}

// lookerAt is this program as the agent at a host.
func lookerAt(t testing.TB, h *shell.Host) agent.Looker {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l, err := agent.StartLooker(t.Context(), agent.Place{Host: h, Self: self, Quiet: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return l
}

// What the agent says of a host is what its shell says, to the octet.
func TestLookersAgree(t *testing.T) {
	t.Parallel()
	h := quiet(t)
	folder := t.TempDir()
	var files []string
	for name, text := range map[string]string{
		"plain": "one\ntwo\n", "without an end": "one\ntwo", "empty": "", "blank": "\n\n", "it's": "it's\r\n", "a:b": "c:d\n",
		"latin": "\xe9t\xe9\n\xff\xfe\n", "binary": "a\x00b\n", "long": strings.Repeat("x", 1<<20) + "\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	files = append(files, folder, filepath.Join(folder, "none"), "/proc/version", "/sys/class/net/port0/speed")
	for _, name := range []string{"dev", "snmp", "netstat", "snmp6", "route", "fib_trie", "arp", "if_inet6", "ipv6_route", "tcp", "udp"} {
		files = append(files, "/proc/net/"+name)
	}
	all, err := h.Run(t.Context(), "", "sh", "-c", "ls -d /sys/class/net/port*/* /sys/class/net/lo/statistics/*")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, strings.Fields(all)...)
	commands := [][]string{
		{"printf", "a 'b'\n\n"}, {"printf", `\377\000\n`}, {"cat"}, {"sh", "-c", "echo said >&2; echo $LC_ALL"}, {"sh", "-c", "echo said; exit 3"},
		{"no-such-command"}, {"false"}, {"sh", "-c", "kill -9 $$"}, {"ip", "-d", "-s", "link"}, {"nft", "list", "ruleset"}, {"printf", ""},
	}
	texts, said, err := h.Look(t.Context(), files, commands)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		own, ownSaid, err := lookerAt(t, h).Look(t.Context(), files, commands)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(texts, own); diff != "" {
			t.Errorf("files: %s", diff)
		}
		if diff := cmp.Diff(said, ownSaid); diff != "" {
			t.Errorf("commands: %s", diff)
		}
	}
	if len(texts) < 10 || len(said) < 5 || said[1] != "\xff\x00\n" || !strings.Contains(said[8], "port1") {
		t.Errorf("%d files and %d commands were compared, the link with %q", len(texts), len(said), said[8])
	}
}

// An agent that has ended is replaced by the shell, and between runs by another one, if there
// is one to be copied. What it has left behind goes.
func TestLookerEnds(t *testing.T) {
	t.Parallel()
	h := quiet(t)
	l := &looker{host: h, agent: lookerAt(t, h), folder: t.TempDir()}
	read := func(by string) {
		t.Helper()
		if texts, _, err := l.Look(t.Context(), []string{"/proc/version"}, nil); len(texts) != 1 || err != nil {
			t.Errorf("%d texts, %v", len(texts), err)
		}
		if !strings.HasPrefix(l.String(), by) {
			t.Errorf("read by %v, want %s", l, by)
		}
	}
	read("weir-agent")
	folder := l.folder
	if err := l.again(t.Context()); err != nil || l.folder != folder { // it is there
		t.Errorf("%q, %v", l.folder, err)
	}
	if _, err := h.Run(t.Context(), "", "kill", "-9", fmt.Sprint(l.agent.PID())); err != nil {
		t.Fatal(err)
	}
	read("plain commands: look at quiet ended: ")
	if err := l.again(t.Context()); err != nil || l.folder != "" {
		t.Errorf("%q, %v", l.folder, err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("%s was left behind", folder)
	}
	read("plain commands: there is no weir-agent-") // beside this program of tests
}

// BenchmarkLook compares what a look at a Linux DUT costs: `go test -run '^$' -bench Look`.
func BenchmarkLook(b *testing.B) {
	files := []string{"/proc/stat", "/proc/schedstat", "/proc/interrupts", "/proc/softirqs", "/proc/vmstat", "/proc/meminfo"}
	for _, port := range []string{"port0", "port1"} {
		for _, name := range []string{"rx_dropped", "rx_errors", "rx_missed_errors", "rx_over_errors", "tx_errors", "tx_dropped"} {
			files = append(files, "/sys/class/net/"+port+"/statistics/"+name)
		}
	}
	for _, name := range []string{"snmp", "netstat", "snmp6", "softnet_stat", "dev"} {
		files = append(files, "/proc/net/"+name)
	}
	for name, commands := range map[string][][]string{"files": nil, "commands": {{"ip", "-s", "link"}, {"ip", "-s", "route"}}} {
		h := quiet(b)
		for by, l := range map[string]shell.Looker{"shell": h, "agent": lookerAt(b, h)} {
			b.Run(name+"/"+by, func(b *testing.B) {
				began := ranFor(b, h)
				for b.Loop() {
					if _, _, err := l.Look(b.Context(), files, commands); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((ranFor(b, h)-began).Seconds()*1e3/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// ranFor is how long all programs of a host that are children of this process have run.
func ranFor(b *testing.B, h *shell.Host) time.Duration {
	b.Helper()
	all, err := telemetry.ReadDescendants(b.Context(), h, os.Getpid())
	if err != nil {
		b.Fatal(err)
	}
	return all
}
