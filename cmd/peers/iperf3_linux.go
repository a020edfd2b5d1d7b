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

// iperf3 sends datagrams of 18 octets, 60 octets with the headers, as fast as
// it can.
func (l *lab) iperf3(ctx context.Context) (flow, error) {
	far, err := netif.NewNamespace()
	if err != nil {
		return flow{}, err
	}
	undo := []func(){far.Close}
	f := flow{stop: func() {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
	}}
	client, err := l.iperf3Start(ctx, far, &undo)
	if err != nil {
		f.stop()
		return flow{}, err
	}
	f.ended = client.ended
	return f, nil
}

// iperf3Start adds to undo what has to be undone.
func (l *lab) iperf3Start(ctx context.Context, far *netif.Namespace, undo *[]func()) (*process, error) {
	control := l.port + "c"
	near, end := netif.End{Namespace: l.ns, Name: control}, netif.End{Namespace: far, Name: l.port + "d"}
	if err := netif.Veth(near, end, 1, 1500); err != nil {
		return nil, err
	}
	if err := near.Namespace.Do(func() error { return netif.AddAddress(near.Name, iperf3Client+"/30") }); err != nil {
		return nil, err
	}
	if err := far.Do(func() error { return netif.AddAddress(end.Name, iperf3Server+"/30") }); err != nil {
		return nil, err
	}
	server, err := start(far, []int{sinkCPU}, "iperf3", "--server", "--one-off", "--forceflush", "--bind", iperf3Server)
	if err != nil {
		return nil, err
	}
	*undo = append(*undo, server.stop)
	if err := server.await(ctx, "listening", iperf3Limit); err != nil {
		return nil, err
	}
	client, err := start(l.ns, []int{sendingCPU}, "iperf3", "--client", iperf3Server, "--forceflush",
		"--udp", "--length", "18", "--bitrate", "0", "--time", "3600")
	if err != nil {
		return nil, err
	}
	*undo = append(*undo, client.stop)
	if err := client.await(ctx, "connected to", iperf3Limit); err != nil {
		return nil, err
	}
	return client, l.divertUDP(undo)
}

// divertUDP sends the client's datagrams through the measured port.
func (l *lab) divertUDP(undo *[]func()) error {
	rule := []string{"ipproto", "udp", "to", iperf3Server, "lookup", iperf3Table}
	for _, argv := range [][]string{
		{"ip", "route", "replace", iperf3Server, "dev", l.port, "table", iperf3Table},
		{"ip", "neighbour", "replace", iperf3Server, "lladdr", l.far.String(), "dev", l.port, "nud", "permanent"},
		append([]string{"ip", "rule", "add"}, rule...),
	} {
		if _, err := command(l.ns, argv...); err != nil {
			return err
		}
	}
	*undo = append(*undo, func() { _, _ = command(l.ns, append([]string{"ip", "rule", "del"}, rule...)...) })
	return nil
}
