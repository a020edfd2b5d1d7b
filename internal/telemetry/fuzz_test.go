package telemetry

import (
	"math"
	"testing"

	"weir"
)

// FuzzSources has all that a machine may say parsed: files of the kernel, and
// ethtool.
func FuzzSources(f *testing.F) {
	f.Add("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4\nctxt 5\n")
	f.Add("           CPU0       CPU1\n 24:   1   2   PCI-MSI  eth1-TxRx-0\n")
	f.Add("0000272d 00000000 00000001 00000000\n")
	f.Add("Ip: Forwarding DefaultTTL\nIp: 1 64\nUdp: InDatagrams\nUdp: x\n")
	f.Add("NIC statistics:\n     rx_dropped: 5\n     peer_ifindex: 7\n")
	f.Fuzz(func(t *testing.T, text string) {
		subject := Subject{Ports: []weir.Port{{Tester: "t0", DUT: "d0"}}, CPUs: []int{0, 1}, Threads: []int{7}}
		a := answers{texts: map[string]string{}, matches: map[string][]string{}}
		for _, s := range Sources() {
			w := s.wants(subject)
			for _, path := range append(w.files, w.names...) {
				a.texts[path], a.matches[path] = text, []string{path}
			}
			for _, c := range w.commands {
				a.texts[c.key()] = text
			}
		}
		for _, s := range Sources() {
			samples, _ := s.parse(subject, a)
			for _, is := range samples {
				if math.IsNaN(is.value) || math.IsInf(is.value, 0) {
					t.Errorf("%s: %+v of %q", s.Name, is, text)
				}
			}
		}
		_, _ = parseAvailable(text)
		_, _ = parseSymbols(text)
		_, _ = parseCPU(text)
		_, _ = parseCPUs(text, []int{0})
	})
}
