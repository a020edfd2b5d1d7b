package dut

import (
	"context"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"weir"
	"weir/internal/settings"
)

// This is how a Linux machine in service is made a router and is, at the end, what it was.

// saveInterfaceState are its interfaces, by name, after what turning forwarding on changes
// everywhere has been kept; none where nothing is to be kept.
func (p linux) saveInterfaceState(ctx context.Context, d weir.DUT, s Setup, undo *settings.Undo) (map[string]Interface, error) {
	if !s.InService {
		return nil, nil
	}
	all, err := p.Interfaces(ctx, d.Host)
	if err != nil {
		return nil, err
	}
	by := make(map[string]Interface)
	for _, i := range all {
		by[i.Name] = i
	}
	return by, keepForwarding(ctx, d.Host, undo)
}

// Turning forwarding on for the machine sets the forwarding of each interface, turns LRO
// off there (Linux does not turn it on again), has redirects ignored, and drops the default
// routes that routers have announced, but where accept_ra is 2.
const (
	askForwarding = `grep '' /proc/sys/net/ipv[46]/conf/*/forwarding /proc/sys/net/ipv4/conf/all/accept_redirects /proc/sys/net/ipv6/conf/*/accept_ra 2>/dev/null; true`
	askLRO        = `for d in /sys/class/net/*; do ! ethtool -k "${d##*/}" 2>/dev/null | grep -q '^large-receive-offload: on$' || echo "${d##*/}"; done`
	putBack       = `while read -r value file; do [ ! -e "$file" ] || [ "$(cat "$file")" = "$value" ] || echo "$value" >"$file" || exit 1; done`
)

// keepForwarding keeps all of that, before forwarding is turned on. What it is set to is
// put back before accept_ra and LRO: an interface that gets its forwarding back would undo these.
func keepForwarding(ctx context.Context, h weir.Host, undo *settings.Undo) error {
	text, err := h.Run(ctx, "", "sh", "-c", askForwarding)
	if err != nil {
		return err
	}
	values := make(map[string]string)
	var files []string
	for line := range strings.Lines(text) {
		if path, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			values[path] = value
			files = append(files, path)
		}
	}
	on4, on6 := values["/proc/sys/net/ipv4/conf/all/forwarding"] == "1", values["/proc/sys/net/ipv6/conf/all/forwarding"] == "1"
	if on4 && on6 {
		return nil
	}
	lro, err := h.Run(ctx, "", "sh", "-c", askLRO)
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(lro) {
		if _, err := undo.Set(ctx, h, settings.Setting{Kind: settings.Feature, Device: name, Name: "large-receive-offload"}, "off"); err != nil {
			return err
		}
	}
	var kept strings.Builder
	for _, path := range files {
		dir, name := filepath.Split(path)
		switch is4 := strings.HasPrefix(path, "/proc/sys/net/ipv4/"); {
		case is4 && on4 || !is4 && on6:
		case name == "accept_ra":
			if values[path] == "1" && values[dir+"forwarding"] == "0" && !strings.HasSuffix(dir, "/all/") {
				if _, err := undo.Set(ctx, h, file(path), "2"); err != nil {
					return err
				}
			}
		case name != "forwarding" || !strings.HasSuffix(dir, "/all/"):
			fmt.Fprintf(&kept, "%s %s\n", values[path], path)
		}
	}
	return undo.Try(ctx, h, settings.Command{Argv: []string{"true"}}, settings.Command{Argv: []string{"sh", "-c", putBack}, Stdin: kept.String()})
}

// owns says whether an interface has an address. IPv6 knows each once, whatever its length.
func (i Interface) owns(a netip.Prefix) bool {
	return slices.ContainsFunc(i.Addresses, func(o netip.Prefix) bool { return o == a || a.Addr().Is6() && o.Addr() == a.Addr() })
}

// neighbourOf is who is at the other end of a port.
type neighbourOf struct {
	port string
	addr netip.Addr
	mac  string
}

// neighbour has the DUT know a neighbour, and afterwards what it knew of it before.
func (linux) neighbour(ctx context.Context, h weir.Host, n neighbourOf, keep bool, ip func(do, undo string)) error {
	set := func(mac, way string) string {
		return fmt.Sprintf("neighbor replace %s lladdr %s dev %s nud %s", n.addr, mac, n.port, way)
	}
	before := ""
	if keep {
		var err error
		before, err = settings.Setting{Kind: settings.Neighbour, Device: n.port, Name: n.addr.String()}.Get(ctx, h)
		if err != nil {
			return err
		}
	}
	mac, way, _ := strings.Cut(before, " ")
	switch {
	case before == "":
		ip(set(n.mac, settings.Permanent), fmt.Sprintf("neighbor del %s dev %s", n.addr, n.port))
	case way != settings.Permanent:
		ip(set(n.mac, settings.Permanent), set(mac, "stale"))
	case mac != n.mac:
		ip(set(n.mac, settings.Permanent), set(mac, way))
	}
	return nil
}

// route has the DUT send a network's frames to a neighbour, and afterwards where they went
// before by a route of the same network and metric.
func (linux) route(ctx context.Context, h weir.Host, n neighbourOf, to netip.Prefix, keep bool, ip func(do, undo string)) error {
	own := fmt.Sprintf("%s via %s dev %s", to, n.addr, n.port)
	before := ""
	if keep {
		family, metric := "-4", ""
		if to.Addr().Is6() {
			family, metric = "-6", "1024"
		}
		text, err := h.Run(ctx, "", "ip", "-o", family, "route", "show", "exact", to.String())
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			// What has several ways is on one line with backslashes; a state is no part of it.
			words := strings.Fields(strings.NewReplacer(`\`, " ", " linkdown", "", " dead", "").Replace(line))
			at := slices.Index(words, "metric")
			if is := at >= 0 && at+1 < len(words); is && words[at+1] == metric || !is && metric == "" {
				before = strings.Join(words, " ")
				break
			}
		}
	}
	switch {
	case before == "":
		ip("route replace "+own, "route del "+own)
	case !strings.HasPrefix(before+" ", own+" "):
		ip("route replace "+own, "route replace "+before)
	}
	return nil
}
