package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"weir/internal/settings"
)

const conf4 = "/proc/sys/net/ipv4/conf/"

// checkForwarding looks at each port: it is its own setting that counts, and
// changing it leaves the other devices of the machine alone.
func checkForwarding(ctx context.Context, s *site) ([]Finding, error) {
	if len(s.links) == 0 {
		return nil, errNone
	}
	var found []Finding
	var errs []error
	for _, l := range s.links {
		if l.Master != "" { // a bridge forwards its frames
			continue
		}
		file := conf4 + l.Name + "/forwarding"
		on, there, err := s.number(ctx, file)
		errs = append(errs, err)
		if there && on == 0 {
			found = append(found, Finding{Severity: Spoils, Where: l.Name, Found: "off", Wanted: "on",
				mends: []mend{{settings.Setting{Kind: settings.File, Device: l.Name, Name: file}, "1"}}})
		}
	}
	return found, errors.Join(errs...)
}

// checkForwarding6 looks at the machine, as IPv6 has one setting for all of it.
func checkForwarding6(ctx context.Context, s *site) ([]Finding, error) {
	if len(s.links) == 0 {
		return nil, errNone
	}
	const file = "/proc/sys/net/ipv6/conf/all/forwarding"
	on, there, err := s.number(ctx, file)
	if err != nil || !there || on != 0 {
		return nil, err
	}
	return []Finding{{Severity: Note, Found: "off", Wanted: "on, for IPv6 traffic", mends: toFiles([]string{file}, "1")}}, nil
}

// checkRPFilter looks at what is in force at each port: the greater of its own
// setting and that for all. Where the latter has to be lowered, other devices
// get it as their own first, so that nothing changes for them.
func checkRPFilter(ctx context.Context, s *site) ([]Finding, error) {
	if len(s.links) == 0 {
		return nil, errNone
	}
	files, err := s.tree(ctx, conf4+"*/rp_filter")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("the machine shows no settings of IPv4")
	}
	value := make(map[string]int)
	for p, text := range files {
		if value[path.Base(path.Dir(p))], err = strconv.Atoi(text); err != nil {
			return nil, fmt.Errorf("%s holds %q, no number", p, text)
		}
	}
	file := func(device string) string { return conf4 + device + "/rp_filter" }
	var found []Finding
	for _, l := range s.links {
		in := max(value["all"], value[l.Name])
		if in == 0 {
			continue
		}
		f := Finding{Severity: Spoils, Where: l.Name, Found: "strict", Wanted: "off"}
		if in == 2 {
			f.Severity, f.Found = Doubtful, "loose"
			f.Reason = "a route to its source is looked up for each frame, and one without is dropped"
		}
		if value["all"] > 0 {
			for _, device := range slices.Sorted(maps.Keys(value)) {
				spared := slices.Contains(s.guarded, device) || !slices.Contains(s.names(), device)
				if spared && device != "all" && device != "default" && value[device] < value["all"] {
					f.mends = append(f.mends, mend{settings.Setting{Kind: settings.File, Name: file(device)}, strconv.Itoa(value["all"])})
				}
			}
			f.mends = append(f.mends, mend{settings.Setting{Kind: settings.File, Name: file("all")}, "0"})
		}
		if value[l.Name] > 0 {
			f.mends = append(f.mends, mend{settings.Setting{Kind: settings.File, Device: l.Name, Name: file(l.Name)}, "0"})
		}
		found = append(found, f)
	}
	return found, nil
}

func checkNeighbours(ctx context.Context, s *site, l link) ([]Finding, error) {
	text, err := s.run(ctx, "ip", "-j", "neighbor", "show", "dev", l.Name)
	if err != nil {
		return nil, err
	}
	all, err := settings.ParseNeighbours(text)
	var found []Finding
	for _, n := range all {
		if slices.Contains(n.State, "PERMANENT") || slices.Contains(n.State, "NOARP") {
			continue
		}
		f := Finding{Severity: Doubtful, What: "neighbour " + n.Address, Found: strings.ToLower(strings.Join(n.State, ", ")), Wanted: settings.Permanent}
		if n.MAC == "" {
			f.Reason = "its address is not known, so frames to it are dropped"
			f.Advice = fmt.Sprintf("ip neighbor replace %s lladdr MAC dev %s nud permanent, with the MAC of the tester's port", n.Address, l.Name)
		} else {
			f.Found += ", " + n.MAC
			f.mends = []mend{{settings.Setting{Kind: settings.Neighbour, Device: l.Name, Name: n.Address}, n.MAC + " " + settings.Permanent}}
		}
		found = append(found, f)
	}
	return found, err
}
