package figures

import (
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
)

// RemarksOf are the notes of a plan's author with their signs: letters, as claims have
// numbers. Several campaigns may have the same.
func RemarksOf(notes []weir.Note) []*document.Remark {
	var out []*document.Remark
	of := make(map[string][]weir.Note)
	for _, n := range notes {
		if of[n.Text] == nil {
			i := len(out)
			out = append(out, &document.Remark{Text: n.Text, Sign: "[" + strings.Repeat(string(rune('a'+i%26)), i/26+1) + "]"})
		}
		of[n.Text] = append(of[n.Text], n)
	}
	for _, r := range out {
		list := of[r.Text]
		r.Where = aboutWhat(list)
		r.Is = func(of any) bool {
			result, is := of.(*weir.Result)
			return is && slices.ContainsFunc(list, func(n weir.Note) bool { return n.About(*result) })
		}
	}
	return out
}

// aboutWhat is what notes are about, in words: "firewall open, frame size 64"; "" where
// one is about all of a campaign.
func aboutWhat(notes []weir.Note) string {
	var parts []string
	for _, n := range notes {
		if len(n.Of) == 0 {
			return ""
		}
		for _, factor := range slices.Sorted(maps.Keys(n.Of)) {
			parts = With(parts, LevelWords(factor, n.Of[factor]))
		}
	}
	return strings.Join(parts, ", ")
}
