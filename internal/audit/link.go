package audit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weir/internal/settings"
)

func checkFlowControl(ctx context.Context, s *site, l link) ([]Finding, error) {
	text, err := s.ethtool(ctx, "-a", l.Name)
	if err != nil || text == "" {
		return nil, err
	}
	if settings.Field(text, "RX") != "on" && settings.Field(text, "TX") != "on" {
		return nil, nil
	}
	off := "autoneg off rx off tx off"
	return []Finding{{
		Severity: Spoils, Found: settings.ParsePause(text), Wanted: off,
		mends:  []mend{{settings.Setting{Kind: settings.Pause, Device: l.Name}, off}},
		Advice: "turn it off at the other end of the cable too",
	}}, nil
}

// checkLink looks whether the ports have a carrier, are not half duplex and all
// equally fast.
func checkLink(ctx context.Context, s *site) ([]Finding, error) {
	if len(s.links) == 0 {
		return nil, errNone
	}
	var found []Finding
	var errs []error
	speeds := make(map[string]string)
	fastest := 0
	for _, l := range s.links {
		if !l.isUp() {
			found = append(found, Finding{Severity: Spoils, Where: l.Name, Found: "down", Wanted: "up",
				Remedy: []string{"ip link set dev " + l.Name + " up"}})
			continue
		}
		text, err := s.ethtool(ctx, "", l.Name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if settings.Field(text, "Link detected") == "no" {
			found = append(found, Finding{Severity: Spoils, Where: l.Name, Found: "no carrier", Wanted: "a link", Advice: "look at the cable and at the other end"})
			continue
		}
		if settings.Field(text, "Duplex") == "Half" {
			found = append(found, Finding{Severity: Spoils, Where: l.Name, Found: "half duplex", Wanted: "full duplex",
				Remedy: []string{"ethtool -s " + l.Name + " autoneg on"}, Advice: "let both ends negotiate, or set both to the same"})
		}
		speed := settings.Field(text, "Speed")
		if n, err := strconv.Atoi(strings.TrimSuffix(speed, "Mb/s")); err == nil {
			speeds[l.Name], fastest = speed, max(fastest, n)
		}
	}
	for _, l := range s.links {
		if best := fmt.Sprintf("%dMb/s", fastest); speeds[l.Name] != "" && speeds[l.Name] != best {
			found = append(found, Finding{Severity: Doubtful, Where: l.Name, Found: speeds[l.Name], Wanted: best + ", as the fastest port",
				Reason: "the slower port is the limit, at which frames from a faster one are lost",
				Remedy: []string{"ethtool -s " + l.Name + " autoneg on"}})
		}
	}
	return found, errors.Join(errs...)
}

// testFrame is the MTU for the largest frame of RFC 2544.
const testFrame = 1500

func checkMTU(_ context.Context, s *site) ([]Finding, error) {
	if len(s.links) == 0 {
		return nil, errNone
	}
	least, most := s.links[0].MTU, s.links[0].MTU
	for _, l := range s.links {
		least, most = min(least, l.MTU), max(most, l.MTU)
	}
	wanted := max(least, testFrame)
	var found []Finding
	for _, l := range s.links {
		if l.MTU == wanted {
			continue
		}
		f := Finding{Severity: Spoils, Where: l.Name, Found: strconv.Itoa(l.MTU), Wanted: strconv.Itoa(wanted) + " on all ports",
			mends: []mend{{settings.Setting{Kind: settings.MTU, Device: l.Name}, strconv.Itoa(wanted)}}}
		if least == most {
			f.Severity, f.Reason = Doubtful, "the larger frames of the RFC, 1518 octets with FCS, do not fit"
		}
		found = append(found, f)
	}
	return found, nil
}

func checkBus(ctx context.Context, s *site, l link) ([]Finding, error) {
	dir := "/sys/class/net/" + l.Name + "/device/"
	files, err := s.tree(ctx, settings.Quoted(dir)+"*_link_speed "+settings.Quoted(dir)+"*_link_width")
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, what := range []string{"speed", "width"} {
		now, best := files[dir+"current_link_"+what], files[dir+"max_link_"+what]
		if amount(now) > 0 && amount(now) < amount(best) {
			found = append(found, Finding{Severity: Doubtful, What: "PCI Express link " + what, Found: now, Wanted: best,
				Advice: "put the card into another slot, or look at the settings of the firmware"})
		}
	}
	return found, nil
}

// amount is the number that a text like "8.0 GT/s PCIe" begins with; 0: none.
func amount(text string) float64 {
	first, _, _ := strings.Cut(text, " ")
	n, _ := strconv.ParseFloat(first, 64)
	return n
}
