package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir/internal/packages"
	"weir/internal/plan"
	"weir/internal/testbed"
)

// What a plan needs and this machine does not have is told before anything is
// touched, all of it, with what to do.
func TestLacks(t *testing.T) {
	hook := "dut: {reset_hook: ["
	for name, c := range map[string]struct {
		plan      string
		want, not []string
	}{
		"no tools":       {"", []string{"there is no ip here, which the plan needs for every lab: " + packages.Advice("iproute2")}, []string{"nft", "snmpd", "dut.", "testbed."}},
		"CPUs":           {"testbed: {cpus: {generator: [4000]}}\n", []string{"testbed.cpus: there is no CPU 4000", "leave them out", "no ip here"}, nil},
		"a hook":         {hook + "/nonexist]}\n", []string{`dut.reset_hook: "/nonexist" cannot be run (stat /nonexist: no such file or directory): give the path`}, nil},
		"a hook by name": {hook + "no-such-program]}\n", []string{"executable file not found in $PATH"}, nil},
		"a hook that is": {hook + "/bin/sh, -c, true]}\n", nil, []string{"reset_hook"}},
		"filters":        {"modifiers: [plain, {filters: 25}]\n", []string{"there is no nft here, which the plan needs for filters", packages.Advice("nftables")}, nil},
		"a policer":      {"dut: {policer: {kind: tbf, rate: 10k}}\n", []string{packages.Advice("iproute2")}, []string{"nft", "no tc"}},
	} {
		t.Run(name, func(t *testing.T) {
			noTools(t)
			p, err := plan.Parse("test.yaml", []byte(c.plan+"traffic: {sizes: [64]}\nmethods: [frmol]\n"))
			if err != nil {
				t.Fatal(err)
			}
			err = Check(p)
			if err == nil {
				t.Fatal("a plan without tools is accepted")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it does not say %q: %v", want, err)
				}
			}
			for _, not := range c.not {
				if strings.Contains(err.Error(), not) {
					t.Errorf("it says %q: %v", not, err)
				}
			}
			if err := Check(p.WithTestbed(plan.SimulatedTestbed())); err != nil {
				t.Errorf("on a simulated DUT: %v", err)
			}
		})
	}
}

// Which tools a plan needs.
func TestTools(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "ip",
		"modifiers: [plain, {filters: 25}]\n": "ip nft",
		"modifiers: [plain, management]\n":    "ip snmpd",
		"modifiers: [updates]\n":              "ip bird birdc",
		"modifiers: [{routes: {count: 1k, via: bgp}}]\n":               "ip bird birdc",
		"modifiers: [{routes: 1k}]\n":                                  "ip",
		"modifiers: [{firewall: stateful}]\n":                          "ip nft conntrack",
		"modifiers: [{firewall: {kind: stateless, with: iptables}}]\n": "ip iptables ip6tables",
		"modifiers: [{firewall: {kind: nat, with: iptables}}]\n":       "ip iptables ip6tables conntrack",
		"modifiers: [{qdisc: pfifo}]\n":                                "ip tc",
		"modifiers: [{gro: on}]\n":                                     "ip ethtool",
		"dut: {policer: {kind: nft, rate: 10k}}\n":                     "ip nft",
		"dut: {policer: {kind: tbf, rate: 10k}}\n":                     "ip tc",
	} {
		p, err := plan.Parse("test.yaml", []byte(text+"traffic: {sizes: [64]}\nmethods: [frmol]\n"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tool := range Tools {
			if tool.needed(p) {
				got = append(got, tool.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q needs %v, want %s", text, got, want)
		}
	}
}

// The check of the tools lists what is missing once for each package, and what
// it is for.
func TestCheckTools(t *testing.T) {
	noTools(t)
	f := checkTools(t.Context())
	if f.Status != Missing || !strings.HasPrefix(f.Remedy, "weir doctor --fix") || !strings.Contains(f.Remedy, packages.Advice("iproute2", "nftables")) {
		t.Errorf("%+v", f)
	}
}

// noTools leaves a test without any, wherever they lie.
func noTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	before := testbed.SystemFolders
	testbed.SystemFolders = nil
	t.Cleanup(func() { testbed.SystemFolders = before })
}

// A tool that is a link to BusyBox is not there.
func TestBusyBoxIsNoTool(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	for _, name := range []string{"busybox", "a-tool-of-weirs"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("busybox", filepath.Join(folder, "another-tool")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a-tool-of-weirs": true, "another-tool": false, "no-tool": false} {
		if got := (Tool{Name: name}).Present(); got != want {
			t.Errorf("%s is present: %v", name, got)
		}
	}
}
