package weir

import (
	"strings"
	"testing"
)

func TestProblem(t *testing.T) {
	at := Place{File: "a.yaml", Line: 7, Column: 3, Source: "\t- tcp"}
	for want, got := range map[string]Problems{
		"it is wrong":                               Wrong("it is %s", "wrong"),
		"it is wrong: leave it out":                 Wrong("it is wrong").Advise("leave it %s", "out"),
		"which one? a, say":                         Wrong("which one?").Advise("a, say"),
		"it is wrong: as was said; leave it out":    Wrong("it is wrong: as was said;").Advise("leave it out"),
		"a.yaml:7:3: no\n  7 | \t- tcp\n    | \t ^": Wrong("no").In(at),
		"a.yaml:7:3: no":                            Wrong("no").In(Place{File: "a.yaml", Line: 7, Column: 3}),
		"":                                          When(false, "no").Advise("yes").In(at),
	} {
		if got.Error() != want || (got.Err() == nil) != (want == "") {
			t.Errorf("%q, want %q", got.Error(), want)
		}
	}
	many := append(make(Problems, mostProblems+1), Wrong("last")...)
	if text := many.Error(); !strings.HasSuffix(text, "\nand 2 more mistakes") {
		t.Errorf("of many: %q", text)
	}
	second, first := Wrong("b").In(at), Wrong("a").In(Place{Line: 2})
	if got := append(append(second, second...), first...).InOrder(); len(got) != 2 || got[0].What != "a" {
		t.Errorf("in order: %v", got)
	}
}
