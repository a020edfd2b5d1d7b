//go:build pppd

package lab

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pppdCapture has all frames that pass the cable, in a file.
type pppdCapture struct {
	file string
	end  func() error
}

// capture begins one at the cable's near end.
func (c *pppdCable) capture(t *testing.T, is pppdCase) *pppdCapture {
	t.Helper()
	p := &pppdCapture{file: filepath.Join(c.keep, is.String()+".pcap")}
	p.end = startCapture(t, c.taps.Space.Do, c.taps.Names[0], p.file)
	return p
}

// dissect ends the capture, and has tshark find each step of the session, and nothing
// malformed.
func (p *pppdCapture) dissect(t *testing.T, is pppdCase) {
	t.Helper()
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	fields := []string{"_ws.malformed", "pppoe.code", "chap.code", "pap.code", "icmp.type", "icmpv6.type", "frame.protocols", "pppoed.tags.max_payload", "frame.number"}
	args := []string{"-n", "-r", p.file, "-T", "fields"}
	for _, name := range fields {
		args = append(args, "-e", name)
	}
	out, err := exec.Command("tshark", args...).Output()
	if err != nil {
		t.Fatalf("tshark: %v", err)
	}
	found := make(map[string]int) // how many frames have a field, and a field with a value
	var malformed []string
	for line := range strings.Lines(string(out)) {
		values := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if values[0] != "" {
			malformed = append(malformed, values[len(values)-1])
		}
		for i, value := range values {
			if value != "" {
				found[fields[i]]++
				found[fields[i]+" "+value]++
			}
		}
	}
	if last := strconv.Itoa(found["frame.number"]); !slices.Equal(malformed, []string{last}) {
		t.Errorf("of %s frames of %s these are malformed: %v, and not the last alone", last, p.file, malformed)
	}
	wanted := []string{"pppoe.code 0x09", "pppoe.code 0x07", "pppoe.code 0x19", "pppoe.code 0x65", "pppoe.code 0xa7", "pppoe.code 0x00"}
	use := []string{"icmp.type 8", "icmp.type 0", "icmpv6.type 128", "icmpv6.type 129", "frame.protocols eth:ethertype:pppoes:ppp:ipcp", "frame.protocols eth:ethertype:pppoes:ppp:ipv6cp"}
	said := map[string][2]string{"chap": {"chap.code 3", "chap.code 4"}, "pap": {"pap.code 2", "pap.code 3"}}[is.proof]
	var none []string
	if is.wrong {
		wanted, none = append(wanted, said[1]), append(use, said[0])
	} else {
		wanted, none = append(append(wanted, use...), said[0]), []string{said[1]}
	}
	if large := "pppoed.tags.max_payload"; is.mtu > 1492 {
		wanted = append(wanted, large)
	} else {
		none = append(none, large)
	}
	for _, what := range wanted {
		if found[what] == 0 {
			t.Errorf("no frame of %s has %s", p.file, what)
		}
	}
	for _, what := range none {
		if found[what] > 0 {
			t.Errorf("%d frames of %s have %s", found[what], p.file, what)
		}
	}
}
