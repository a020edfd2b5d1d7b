package report

import (
	"io"

	"weir"
	"weir/internal/figures"
)

// writeCSV writes a row for each result, in base units, after a row of names.
// Each factor is a column; runs have columns for their place in the order,
// transfers for what they were, sweeps for what they found; the testbed's name, notes
// of the author and what the DUT's machine said have one where there are any.
func writeCSV(w io.Writer, c weir.Campaign, o Options) error {
	if o.Trials {
		return figures.TrialsCSV(w, c)
	}
	return figures.CSVOf(w, c)
}
