//go:build pppd

package lab

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/internal/agent"
	"weir/internal/shell"
)

// pppdSpace is a namespace of the machine's, as a host of its own.
type pppdSpace struct {
	*shell.Host
	name string
}

func (s pppdSpace) inside(argv []string) []string {
	return slices.Concat([]string{"/bin/ip", "netns", "exec", s.name}, argv) // in full: programs of busybox prefer their own ip
}

func (s pppdSpace) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	return s.Host.Run(ctx, stdin, s.inside(argv)...)
}

func (s pppdSpace) Start(ctx context.Context, p weir.Program) (*weir.Process, error) {
	p.Argv = s.inside(p.Argv)
	return s.Host.Start(ctx, p)
}

// kernelLine is an access line of the kernel's between two namespaces of the machine: it
// leads both families, as large as the session carries, is counted, and is undone.
func (c *pppdCable) kernelLine(t *testing.T) {
	const (
		set   = "ip netns add near && ip netns add far && ip link add near0 netns near type veth peer name far0 netns far && ip -n near link set near0 up && ip -n far link set far0 up"
		clear = "ip netns del near; ip netns del far"
	)
	c.run(t, c.machine, "sh", "-c", set)
	t.Cleanup(func() {
		c.nothingLeft(t)
		if _, err := c.machine.Run(context.Background(), "", "sh", "-c", clear); err != nil {
			t.Error(err)
		}
	})
	end := func(name, other string) lineEnd {
		at := map[string][2]string{"near": {"10.0.0.2", "fd00::2"}, "far": {"10.0.0.1", "fd00::1"}}
		e := lineEnd{name: name, place: agent.Place{Host: pppdSpace{c.machine, name}}, port: name + "0", own: map[weir.Family]netip.Addr{}}
		for i, f := range []weir.Family{weir.IPv4, weir.IPv6} {
			e.own[f] = netip.MustParseAddr(at[name][i])
			e.behind = append(e.behind, host(netip.MustParseAddr(at[other][i])))
		}
		return e
	}
	line := &accessLine{ends: [2]lineEnd{end("near", "far"), end("far", "near")}}
	if err := line.dialKernel(t.Context(), ""); err != nil {
		t.Error(err)
	} else {
		c.useLine(t, line)
	}
	if err := line.hangUp(t.Context()); err != nil {
		t.Error(err)
	}
}

func (c *pppdCable) useLine(t *testing.T, line *accessLine) {
	if line.mtu != 1492 {
		t.Errorf("the line carries %d octets", line.mtu)
	}
	near := line.ends[0].place.Host
	for to, size := range map[string]string{"10.0.0.1": "1464", "fd00::1": "1444"} {
		said := c.run(t, near, "ping", "-c", "3", "-W", "10", "-s", size, to)
		if !strings.Contains(said, "3 packets transmitted, 3 packets received") {
			t.Errorf("%s: %s", to, said)
		}
	}
	counts, err := line.counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, is := range counts {
		if is.Sent < 6 || is.Received < 6 || is.CPU <= 0 {
			t.Errorf("%s has come to %+v", line.ends[i].name, is)
		}
	}
	if err := line.alive(); err != nil {
		t.Error(err)
	}
	if err := line.ends[1].service.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := line.ends[0].service.End(); err == nil || line.alive() == nil {
		t.Errorf("without a concentrator pppd has ended with %v", err)
	}
}
