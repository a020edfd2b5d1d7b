package audit

import (
	"context"
	"slices"
	"strings"

	"weir/internal/settings"
)

// offloads looks for offloads of a device that are on.
func offloads(ctx context.Context, s *site, l link, severity Severity, names ...string) ([]Finding, error) {
	text, err := s.ethtool(ctx, "-k", l.Name)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, name := range names {
		state, fixed := settings.ParseFeature(text, name)
		if state != "on" {
			continue
		}
		f := Finding{Severity: severity, What: name, Found: "on", Wanted: "off"}
		if fixed {
			f.Advice = "the driver does not let it be changed; take another port"
		} else {
			f.mends = []mend{{settings.Setting{Kind: settings.Feature, Device: l.Name, Name: name}, "off"}}
		}
		found = append(found, f)
	}
	return found, nil
}

func checkLRO(ctx context.Context, s *site, l link) ([]Finding, error) {
	return offloads(ctx, s, l, Spoils, "large-receive-offload")
}

func checkUDPGRO(ctx context.Context, s *site, l link) ([]Finding, error) {
	return offloads(ctx, s, l, Doubtful, "rx-udp-gro-forwarding", "rx-gro-list")
}

func checkGRO(ctx context.Context, s *site, l link) ([]Finding, error) {
	return offloads(ctx, s, l, Note, "generic-receive-offload", "rx-gro-hw", "tcp-segmentation-offload")
}

// checkXDP looks for a program that somebody left at the driver.
func checkXDP(_ context.Context, _ *site, l link) ([]Finding, error) {
	if len(l.XDP) == 0 {
		return nil, nil
	}
	return []Finding{{Severity: Spoils, Found: "a program is attached", Wanted: "none",
		Remedy: []string{"ip link set dev " + l.Name + " xdp off"}}}, nil
}

// What queueing disciplines do to frames.
var (
	plainQdiscs   = []string{"noqueue", "mq", "pfifo_fast", "pfifo", "bfifo", "noop", "mqprio", "multiq"}
	shapingQdiscs = []string{"tbf", "netem", "htb", "hfsc", "cbq", "cbs", "etf", "taprio", "gred", "red", "pie"}
)

func checkShaper(ctx context.Context, s *site, l link) ([]Finding, error) {
	text, err := s.run(ctx, "tc", "-j", "qdisc", "show", "dev", l.Name)
	if err != nil {
		return nil, err
	}
	var qdiscs []struct {
		Kind string `json:"kind"`
		Root bool   `json:"root"`
	}
	if err := fromJSON(text, &qdiscs); err != nil {
		return nil, err
	}
	var found []Finding
	var seen []string
	for _, q := range qdiscs {
		if slices.Contains(plainQdiscs, q.Kind) || slices.Contains(seen, q.Kind) {
			continue
		}
		seen = append(seen, q.Kind)
		f := Finding{Severity: Note, Found: q.Kind, Wanted: "none that shapes, delays or marks",
			Remedy: []string{"tc qdisc replace dev " + l.Name + " root pfifo"},
			Reason: "it decides by time or flow what is dropped, so results for bursts and delay under load are its own"}
		switch {
		case slices.Contains(shapingQdiscs, q.Kind):
			f.Severity, f.Reason = Spoils, "" // that of the table
			f.Remedy = []string{"tc qdisc del dev " + l.Name + " root"}
		case q.Kind == "ingress" || q.Kind == "clsact":
			f.Severity, f.Reason = Doubtful, "filters may be attached to it, which each frame is held against"
			f.Remedy = []string{"tc qdisc del dev " + l.Name + " " + q.Kind}
		case strings.HasSuffix(q.Kind, "cake"):
			f.Severity = Doubtful
		}
		found = append(found, f)
	}
	return found, nil
}
