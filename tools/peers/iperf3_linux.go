package main

import (
	"context"
	"time"

	"weir/internal/netif"
)

// iperf3 talks to its server over TCP, and its first datagram must be answered,
// before it sends: neither gets past a sink that drops everything. So the
// server has a namespace of its own behind a second veth pair, where everything
// goes at first. Once the client sends, a routing rule for UDP alone sends its
// datagrams to the same address through the measured port instead, and leaves
// the control connection where it is.
const (
	iperf3Client = "198.18.255.1"
	iperf3Server = "198.18.255.2"
	iperf3Table  = "100"
	iperf3Limit  = 5 * time.Second
)

// iperf3 is a client with its server.
type iperf3 struct {
	*process
	server *process
	far    *netif.Namespace // the server's
}

func (i *iperf3) close() {
	for _, p := range []*process{i.process, i.server} {
		if p != nil {
			p.close()
		}
	}
	i.far.Close()
}

// iperf3 sends datagrams of 18 octets, 60 octets with the headers, as fast as
// it can.
func (l *lab) iperf3(ctx context.Context) (source, error) {
	far, err := netif.NewNamespace()
	if err != nil {
		return nil, err
	}
	i := &iperf3{far: far}
	if err := i.open(ctx, l); err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

func (i *iperf3) open(ctx context.Context, l *lab) error {
	near, end := netif.End{Namespace: l.ns, Name: l.port + "c"}, netif.End{Namespace: i.far, Name: l.port + "d"}
	if err := netif.Veth(near, end, 1, 1500); err != nil {
		return err
	}
	if err := l.ns.Do(func() error { return netif.AddAddress(near.Name, iperf3Client+"/30") }); err != nil {
		return err
	}
	if err := i.far.Do(func() error { return netif.AddAddress(end.Name, iperf3Server+"/30") }); err != nil {
		return err
	}
	var err error
	if i.server, err = launch(i.far, []int{sinkCPU}, "iperf3", "--server", "--one-off", "--forceflush", "--bind", iperf3Server); err != nil {
		return err
	}
	if err := i.server.await(ctx, "listening", iperf3Limit); err != nil {
		return err
	}
	if i.process, err = launch(l.ns, []int{sendingCPU}, "iperf3", "--client", iperf3Server, "--forceflush",
		"--udp", "--length", "18", "--bitrate", "0", "--time", "3600"); err != nil {
		return err
	}
	if err := i.process.await(ctx, "connected to", iperf3Limit); err != nil {
		return err
	}
	return l.divertUDP()
}

// divertUDP sends the client's datagrams through the measured port.
func (l *lab) divertUDP() error {
	for _, argv := range [][]string{
		{"ip", "route", "replace", iperf3Server, "dev", l.port, "table", iperf3Table},
		{"ip", "neighbour", "replace", iperf3Server, "lladdr", l.far.String(), "dev", l.port, "nud", "permanent"},
		{"ip", "rule", "add", "ipproto", "udp", "to", iperf3Server, "lookup", iperf3Table},
	} {
		if _, err := command(l.ns, argv...); err != nil {
			return err
		}
	}
	return nil
}
