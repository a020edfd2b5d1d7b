package report

import (
	"weir"
	"weir/internal/testenv/samples"
)

func sampleVetoed() weir.Campaign {
	return samples.Experiment{Arms: samples.Firewalls, Factors: samples.FirewallFactor(), Sizes: []any{64}, Blocks: 12, Spread: .01, Wave: .05, Busy: []int{3, 4, 5, 6}}.Campaign(43)
}

func sampleInconclusive() weir.Campaign {
	return samples.Experiment{Arms: samples.Firewalls[:2], Factors: []weir.Factor{{Name: "firewall", Levels: []string{"none", "stateless"}}}, Sizes: []any{64}, Blocks: 6, Spread: .03, Wave: .05}.Campaign(44)
}

func sampleFactors() weir.Campaign {
	arms := []samples.Arm{}
	for _, path := range []string{"kernel", "xdp"} {
		for _, gro := range []string{"on", "off"} {
			rate := 1.
			if path == "xdp" {
				rate *= 2.3
			}
			if gro == "off" {
				rate *= 1.04
			}
			arms = append(arms, samples.Arm{Name: "path " + path + ", gro " + gro, Factors: weir.Factors{"path": path, "gro": gro}, Rate: rate})
		}
	}
	c := samples.Experiment{Arms: arms, Factors: []weir.Factor{{Name: "path", Levels: []string{"kernel", "xdp"}}, {Name: "gro", Levels: []string{"on", "off"}}},
		Sizes: []any{64, 1518}, Blocks: 8, Spread: .008, Wave: .04}.Campaign(45)
	return c
}

func sampleImported() weir.Campaign {
	arms := []samples.Arm{{Name: "firewall none", Factors: weir.Factors{"firewall": "none"}, Rate: 1}, {Name: "firewall pf", Factors: weir.Factors{"firewall": "pf"}, Rate: .64}, {Name: "firewall ipfw", Factors: weir.Factors{"firewall": "ipfw"}, Rate: .81}}
	c := samples.Experiment{Arms: arms, Factors: []weir.Factor{{Name: "firewall", Levels: []string{"none", "pf", "ipfw"}}}, Sizes: []any{64}, Blocks: 5, Spread: .008, Unblocked: true}.Campaign(46)
	for i := range c.Results {
		r := &c.Results[i]
		r.Method, r.Claim, r.CPUShare, r.CPUPerFrame, r.Ledger = "frmol", weir.Claim{Name: "published"}, 0, 0, weir.Ledger{}
	}
	m := weir.Manifest{Experiment: c.Manifest.Experiment, CPUModel: "AMD GX-412TC", CPUs: 4, Imported: &weir.Imported{
		Format: "netbenches", Source: "netbenches/APU2/pf-ipfw", What: "FRMOL: packets/s received at the highest load that pkt-gen sent",
		Notes: []string{"The order of the runs was not recorded."}}}
	c.Manifest = m
	return c
}
