package service_test

import (
	"fmt"
	"testing"
	"time"

	"weir/internal/agent"
	"weir/internal/netif"
	"weir/internal/service"
	"weir/internal/testbed"
	"weir/internal/testenv"
)

func TestSNMPAgent(t *testing.T) {
	bed := lab(t, "snmpd")
	ctx := t.Context()
	snmp, err := service.StartSNMPAgent(ctx, atDUT(bed), service.SNMPConfig{Local: near[0], Manager: near[1], Community: "lab"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := snmp.Stop(ctx); err != nil {
			t.Error(err)
		}
	}()
	var index int
	if err := bed.InDUT(func() (err error) {
		index, err = netif.Index(bed.DUT().Ports[0].DUT)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	manager, err := agent.StartManager(ctx, atTester(bed), agent.ManagerSettings{Target: near[0], Community: "lab", Interface: index})
	if err != nil {
		t.Fatal(err)
	}
	if err := manager.Await(ctx); err != nil {
		t.Fatal(err)
	}
	received, sent := datagrams(t, bed)
	began := time.Now()
	if err := manager.Begin(ctx, time.Hour); err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "the DUT has two queries", func() bool {
		n, _ := datagrams(t, bed)
		return n >= received+2
	})
	q, err := manager.Report(ctx)
	most := 1 + uint64(time.Since(began)/time.Second)
	if err != nil || q.Sent < 2 || q.Sent > most || q.Answered < q.Sent && q.Fault == "" { // an answer may be late
		t.Errorf("%+v, %v; want 2 to %d queries, answered", q, err, most)
	}
	testenv.Await(t, "snmpd has read every query", func() bool {
		n, _ := datagrams(t, bed)
		return n >= received+q.Sent
	})
	if came, gone := datagrams(t, bed); came != received+q.Sent || gone < sent+q.Answered {
		t.Errorf("%+v, and the DUT has had %d and sent %d", q, came-received, gone-sent)
	}
}

// datagrams are those that the DUT has received and sent.
func datagrams(t *testing.T, bed *testbed.Netns) (received, sent uint64) {
	t.Helper()
	said, err := bed.DUT().Host.Run(t.Context(), "", "awk", "/^Udp: [0-9]/ {print $2, $5}", "/proc/net/snmp")
	if err == nil {
		_, err = fmt.Sscan(said, &received, &sent)
	}
	if err != nil {
		t.Fatal(err)
	}
	return received, sent
}
