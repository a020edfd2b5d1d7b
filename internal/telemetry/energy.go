package telemetry

import (
	"path"
	"strconv"
	"strings"
)

const (
	energyFiles  = "/sys/class/powercap/intel-rapl:*/energy_uj"
	energyNames  = "/sys/class/powercap/intel-rapl:*/name"
	energyRanges = "/sys/class/powercap/intel-rapl:*/max_energy_range_uj"
)

// energySource is what the processors took, as they count it (RAPL): a domain
// each, and what is part of a domain by the names of both.
var energySource = Source{
	Name:    "energy",
	Summary: "energy that the processors took, by domain (RAPL)",
	wants: func(Subject) wants {
		return wants{files: []string{energyFiles, energyNames, energyRanges}}
	},
	parse: parseEnergy,
}

func parseEnergy(_ Subject, a answers) (out []sample, err error) {
	for _, file := range a.matches[energyFiles] {
		domain := path.Dir(file)
		uJ, err := strconv.ParseUint(a.text(file), 10, 64)
		if err != nil {
			continue // only root may read it
		}
		s := sample{name: domainName(a, domain), unit: "J", count: uJ, scale: 1e-6}
		if largest, err := strconv.ParseUint(a.text(domain+"/max_energy_range_uj"), 10, 63); err == nil && largest > 0 {
			s.wrap = largest + 1
		}
		out = append(out, s)
	}
	return out, nil
}

// domainName is "package-0" of intel-rapl:0, and "package-0 core" of
// intel-rapl:0:0.
func domainName(a answers, domain string) string {
	name := a.text(domain + "/name")
	if parts := strings.Split(path.Base(domain), ":"); len(parts) > 2 {
		whole := path.Dir(domain) + "/" + strings.Join(parts[:2], ":")
		name = strings.TrimSpace(a.text(whole+"/name") + " " + name)
	}
	return name
}
