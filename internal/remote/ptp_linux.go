package remote

import (
	"context"
	"strconv"
	"strings"
	"time"

	"weir"
)

// PTP is what the PTP daemon of a machine (ptp4l of linuxptp) says of the clock that it
// sets. A clock's identity has the form f6713d.fffe.ad9d6e.
type PTP struct {
	Own         string        `json:"own"`         // the identity of that clock
	Parent      string        `json:"parent"`      // that of the one it follows; its own, where it follows none
	Grandmaster string        `json:"grandmaster"` // that of the one that all of them follow
	Offset      time.Duration `json:"offset"`      // from the parent, as last measured
	Delay       time.Duration `json:"delay"`       // of the path to it, the mean of both ways
	Measured    time.Duration `json:"measured"`    // when the offset was, on that clock
	Hardware    bool          `json:"hardware"`    // the clock is that of a network card, and not the system's
	Interface   string        `json:"interface"`   // whose card that is
}

// bound is how far that clock may be off its parent's: by the offset, and by as much as the
// two ways of the path may differ, which is twice their mean, and half of which goes into
// the offset.
func (p PTP) bound() time.Duration {
	if p.Parent == p.Own {
		return 0
	}
	return p.Offset.Abs() + p.Delay
}

// pmc asks the daemon of its machine.
var pmc = []string{"pmc", "-u", "-b", "0", "GET DEFAULT_DATA_SET", "GET PARENT_DATA_SET", "GET TIME_STATUS_NP", "GET CURRENT_DATA_SET", "GET PORT_PROPERTIES_NP"}

// askPTP asks the daemon of a machine; nil: it has none that answers.
func askPTP(ctx context.Context, h weir.Host) *PTP {
	ctx, cancel := context.WithTimeout(ctx, quietLimit)
	defer cancel()
	said, err := h.Run(ctx, "", pmc...)
	if err != nil {
		return nil
	}
	return parsePTP(said)
}

// parsePTP reads what pmc says: of each answer a heading, and a name and a value a line.
// Where one of them is missing, it says nothing.
func parsePTP(said string) *PTP {
	values, ports := make(map[string]string), []map[string]string{}
	into := values
	for line := range strings.Lines(said) {
		switch f := strings.Fields(line); {
		case strings.Contains(line, " RESPONSE MANAGEMENT PORT_PROPERTIES_NP"):
			into = make(map[string]string)
			ports = append(ports, into)
		case strings.Contains(line, " MANAGEMENT "):
			into = values
		case len(f) == 2:
			into[f[0]] = f[1]
		}
	}
	whole := true
	number := func(name string) time.Duration {
		text, _, _ := strings.Cut(values[name], ".") // what is less than 1 ns
		v, err := strconv.ParseInt(text, 10, 64)
		whole = whole && err == nil
		return time.Duration(v)
	}
	parent, _, _ := strings.Cut(values["parentPortIdentity"], "-") // of a port
	p := PTP{
		Own: values["clockIdentity"], Parent: parent, Grandmaster: values["grandmasterIdentity"],
		Offset: number("master_offset"), Delay: number("meanPathDelay"), Measured: number("ingress_time"),
	}
	port := p.port(ports)
	p.Hardware, p.Interface = port["timestamping"] != "SOFTWARE", port["interface"]
	if !whole || p.Own == "" || p.Parent == "" || p.Grandmaster == "" || p.Interface == "" {
		return nil
	}
	return &p
}

// port is that of the daemon's ports by which it follows its parent, or serves others. One
// that is not calibrated follows as well: its offset is measured, and has not been mended.
func (p PTP) port(all []map[string]string) map[string]string {
	wanted := []string{"SLAVE", "UNCALIBRATED"}
	if p.Parent == p.Own {
		wanted = []string{"MASTER", "GRAND_MASTER"}
	}
	for _, state := range wanted {
		for _, port := range all {
			if port["portState"] == state {
				return port
			}
		}
	}
	return nil
}
