package audit

import (
	"context"
	"errors"
	"testing"
)

// parrot is a host that answers all questions alike.
type parrot string

func (parrot) Name() string                                             { return "parrot" }
func (p parrot) Run(context.Context, string, ...string) (string, error) { return string(p), nil }
func (p parrot) ReadFile(context.Context, string) (string, error)       { return string(p), nil }
func (p parrot) WriteFile(context.Context, string, string) error {
	return errors.New("it cannot write")
}

// FuzzAudit audits a machine that says anything, as ip and ethtool and the kernel's
// files.
func FuzzAudit(f *testing.F) {
	f.Add(`[{"ifname":"eth1","link_type":"ether","mtu":1500,"flags":["UP"]}]`)
	f.Add("Pause parameters for eth1:\nAutonegotiate:\toff\nRX:\t\ton\n")
	f.Add("0-3\n")
	f.Add("198.18.0.2 dev eth1 lladdr 02:00:00:00:00:01 STALE\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, devices := range [][]string{nil, {"eth1"}} {
			_, _ = Look(t.Context(), Config{Host: parrot(text), Devices: devices})
		}
		_, _ = parseMoment(text)
	})
}
