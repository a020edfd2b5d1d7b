package weir

import "strings"

// energySource is the Reading.Source of energy, in J; a reading is of a domain.
const energySource = "energy"

// Energy is what the DUT's machine took from before the trial until after it, in
// J, the pauses around the sending included: that of the whole platform where
// that is counted, or else of all processor packages and their memory; 0 when
// unknown. Where the tester works on the same machine its share is among it.
func (r TrialResult) Energy() float64 {
	var platform, packages float64
	for _, x := range r.Readings {
		switch {
		case x.Source != energySource:
		case x.Name == "psys":
			platform += x.Value
		case strings.HasSuffix(x.Name, " dram") || strings.HasPrefix(x.Name, "package-") && !strings.Contains(x.Name, " "):
			packages += x.Value // other domains are parts of these
		}
	}
	if platform > 0 {
		return platform
	}
	return packages
}

// FramesPerJoule is how many frames the DUT forwarded for each joule that its
// machine took; 0 when unknown.
func (r TrialResult) FramesPerJoule() float64 {
	energy := r.Energy()
	if energy <= 0 {
		return 0
	}
	return float64(r.Received) / energy
}
