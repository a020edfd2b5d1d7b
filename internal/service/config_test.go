package service

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"weir"
)

func TestSessionState(t *testing.T) {
	const said = `BIRD 2.0.12 ready.
Name       Proto      Table      State  Since         Info
tester     BGP        ---        start  09:46:11.152  Passive
`
	if got := sessionState(said); got != "start 09:46:11.152 Passive" {
		t.Errorf("%q", got)
	}
	if got := sessionState("BIRD 2.0.12 ready.\n"); got != "unknown" {
		t.Errorf("%q", got)
	}
}

func TestSNMPConfig(t *testing.T) {
	got := snmpConfig(SNMPConfig{Local: netip.MustParseAddr("198.18.0.1"), Manager: netip.MustParseAddr("198.18.0.2"), Community: "lab"})
	const want = "agentAddress udp:198.18.0.1:161\nrocommunity lab 198.18.0.2 .1.3.6.1.2.1\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// bare is a host on which no program is installed.
type bare struct{}

func (bare) Name() string { return "bare" }
func (bare) Run(_ context.Context, _ string, argv ...string) (string, error) {
	return "", errors.New(argv[0] + ": exit status 127")
}
func (bare) ReadFile(context.Context, string) (string, error) { return "", errors.New("no file") }
func (bare) WriteFile(context.Context, string, string) error  { return errors.New("no file") }

func TestNotInstalled(t *testing.T) {
	_, err := StartBIRD(t.Context(), Place{Host: bare{}}, BIRDConfig{})
	var unsupported *weir.UnsupportedError
	if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "install the package bird2") {
		t.Errorf("%v", err)
	}
	if _, err = StartSNMPAgent(t.Context(), Place{Host: bare{}}, SNMPConfig{}); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "install the package snmpd") {
		t.Errorf("%v", err)
	}
}

func TestTrieRoutes(t *testing.T) {
	const stat = "Basic info: size of leaf: 48 bytes, size of tnode: 40 bytes.\nLocal:\n\tAver depth:     1.00\n\tPrefixes:       4\n" +
		"Main:\n\tAver depth:     2.50\n\tMax depth:      6\n\tLeaves:         10000\n\tPrefixes:       10009\n\tInternal nodes: 7\n"
	if n, err := trieRoutes(stat); n != 10009 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := trieRoutes("Basic info: size of leaf: 48 bytes, size of tnode: 40 bytes.\n"); n != 0 || err != nil {
		t.Errorf("no table: %d, %v", n, err)
	}
	if _, err := trieRoutes("\nMain:\n"); err == nil {
		t.Error("a table without a count was read")
	}
}

func TestRT6Routes(t *testing.T) {
	if n, err := rt6Routes("0005 0003 001c 07d5 0000 0001 0000\n"); n != 2005 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := rt6Routes("0005\n"); err == nil {
		t.Error("half a line was read")
	}
}
