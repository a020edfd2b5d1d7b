package tester_test

import (
	"context"
	"fmt"
	"testing"
	"time"
	"weir"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/testbed"
	"weir/internal/tester"
)

func TestDbg(t *testing.T) {
	lab, err := testbed.OpenNetns(testbed.NetnsConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	p, _ := dut.ByName("linux")
	p.Forward(context.Background(), lab.DUT(), setup(weir.IPv4))
	x, err := tester.OpenXDP(tester.XDPConfig{Namespace: lab.Tester, Ports: [2]weir.Port(lab.DUT().Ports), Self: &lab.Self, CPUs: lab.CPUs(), Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, h := range []weir.Host{lab.DUT().Host, lab.TesterHost()} {
		for _, c := range [][]string{{"ip", "-d", "link"}, {"sh", "-c", "for d in /sys/class/net/w*; do echo $d $(cat $d/threaded $d/operstate) $(ethtool -k ${d##*/} | grep -E '^generic-rec'); ethtool -S ${d##*/} | grep -v ': 0'; done"}, {"ip", "addr"}, {"ip", "neigh"}} {
			o, err := h.Run(context.Background(), "", c...)
			fmt.Println(h.Name(), o, err)
		}
	}
	tr := weir.Traffic{Name: "64", Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 1}
	tr.Forward, tr.Reverse = frame.DefaultStreams(weir.IPv4)
	r, err := x.Measure(context.Background(), weir.Trial{Traffic: tr, Intended: 1000, Duration: time.Second})
	fmt.Printf("%+v %v\n", r, err)
	for _, h := range []weir.Host{lab.DUT().Host, lab.TesterHost()} {
		for _, c := range [][]string{{"sh", "-c", "for d in /sys/class/net/w*; do echo $d; ethtool -S ${d##*/} | grep -v ': 0'; done"}, {"ip", "-s", "link"}, {"sh", "-c", "cat /proc/net/snmp | head -2; ps -eLo comm,psr,time,stat | grep napi"}} {
			o, err := h.Run(context.Background(), "", c...)
			fmt.Println(h.Name(), o, err)
		}
	}
}
