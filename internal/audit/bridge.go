package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weir/internal/settings"
)

// bridges are those that the ports are part of, or are themselves.
func (s *site) bridges() []string {
	var found []string
	for _, l := range s.all {
		used := slices.ContainsFunc(s.links, func(p link) bool { return p.Name == l.Name || p.Master == l.Name })
		if l.Info.Kind == "bridge" && used {
			found = append(found, l.Name)
		}
	}
	return found
}

func checkSTP(ctx context.Context, s *site) ([]Finding, error) {
	if len(s.bridges()) == 0 {
		return nil, errNone
	}
	var found []Finding
	var errs []error
	for _, bridge := range s.bridges() {
		file := "/sys/class/net/" + bridge + "/bridge/stp_state"
		on, there, err := s.number(ctx, file)
		errs = append(errs, err)
		if there && on != 0 {
			found = append(found, Finding{Severity: Doubtful, Where: bridge, Found: "on", Wanted: "off",
				mends: []mend{{settings.Setting{Kind: settings.File, Device: bridge, Name: file}, "0"}}})
		}
	}
	return found, errors.Join(errs...)
}

// checkFDB looks for addresses that a bridge has learnt at the ports: those
// that were entered by hand do not age.
func checkFDB(ctx context.Context, s *site) ([]Finding, error) {
	if len(s.bridges()) == 0 {
		return nil, errNone
	}
	var found []Finding
	for _, bridge := range s.bridges() {
		text, err := s.run(ctx, "bridge", "-j", "fdb", "show", "br", bridge)
		if err != nil {
			return found, err
		}
		var entries []struct {
			MAC    string   `json:"mac"`
			Device string   `json:"ifname"`
			Flags  []string `json:"flags"`
			State  string   `json:"state"`
		}
		if err := fromJSON(text, &entries); err != nil {
			return found, fmt.Errorf("bridge fdb: %w", err)
		}
		for _, e := range entries {
			if e.State != "" && e.State != "reachable" && e.State != "stale" || slices.Contains(e.Flags, "self") || !slices.Contains(s.names(), e.Device) {
				continue
			}
			found = append(found, Finding{Severity: Doubtful, Where: bridge, Found: fmt.Sprintf("%s was learnt at %s", e.MAC, e.Device), Wanted: "entered by hand",
				Remedy: []string{fmt.Sprintf("bridge fdb replace %s dev %s master static", e.MAC, e.Device)},
				Advice: "or have the receiver send a frame every few seconds"})
		}
	}
	return found, nil
}
