package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
)

// badge is the one statement of how far a campaign can be trusted, with its reason
// and the command that mends it.
func (r reported) badge() document.Badge {
	plain, any := r.plain()
	said, but := "", ""
	if any {
		but = figures.Headline(plain.Campaign, plain.Grid).But
		_, said = plain.disturbance(plain.Campaign)
	}
	switch said = cmp.Or(said, but); {
	case r.c.Ended != weir.EndedComplete:
		return document.Badge{Level: document.NoTrust, Label: "not complete", Text: figures.TrimmedJoin(document.Sentence(ending(r.c)), said), Command: "weir run --resume=" + r.c.ID}
	case r.All.Imported:
		return document.Badge{Level: document.SomeTrust, Label: "imported", Text: "others measured it, and weir knows nothing of how"}
	case !any:
		return r.Study.badge(figures.Looking(r.c))
	case len(plain.Grid.Knees) > 0:
		return figures.TrustOf(r.c, plain.Grid).Badge()
	case said != "":
		return document.Badge{Level: document.SomeTrust, Label: "beware", Text: said, Command: figures.Looking(r.c)}
	}
	list := figures.Doubts(plain.Grid)
	if against := plain.Grid.Contradictions(); len(list) == 0 && len(against) > 0 {
		return document.Badge{Level: document.SomeTrust, Label: "beware", Text: strings.TrimPrefix(against[0], figures.InDoubt+" ")}
	}
	if len(list) == 0 {
		return document.Badge{Level: document.GoodTrust, Label: "no warnings", Text: "nothing speaks against these results"}
	}
	var codes []string
	for _, d := range list {
		codes = append(codes, string(d.Code))
	}
	return document.Badge{Level: document.SomeTrust, Label: fmt.Sprintf("%d %s", len(list), figures.Plural(len(list), "warning")), Text: shortened(codes), Command: figures.Looking(r.c)}
}

// worse reports whether a badge is of less trust than another one.
func worse(a, b document.Badge) bool {
	levels := []document.Trust{document.GoodTrust, document.SomeTrust, document.NoTrust}
	return slices.Index(levels, a.Level) > slices.Index(levels, b.Level)
}

// badge is that of runs, with the command that tells what disturbed them.
func (s study) badge(look string) document.Badge {
	passed, failed := s.again()
	left := s.leftText()
	none := s.noVerdict()
	switch {
	case none != "":
		return document.Badge{Level: document.NoTrust, Label: "no verdict", Text: cmp.Or(left, none), Command: look}
	case failed > 0:
		return document.Badge{Level: document.NoTrust, Label: "A/A fails", Text: fmt.Sprintf("the baseline differs from itself in %d of %d comparisons", failed, passed+failed), Command: look}
	case left != "":
		return document.Badge{Level: document.SomeTrust, Label: "left out", Text: left, Command: look}
	case passed > 0:
		return document.Badge{Level: document.GoodTrust, Label: "A/A passes", Text: "the baseline does not differ from itself, and every run counts"}
	}
	return document.Badge{Level: document.SomeTrust, Label: "no A/A", Text: "the baseline was not measured against itself"}
}
