package remote

import (
	"os"
	"strings"
	"testing"
)

const (
	grandmaster = "f6713d.fffe.ad9d6e"
	follower    = "f63404.fffe.c0ef27"
)

// saidBy is what pmc of linuxptp 3.1.1 said of two ptp4l over a pair of veth, which stamped
// in software and set no clock.
func saidBy(t *testing.T, name string) string {
	t.Helper()
	said, err := os.ReadFile("testdata/pmc-" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

func TestPTP(t *testing.T) {
	for name, want := range map[string]PTP{
		"follower":    {Own: follower, Parent: grandmaster, Grandmaster: grandmaster, Offset: -395, Delay: 1687, Measured: 1795520588724045949, Interface: "e2"},
		"grandmaster": {Own: grandmaster, Parent: grandmaster, Grandmaster: grandmaster, Interface: "e1"},
	} {
		said := saidBy(t, name)
		if p := parsePTP(said); p == nil || *p != want {
			t.Errorf("%s: %+v", name, p)
		}
		hardware := strings.ReplaceAll(said, "SOFTWARE", "HARDWARE")
		if p := parsePTP(hardware); p == nil || !p.Hardware {
			t.Errorf("%s with a clock in its card: %+v", name, p)
		}
		for _, gone := range []string{"clockIdentity", "parentPortIdentity", "grandmasterIdentity", "master_offset", "ingress_time", "meanPathDelay", "interface", "portState"} {
			if p := parsePTP(strings.ReplaceAll(said, gone, "other")); p != nil {
				t.Errorf("%s without %s: %+v", name, gone, p)
			}
		}
	}
	if p := parsePTP("sending: GET TIME_STATUS_NP\n"); p != nil {
		t.Errorf("without a daemon: %+v", p)
	}
}

// Of several ports the one counts by which a machine follows; of one that follows by none
// nothing is known.
func TestPTPPorts(t *testing.T) {
	more := "\tf63404.fffe.c0ef27-2 seq 4 RESPONSE MANAGEMENT PORT_PROPERTIES_NP \n" +
		"\t\tportIdentity            f63404.fffe.c0ef27-2\n\t\tportState               MASTER\n" +
		"\t\ttimestamping            HARDWARE\n\t\tinterface               e3\n"
	said := saidBy(t, "follower")
	for _, all := range []string{said + more, strings.ReplaceAll(said, "UNCALIBRATED", "SLAVE") + more} {
		if p := parsePTP(all); p == nil || p.Interface != "e2" || p.Hardware {
			t.Errorf("%+v", p)
		}
	}
	if p := parsePTP(strings.ReplaceAll(said, "UNCALIBRATED", "LISTENING") + more); p != nil {
		t.Errorf("of one that follows by no port: %+v", p)
	}
}
