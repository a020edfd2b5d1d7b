package plan

import (
	"cmp"
	"maps"
	"path/filepath"
	"strings"

	"weir"
)

// factors are the levels at which something is measured: the frame size, which
// is a number or the name of a mix, and whatever is not as usual.
func factors(t weir.Traffic, c weir.Condition) weir.Factors {
	f := weir.Factors{"frame_size": t.Name}
	if len(t.Sizes) == 1 {
		f["frame_size"] = int(t.Sizes[0])
	}
	spread := max(t.Routes.Count, 1) // flows that come with what is said already
	if n := networksOf(t); n > 0 {
		f["networks"] = n
		spread = max(spread, drawsPerNetwork*n)
	}
	spread = max(spread, t.Sessions)
	set := func(name string, unusual bool, level any) {
		if unusual {
			f[name] = level
		}
	}
	set("family", t.Family != weir.IPv4, string(t.Family))
	set("protocol", !t.Application && t.Protocol != weir.UDP, string(t.Protocol))
	set("flows", !t.Application && t.Flows != 1 && t.Flows != spread, t.Flows)
	set("vlans", len(t.VLANs) > 0, len(t.VLANs))
	set("server", t.Server != "", string(t.Server))
	set("bidirectional", t.Bidirectional, true)
	set("direction", t.Backward, "reverse")
	if t.Blend != nil {
		f["blend"] = t.Blend.Share
	}
	if len(t.Extensions) > 0 {
		var headers []string
		for _, x := range t.Extensions {
			headers = append(headers, string(x))
		}
		f["extensions"] = strings.Join(headers, "+")
		set("extended", t.Extended != 1, t.Extended)
	}
	set("broadcast", t.Broadcast > 0, t.Broadcast)
	set("burst", t.Burst > 0, t.Burst)
	set("pairs", t.Pairs > 1, t.Pairs)
	set("sessions", t.Sessions > 0, t.Sessions)
	if t.Replay != nil {
		f["replay"] = filepath.Base(t.Replay.File)
	}
	set("filters", c.Filters > 0, c.Filters)
	set("management", c.Management, true)
	set("updates", c.Updates, true)
	set("routes", c.Routes.Count > 0, c.Routes.Count)
	set("routes_via", c.Routes.Via != "", c.Routes.Via)
	set("napi", c.NAPI != "", string(c.NAPI))
	set("forwarding", c.Path != "", string(c.Path))
	set("access", c.Access.PPPoE != "", "pppoe "+string(c.Access.PPPoE))
	set("concentrator", c.Access.Concentrator != "", c.Access.Concentrator)
	set("firewall", c.Firewall.Kind != "", c.Firewall.String())
	for _, t := range c.Tunings {
		f[t.Name] = cmp.Or(t.Value, t.Arm)
	}
	return f
}

// Factors are those of a traffic at the level: in an experiment each of its
// factors is there, also where it is as usual.
func (l Level) Factors(t weir.Traffic) weir.Factors {
	f := factors(t, l.Condition)
	if _, ok := l.Set["direction"]; ok {
		delete(f, "bidirectional") // which that says
	}
	maps.Copy(f, l.Set)
	return f
}
