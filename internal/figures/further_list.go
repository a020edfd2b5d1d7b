package figures

import (
	"fmt"

	"weir/internal/document"
)

// briefFurther is how many further results a terminal shows.
const briefFurther = 8

// FurtherList are findings with their figures and tables; in brief the first of them
// alone.
func FurtherList(list []Finding, brief bool) (out document.List) {
	for i, f := range list {
		e := document.Entry{Text: f.heading(), Of: f.Result}
		if brief {
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
