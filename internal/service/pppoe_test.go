package service

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/settings"
)

var update = flag.Bool("update", false, "write the transcripts of what programs are told anew")

// scribe is a host that writes down what it is told, and does nothing.
type scribe struct {
	told    strings.Builder
	refused string // a command that fails
}

func (*scribe) Name() string { return "scribe" }

func (s *scribe) Run(_ context.Context, stdin string, argv ...string) (string, error) {
	line := strings.Join(argv, " ")
	switch {
	case strings.Contains(line, "command -v"):
		return "/sbin/" + argv[len(argv)-1], nil
	case strings.Contains(line, "mktemp"):
		return "/tmp/weir-x", nil
	case strings.Contains(line, "cat >"):
		fmt.Fprintf(&s.told, "%s:\n%s", argv[len(argv)-1], stdin)
		return "", nil
	}
	fmt.Fprintln(&s.told, "$", line)
	if s.refused != "" && strings.HasPrefix(line, s.refused) {
		return "", errors.New("refused")
	}
	return "", nil
}
func (*scribe) ReadFile(context.Context, string) (string, error) { return "", errors.New("no file") }
func (*scribe) WriteFile(context.Context, string, string) error  { return errors.New("no file") }

func (s *scribe) Start(_ context.Context, p weir.Program) (*weir.Process, error) {
	fmt.Fprintf(&s.told, "start in %s, with what it starts (%v): %s\n", p.Dir, p.Family, strings.Join(p.Argv, " "))
	ended := make(chan struct{})
	in, out := io.Pipe()
	return &weir.Process{PID: 7, Stdin: out, Stdout: in, Wait: func() error { <-ended; return nil }, Stop: func(context.Context) error {
		fmt.Fprintln(&s.told, "stop")
		close(ended)
		return nil
	}}, nil
}

// The lines of the transcripts: all that can be described, and the least.
func pppoeLine(server bool) PPPoE {
	l := PPPoE{Interface: "em0", Service: "line", Name: "weir", Proofs: []string{"chap", "pap"}, IPv6: true,
		Users: []PPPoEUser{{Name: "ann", Secret: "s3cret", Address: netip.MustParseAddr("10.9.9.9")}}}
	if server {
		l.Users = append(l.Users, PPPoEUser{Name: "bob", Secret: "b"})
		l.Local, l.Pool, l.Sessions = netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2"), 100
		l.DNS = []netip.Addr{netip.MustParseAddr("9.9.9.9"), netip.MustParseAddr("8.8.4.4")}
	}
	return l
}

func leastLine(server bool) PPPoE {
	l := PPPoE{Interface: "em0", Proofs: []string{"pap"}, Users: []PPPoEUser{{Name: "ann", Secret: "s3cret"}}}
	if server {
		l.Name, l.Local, l.Pool, l.Sessions = "weir", netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2"), 1
	}
	return l
}

// Each program is told the same line in words of its own, and nothing of it stays: what it
// is told is in the transcripts, which say whether it was ever run.
func TestPPPoEPrograms(t *testing.T) {
	for _, p := range PPPoEPrograms {
		role := map[bool]string{false: "client", true: "server"}[p.Server]
		text := fmt.Sprintf("# What %s of %s is told as a %s. It runs in `make test-pppd`.\n", p.Name, p.System, role)
		if p.Documented {
			text = fmt.Sprintf("# What %s of %s is told as a %s. From documentation, not yet run.\n", p.Name, p.System, role)
		}
		for _, line := range []PPPoE{pppoeLine(p.Server), leastLine(p.Server)} {
			if p.Name == "rp-pppoe" { // which has no addresses of users
				line.Users[0].Address = netip.Addr{}
			}
			host, undo := &scribe{}, &settings.Undo{}
			if _, err := p.Start(t.Context(), Place{Host: host, Folder: "/tmp"}, line, undo); err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			if err := undo.Run(t.Context()); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
			text += "\n" + sortedFiles(host.told.String())
		}
		path := filepath.Join("testdata", "pppoe", p.Name+"-"+role+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), text); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// sortedFiles has the files of a transcript in the order of their names.
func sortedFiles(told string) string {
	files, rest := make(map[string]string), ""
	name := ""
	for line := range strings.Lines(told) {
		if strings.HasPrefix(line, "/tmp/weir-x/") && strings.HasSuffix(line, ":\n") {
			name = line
			files[name] = ""
		} else if strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "start ") || line == "stop\n" {
			name = ""
			rest += line
		} else {
			files[name] += line
		}
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out.WriteString(name + files[name])
	}
	return out.String() + rest
}

