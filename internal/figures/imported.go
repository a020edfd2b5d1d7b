package figures

import (
	"fmt"
	"io"
	"text/tabwriter"

	"weir"
	"weir/stats"
)

// ImportedSet is what is known of the runs of one arm.
type ImportedSet struct {
	Arm     string  `json:"arm"`
	Claim   string  `json:"claim"`
	Runs    int     `json:"runs"`
	Median  float64 `json:"median"`
	Unit    string  `json:"unit"`
	Offered float64 `json:"offered,omitempty"`    // median, in frames/s; 0: not known
	Loss    float64 `json:"loss_ratio,omitempty"` // median
	Known   int     `json:"runs_with_loss"`       // of how many runs it is known
}

// importedSets are those of a campaign, in its order.
func importedSets(c weir.Campaign) []ImportedSet {
	type key struct{ arm, claim string }
	var order []key
	of := map[key][]weir.Result{}
	for _, r := range c.Results {
		k := key{r.Run.Arm, r.Claim.Name}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], r)
	}
	out := make([]ImportedSet, 0, len(order))
	for _, k := range order {
		var values, offered, lost []float64
		for _, r := range of[k] {
			values = append(values, r.Value)
			if load, ok := r.Figure(weir.OfferedLoad); ok {
				offered, lost = append(offered, load), append(lost, r.LossRatio)
			} else if r.LossRatio > 0 {
				lost = append(lost, r.LossRatio)
			}
		}
		out = append(out, ImportedSet{k.arm, k.claim, len(values), stats.Median(values), of[k][0].Unit, stats.Median(offered), stats.Median(lost), len(lost)})
	}
	return out
}

// ImportedCampaign is a campaign that others have measured, as it was kept.
type ImportedCampaign struct {
	Campaign string         `json:"campaign"`
	Name     string         `json:"name"`
	Imported *weir.Imported `json:"imported"`
	Runs     int            `json:"runs"`
	Sets     []ImportedSet  `json:"sets"`
}

// ImportedOf is what was imported of a campaign.
func ImportedOf(c weir.Campaign) ImportedCampaign {
	return ImportedCampaign{c.ID, c.Name, c.Manifest.Imported, c.Results[len(c.Results)-1].Run.Number, importedSets(c)}
}

// Write writes it for a terminal.
func (c ImportedCampaign) Write(to io.Writer) error {
	fmt.Fprintf(to, "campaign %s: %s (not measured by weir)\n", c.Campaign, c.Name)
	fmt.Fprintf(to, "  source  %s, %s\n  number  %s\n", c.Imported.Format, c.Imported.Source, c.Imported.What)
	for _, n := range c.Imported.Notes {
		fmt.Fprintf(to, "  note    %s\n", n)
	}
	fmt.Fprintln(to)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  SET\tRUNS\tMEDIAN\tUNIT\tOFFERED\tLOSS\tWHAT IT IS")
	for _, s := range c.Sets {
		offered, loss := "-", "-"
		if s.Offered > 0 {
			offered = fmt.Sprintf("%.0f", s.Offered)
		}
		if s.Known > 0 {
			loss = fmt.Sprintf("%.2f %%", s.Loss*100)
		}
		fmt.Fprintf(w, "  %s\t%d\t%.10g\t%s\t%s\t%s\t%s\n", s.Arm, s.Runs, s.Median, s.Unit, offered, loss, s.Claim)
	}
	return w.Flush()
}
