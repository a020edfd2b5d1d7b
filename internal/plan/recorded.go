package plan

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"weir"
	"weir/frame"
)

// What a manifest says of how a plan was read, by which it can be read again.
const (
	ofPlan        = "plan"
	settingFolder = "folder" // that the names of files in the plan are relative to
	settingCut    = "cut down by"
	quickFlag     = "--quick"
)

// Settings are what a manifest says of the plan in addition to its text.
func (p Plan) Settings() []weir.Setting {
	var out []weir.Setting
	if p.Quick {
		out = append(out, weir.Setting{Where: ofPlan, Name: settingCut, Value: quickFlag})
	}
	for _, t := range p.Traffic {
		if t.Replay != nil {
			return append(out, weir.Setting{Where: ofPlan, Name: settingFolder, Value: p.Folder})
		}
	}
	return out
}

func setting(m weir.Manifest, where, name string) string {
	i := slices.IndexFunc(m.Settings, func(s weir.Setting) bool { return s.Where == where && s.Name == name })
	if i < 0 {
		return ""
	}
	return m.Settings[i].Value
}

// Recorded reads the plan of a recorded campaign, as it was measured: on the
// same kind of testbed, and cut down if it was. Captures that it names are read
// by their path.
func Recorded(c weir.Campaign, captures Captures) (Plan, error) {
	if c.Manifest.Plan == "" {
		return Plan{}, fmt.Errorf("campaign %s ended before its plan was recorded: run it from the beginning", c.ID)
	}
	folder := setting(c.Manifest, ofPlan, settingFolder)
	p, err := ParseWith(c.ID, []byte(c.Manifest.Plan), captures.In(folder))
	if err != nil {
		return p, fmt.Errorf("the plan of campaign %s cannot be read by this weir: %w", c.ID, err)
	}
	p.Folder = folder
	if kind := c.Manifest.Testbed; kind != "" && kind != p.Testbed.Kind {
		p = p.WithTestbed(BareTestbed(kind))
	}
	if setting(c.Manifest, ofPlan, settingCut) == quickFlag {
		p = p.Quickly()
	}
	p.Name, p.Text = c.Name, c.Manifest.Plan
	return p, nil
}

// In reads captures by their paths relative to a folder.
func (c Captures) In(folder string) Captures {
	if c == nil {
		return nil
	}
	return func(name string) (*frame.Capture, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
		return c(name)
	}
}

// factors are the levels at which something is measured: the frame size, which
// is a number or the name of a mix, and whatever is not as usual.
func factors(t weir.Traffic, c weir.Condition) weir.Factors {
	f := weir.Factors{"frame_size": t.Name}
	if len(t.Sizes) == 1 {
		f["frame_size"] = int(t.Sizes[0])
	}
	spread := max(t.Routes.Count, 1) // flows that come with what is given already
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
	maps.Copy(f, c.Factors())
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
