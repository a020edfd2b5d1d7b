package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir/internal/settings"
)

// Numbers of a port are raised where they can be, and those that only send stay.
func TestRaise(t *testing.T) {
	const head = "Channel parameters for eth1:\nPre-set maximums:\n"
	for _, tt := range []struct {
		name, kind, most, now string
		least                 int
		want                  string
	}{
		{"rings to their maximum", settings.Rings, "RX:\t4096\nTX:\t4096\n", "RX:\t256\nTX:\t512\n", 0, "rx 4096 tx 512"},
		{"as many queues as CPUs", settings.Channels, "RX:\tn/a\nTX:\tn/a\nCombined:\t8\n", "RX:\tn/a\nTX:\tn/a\nCombined:\t1\n", 3, "combined 3"},
		{"more queues than CPUs stay", settings.Channels, "Combined:\t8\n", "Combined:\t6\n", 3, "combined 6"},
		{"more queues than there can be with XDP", settings.Channels, "Combined:\t2\n", "Combined:\t4\n", 1, "combined 2"},
		{"fewer than CPUs, where there are no more", settings.Channels, "Combined:\t2\n", "Combined:\t1\n", 3, "combined 2"},
		{"queues of their own", settings.Channels, "RX:\t4\nTX:\t4\nCombined:\tn/a\n", "RX:\t1\nTX:\t1\nCombined:\tn/a\n", 2, "rx 2 tx 1"},
		{"rings that send alone", settings.Rings, "RX:\tn/a\nTX:\t4096\n", "RX:\tn/a\nTX:\t512\n", 0, "tx 512"},
		{"queues that send alone", settings.Channels, "RX:\tn/a\nTX:\t4\n", "RX:\tn/a\nTX:\t1\n", 2, "tx 1"},
		{"queues of their own where there could be others", settings.Channels, "RX:\t8\nTX:\t8\nCombined:\t8\n", "RX:\t4\nTX:\t4\nCombined:\t0\n", 4, "rx 4 tx 4 combined 0"},
	} {
		has := settings.ParseCounts(head + tt.most + "Current hardware settings:\n" + tt.now)
		raise(has, tt.least)
		if got := settings.Value(tt.kind, has.Now); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What a driver refuses is told from what went wrong.
func TestRefusal(t *testing.T) {
	said := func(script string) error {
		_, err := Machine("here", nil).Run(t.Context(), "", "sh", "-c", script)
		return err
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, stopped := Machine("here", nil).Run(ended, "", "sleep", "9")
	unsupported := said("echo netlink error: Operation not supported >&2; exit 1")
	for name, tt := range map[string]struct {
		err   error
		words string
		ok    bool
	}{
		"not supported":    {unsupported, " (netlink error: Operation not supported)", true},
		"of a journal":     {errors.Join(unsupported, nil), " (netlink error: Operation not supported)", true},
		"with the journal": {errors.Join(unsupported, os.ErrPermission), "", false},
		"none":             {fmt.Errorf("no table: %w", settings.ErrNone), "", true},
		"gone":             {said("echo netlink error: No such device >&2; exit 1"), " (netlink error: No such device)", false},
		"killed":           {said("kill -9 $$"), "", false},
		"stopped":          {stopped, "", false},
		"the disk":         {os.ErrPermission, "", false},
		"nothing":          {nil, "", false},
	} {
		if words, ok := refusal(tt.err); words != tt.words || ok != tt.ok {
			t.Errorf("%s: %q %v, want %q %v", name, words, ok, tt.words, tt.ok)
		}
	}
}

// Interrupts are found by their names, and are the device's own. Those that are there
// already are not written to.
func TestInterrupting(t *testing.T) {
	proc, device := t.TempDir(), t.TempDir()
	list := func(number string) string { return filepath.Join(proc, "irq", number, "smp_affinity_list") }
	for number, at := range map[string]string{"40": "0-1", "41": "0", "42": "0-1", "43": "0-1", "44": "0-1"} {
		if err := os.MkdirAll(filepath.Dir(list(number)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(list(number), []byte(at+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const interrupts = `           CPU0       CPU1
 40:          1          0  PCI-MSIX-0000:00:01.0   0-edge      eth1
 41:          0          1  PCI-MSIX-0000:00:01.0   1-edge      eth1-TxRx-0
 42:          0          1  PCI-MSIX-0000:00:01.0   2-edge      eth1-TxRx-1
 43:          0          1  PCI-MSIX-0000:00:02.0   1-edge      eth1-TxRx-0
 44:          0          1  PCI-MSIX-0000:00:01.0   3-edge      eth1-TxRx-2
NMI:          0          0   Non-maskable interrupts
`
	if err := os.WriteFile(filepath.Join(proc, "interrupts"), []byte(interrupts), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{"40", "41", "42", "44"} { // 43 is another device's
		if err := os.MkdirAll(filepath.Join(device, "msi_irqs", number), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := func(wanted ...string) error {
		c := interrupting(proc, device, wanted)
		_, err := Machine("here", nil).Run(t.Context(), "", c.Argv...)
		return err
	}
	if err := run("eth1-TxRx-0=1", "eth1-TxRx-1=0-1", "eth1-TxRx-9=1", "eth1=0,3"); err != nil {
		t.Fatal(err)
	}
	for number, want := range map[string]string{"40": "0,3", "41": "1", "42": "0-1", "43": "0-1", "44": "0-1"} {
		if got, err := os.ReadFile(list(number)); err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("interrupt %s is on CPUs %q, want %s; %v", number, got, want, err)
		}
	}
}
