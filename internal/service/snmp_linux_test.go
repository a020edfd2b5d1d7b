package service_test

import (
	"testing"
	"time"

	"weir"
	"weir/internal/agent"
	"weir/internal/netif"
	"weir/internal/service"
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
	if err := manager.Begin(ctx, 1500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond)
	if q, err := manager.Report(ctx); err != nil || q != (weir.Queries{Sent: 2, Answered: 2}) {
		t.Errorf("%+v, %v; want 2 queries in 1.5 s, answered", q, err)
	}
}
