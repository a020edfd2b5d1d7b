package figures

import (
	"fmt"

	"weir/internal/document"
)

// Detail is how much a document tells.
type Detail struct {
	Curves bool // those of results, too
	Brief  bool // what matters first alone: of results their values, of runs their verdicts, and beside other results the answer
	Room   bool // for pictures, for all trials, and for what is folded
	Headed bool // the head of the page has the first charts of the runs
}

// briefFurther is how many further results a terminal shows.
const briefFurther = 8

// FurtherList are findings with their figures and tables; in brief the first of them
// alone.
func FurtherList(list []Finding, how Detail) (out document.List) {
	for i, f := range list {
		e := document.Entry{Text: f.heading(), Of: f.Result}
		if how.Brief {
			if i == briefFurther-1 && len(list) > briefFurther {
				return append(out, document.Entry{Text: fmt.Sprintf("and %d more", len(list)-i)})
			}
			out = append(out, e)
			continue
		}
		said := ""
		for _, v := range f.Figures {
			said += "; " + v.Name + " " + v.Value
		}
		if said != "" {
			e.Under = document.Sentences(said[2:])
		}
		of := f.Label + " " + f.Heading
		if len(f.Points.Rows) > 0 {
			e.Tables = append(e.Tables, document.Captioned{Of: of, Name: "points", Table: f.Points})
		}
		if len(f.Spans.Rows) > 0 {
			e.Tables = append(e.Tables, document.Captioned{Of: of, Name: f.Longest, Table: f.Spans})
		}
		out = append(out, e)
	}
	return out
}
