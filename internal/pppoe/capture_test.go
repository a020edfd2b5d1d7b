package pppoe

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"weir/internal/testenv"
)

// TestSessionsInTheEyesOfADissector writes whole sessions, from discovery to
// termination, by PAP and by CHAP, of 1492 octets and more, and one that is
// refused. An independent dissector finds each step, and nothing malformed
// but what was added to see that it would.
func TestSessionsInTheEyesOfADissector(t *testing.T) {
	testenv.NeedTool(t, "tshark")
	var frames [][]byte
	for _, c := range []struct {
		auth   Protocol
		secret string
	}{{PAP, "s3cret"}, {CHAP, "s3cret"}, {CHAP, "wrong"}} {
		client, ac := clientConfig(PAP, CHAP), concentratorConfig(c.auth)
		client.Link.Secret = c.secret
		client.MaxPayload, ac.MaxPayload = 1508, 1508
		w := join(t, client, ac)
		w.start()
		w.run(time.Minute)
		w.does(0, w.client.Close("", w.now))
		w.run(time.Minute)
		if w.ac.Sessions() > 0 || w.ac.Counts.Established != 1 {
			t.Fatalf("%+v", w.ac.Counts)
		}
		frames = append(frames, w.sent...)
	}
	bad := session{own: hostMAC, peer: acMAC, id: 1} // two that are to be found: one with a wrong length, one that is cut
	cut := bad.frame(Session, []byte{0xc0, 0x21, 9, 1, 0, 8, 1, 2})
	frames = append(frames, bad.frame(Session, control{configureRequest, 1, []byte{optionMRU, 40}}.append([]byte{0xc0, 0x21})), cut)
	file := filepath.Join(t.TempDir(), "sessions.pcap")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := pcapgo.NewWriter(f)
	if err := w.WriteFileHeader(65536, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	for i, b := range frames {
		info := gopacket.CaptureInfo{Timestamp: start.Add(time.Duration(i) * time.Millisecond), CaptureLength: len(b), Length: len(b)}
		if err := w.WritePacket(info, b); err != nil {
			t.Fatal(err)
		}
	}
	fields := []string{"frame.number", "_ws.malformed", "_ws.expert.severity", "pppoe.code", "pap.code", "chap.code", "pap.peer_id",
		"pppoed.tags.ac_cookie", "pppoed.tags.max_payload", "pppoed.tags.host_uniq", "ipcp.opt.pri_dns_address", "ipv6cp.opt.interface_identifier"}
	args := []string{"-n", "-r", file, "-T", "fields"}
	for _, name := range fields {
		args = append(args, "-e", name)
	}
	out, err := exec.Command("tshark", args...).Output()
	if err != nil {
		t.Fatalf("tshark: %v", err)
	}
	found := make(map[string]int) // how many frames have a field, and a field with a value
	for line := range strings.Lines(string(out)) {
		for i, value := range strings.Split(strings.TrimSuffix(line, "\n"), "\t") {
			if value != "" {
				found[fields[i]]++
				found[fields[i]+" "+value]++
			}
		}
	}
	for what, want := range map[string]int{
		"frame.number": len(frames), "_ws.malformed": 1, "_ws.expert.severity": 2,
		"pppoe.code 0x09": 3, "pppoe.code 0x07": 3, "pppoe.code 0x19": 3, "pppoe.code 0x65": 3, "pppoe.code 0xa7": 4,
		"pppoed.tags.ac_cookie": 6, "pppoed.tags.max_payload": 12, "pppoed.tags.host_uniq": 12,
		"pap.code 1": 1, "pap.code 2": 1, "pap.peer_id ann": 1,
		"chap.code 1": 2, "chap.code 2": 2, "chap.code 3": 1, "chap.code 4": 1,
		"ipcp.opt.pri_dns_address 0.0.0.0": 2, "ipcp.opt.pri_dns_address 9.9.9.9": 6,
		"ipv6cp.opt.interface_identifier": 8,
	} {
		if found[what] != want {
			t.Errorf("%s: %d frames, want %d", what, found[what], want)
		}
	}
}