// A line that cannot be told is refused before anything is made, with the reason; a mount
// that fails leaves nothing.
func TestPPPoERefused(t *testing.T) {
	find := func(name string, server bool) PPPoEProgram {
		return PPPoEPrograms[slices.IndexFunc(PPPoEPrograms, func(p PPPoEProgram) bool { return p.Name == name && p.Server == server })]
	}
	for _, c := range []struct {
		name   string
		server bool
		change func(*PPPoE)
		want   string
	}{
		{"pppd", false, func(l *PPPoE) { l.Users[0].Secret = "two words" }, `secret of ann "two words": only printable ASCII`},
		{"pppd", false, func(l *PPPoE) { l.Users = append(l.Users, l.Users[0]) }, "a client is one user, and not 2"},
		{"pppd", false, func(l *PPPoE) { l.Interface = "" }, "the line has no interface"},
		{"pppd", false, func(l *PPPoE) { l.Proofs = []string{"eap"} }, `proof "eap": there are chap and pap`},
		{"rp-pppoe", true, func(*PPPoE) {}, `user "ann" has an address of their own: rp-pppoe gives those of its pool`},
		{"rp-pppoe", true, func(l *PPPoE) { l.Proofs = nil }, "no proof by which users say who they are"},
		{"accel-ppp", true, func(l *PPPoE) { l.Pool = netip.Addr{} }, "an IPv4 address of its own, and a pool of them"},
		{"mpd5", true, func(l *PPPoE) { l.MTU = 1500 }, "as a concentrator mpd5 does not know RFC 4638, and carries 1492 octets at most"},
		{"ppp", false, func(l *PPPoE) { l.MTU = 1500 }, "ppp(8) does not know RFC 4638"},
		{"pppoed", true, func(l *PPPoE) { l.Sessions = 255 }, "not 255 from 10.0.0.2 on: give it a smaller one"},
	} {
		line, host := pppoeLine(c.server), &scribe{}
		c.change(&line)
		var undo settings.Undo
		if _, err := find(c.name, c.server).Start(t.Context(), Place{Host: host}, line, &undo); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if told := host.told.String(); told != "" {
			t.Errorf("%s was refused, and the host was told %s", c.name, told)
		}
	}
	host, undo := &scribe{refused: "mount_nullfs"}, &settings.Undo{}
	if _, err := find("pppoed", true).Start(t.Context(), Place{Host: host, Folder: "/tmp"}, pppoeLine(true), undo); err == nil {
		t.Error("a program runs without its files")
	}
	if err := undo.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if told := host.told.String(); strings.Contains(told, "start") || strings.Contains(told, "umount") || !strings.HasSuffix(told, "$ rm -rf /tmp/weir-x\n") {
		t.Errorf("after a mount that failed the host was told %s", told)
	}
}

// What has secrets in it is in a folder that the journal knows before it is made, where no
// folder of a lab is.
func TestPPPoESecrets(t *testing.T) {
	host, undo := &scribe{}, &settings.Undo{}
	if _, err := PPPoEPrograms[0].Start(t.Context(), Place{Host: host}, pppoeLine(false), undo); err != nil {
		t.Fatal(err)
	}
	if err := undo.Run(t.Context()); err != nil {
		t.Error(err)
	}
	first, _, _ := strings.Cut(host.told.String(), "\n")
	folder, made := strings.CutPrefix(first, "$ mkdir -m 700 /tmp/weir-pppoe-")
	if !made || !strings.HasSuffix(host.told.String(), "$ rm -rf /tmp/weir-pppoe-"+folder+"\n") {
		t.Errorf("the host was told %s", host.told.String())
	}
}

func TestRanges(t *testing.T) {
	for n, want := range map[int]string{
		1: "[[10.0.0.250 10.0.0.250]]", 6: "[[10.0.0.250 10.0.0.255]]", 300: "[[10.0.0.250 10.0.0.255] [10.0.1.0 10.0.1.255] [10.0.2.0 10.0.2.37]]",
	} {
		if got := fmt.Sprint(ranges(netip.MustParseAddr("10.0.0.250"), n)); got != want {
			t.Errorf("%d addresses: %s, want %s", n, got, want)
		}
	}
}
