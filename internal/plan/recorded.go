package plan

import (
	"fmt"
	"path/filepath"
	"slices"

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

// Settings are what a manifest says of the plan beside its text.
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
