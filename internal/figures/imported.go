package figures

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"weir"
	"weir/stats"
)

// ImportedSet is what is known of the runs of one arm.
type ImportedSet struct {
	Arm     string  `json:"arm"`
	Levels  string  `json:"levels,omitempty"` // of what differs within the arm: "reverse"
	Claim   string  `json:"claim"`
	Runs    int     `json:"runs"`
	Median  float64 `json:"median"`
	Unit    string  `json:"unit"`
	Offered float64 `json:"offered,omitempty"`    // median, in frames/s; 0: not known
	Loss    float64 `json:"loss_ratio,omitempty"` // median
	Known   int     `json:"runs_with_loss"`       // of how many runs it is known

	Warnings []string `json:"warnings,omitempty"` // of its runs, each once
}

// importedSets are those of a campaign, in its order. What differs within the runs of an
// arm, as the direction, makes sets of its own: nothing is pooled.
func importedSets(c weir.Campaign) []ImportedSet {
	type key struct{ arm, claim, levels string }
	varied := map[string][]string{} // by arm
	for _, r := range c.Results {
		varied[r.Run.Arm] = nil
	}
	for arm := range varied {
		varied[arm] = variedOf(c.Results, arm)
	}
	var order []key
	of := map[key][]weir.Result{}
	for _, r := range c.Results {
		var levels []string
		for _, name := range varied[r.Run.Arm] {
			levels = append(levels, fmt.Sprint(r.Factors[name]))
		}
		k := key{r.Run.Arm, r.Claim.Name, strings.Join(levels, ", ")}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], r)
	}
	out := make([]ImportedSet, 0, len(order))
	for _, k := range order {
		s := ImportedSet{Arm: k.arm, Levels: k.levels, Claim: k.claim, Runs: len(of[k]), Unit: of[k][0].Unit}
		var values, offered, lost []float64
		for _, r := range of[k] {
			values = append(values, r.Value)
			load, ok := r.Figure(weir.OfferedLoad)
			if ok {
				offered = append(offered, load)
			}
			doubtful := weir.HasWarning(r.Warnings, weir.Implausible)
			if !doubtful && (ok || r.LossRatio > 0) {
				lost = append(lost, r.LossRatio)
			}
			for _, w := range r.Warnings {
				if text := w.Text; !slices.Contains(s.Warnings, text) {
					s.Warnings = append(s.Warnings, text)
				}
			}
		}
		s.Median, s.Offered, s.Loss, s.Known = stats.Median(values), stats.Median(offered), stats.Median(lost), len(lost)
		out = append(out, s)
	}
	return out
}

// variedOf are the factors that differ between the results of an arm.
func variedOf(results []weir.Result, arm string) (names []string) {
	var first weir.Factors
	for _, r := range results {
		if r.Run.Arm != arm {
			continue
		}
		if first == nil {
			first = r.Factors
		}
		for name, level := range r.Factors {
			if level != first[name] && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// ImportedCampaign is a campaign that others have measured, as it was kept.
type ImportedCampaign struct {
	Campaign string         `json:"campaign"`
	Name     string         `json:"name"`
	Imported *weir.Imported `json:"imported"`
	Runs     int            `json:"runs"`
	Sets     []ImportedSet  `json:"sets"`
	Stored   bool           `json:"stored_before,omitempty"` // by an import of the same: not stored again
}

// ImportedOf is what was imported of a campaign.
func ImportedOf(c weir.Campaign) ImportedCampaign {
	return ImportedCampaign{Campaign: c.ID, Name: c.Name, Imported: c.Manifest.Imported, Runs: c.Results[len(c.Results)-1].Run.Number, Sets: importedSets(c)}
}

// Write writes it for a terminal.
func (c ImportedCampaign) Write(to io.Writer) error {
	again := ""
	if c.Stored {
		again = "; imported before, and not stored again"
	}
	fmt.Fprintf(to, "campaign %s: %s (not measured by weir%s)\n", c.Campaign, c.Name, again)
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
		name := s.Arm
		if s.Levels != "" {
			name += ", " + s.Levels
		}
		if len(s.Warnings) > 0 {
			name += " !"
		}
		fmt.Fprintf(w, "  %s\t%d\t%.10g\t%s\t%s\t%s\t%s\n", name, s.Runs, s.Median, s.Unit, offered, loss, s.Claim)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, s := range c.Sets {
		for i, text := range s.Warnings {
			if i == mostWarnings {
				fmt.Fprintf(to, "  ! %s: and %d more, which weir report lists\n", s.Arm, len(s.Warnings)-i)
				break
			}
			fmt.Fprintf(to, "  ! %s: %s\n", s.Arm, text)
		}
	}
	return nil
}

// mostWarnings is how many warnings of a set are printed.
const mostWarnings = 3
