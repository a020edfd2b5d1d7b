package remote

import (
	"strings"
	"testing"
	"time"
)

// What pmc says, as Red Hat's System Administrator's Guide (18.5) and the source of
// linuxptp have it; no PTP daemon of a machine has said it here.
const pmcSaid = `sending: GET PARENT_DATA_SET
sending: GET TIME_STATUS_NP
sending: GET CURRENT_DATA_SET
	90e2ba.fffe.20c7f8-0 seq 0 RESPONSE MANAGEMENT PARENT_DATA_SET
		parentPortIdentity                    00a069.fffe.0b552d-1
		parentStats                           0
		grandmasterIdentity                   00a069.fffe.0b552d
	90e2ba.fffe.20c7f8-0 seq 1 RESPONSE MANAGEMENT TIME_STATUS_NP
		master_offset              -310
		ingress_time               1361545089345029441
		cumulativeScaledRateOffset +1.000000000
		lastGmPhaseChange          0x0000'0000000000000000.0000
		gmPresent                  true
		gmIdentity                 00a069.fffe.0b552d
	90e2ba.fffe.20c7f8-0 seq 2 RESPONSE MANAGEMENT CURRENT_DATA_SET
		stepsRemoved     1
		offsetFromMaster -142.0
		meanPathDelay    9310.0
`

func TestPTP(t *testing.T) {
	p := parsePTP(pmcSaid)
	if p == nil || *p != (PTP{"00a069.fffe.0b552d", -310, 9310}) || p.Bound() != 9620*time.Nanosecond {
		t.Errorf("%+v", p)
	}
	for _, name := range []string{"master_offset", "meanPathDelay", "grandmasterIdentity"} {
		if p := parsePTP(strings.ReplaceAll(pmcSaid, name, "other")); p != nil {
			t.Errorf("without %s: %+v", name, p)
		}
	}
	if p := parsePTP("sending: GET TIME_STATUS_NP\n"); p != nil {
		t.Errorf("without a daemon: %+v", p)
	}
}

// Two machines whose clocks are not one have no latencies, whatever PTP says of them; what
// it says is told.
func TestClocks(t *testing.T) {
	one, other := parsePTP(pmcSaid), parsePTP(strings.ReplaceAll(pmcSaid, "00a069", "00a06a"))
	for _, c := range []struct {
		shared bool
		a, b   *PTP
		want   string
	}{
		{true, nil, nil, "one for sender and receiver: latencies are one-way"},
		{false, one, nil, "two that are not proven to agree: latencies are left out"},
		{false, one, other, "two of different PTP grandmasters, 00a069.fffe.0b552d and 00a06a.fffe.0b552d: latencies are left out"},
		{false, one, one, "agree to within 19.24µs; that of frames is the kernel's"},
	} {
		p := pair(c.shared, 0)
		p.sides[0].told.PTP, p.sides[1].told.PTP = c.a, c.b
		if said := p.Clocks(); !strings.Contains(said, c.want) {
			t.Errorf("%q, want %q", said, c.want)
		}
	}
}
