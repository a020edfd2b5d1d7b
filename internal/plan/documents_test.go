package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A file has as many plans as lines of --- part, each with its lines where the file has
// them; comments are none.
func TestDocuments(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"a: 1\n", []string{"a: 1\n"}},
		{"", []string{""}},
		{"# only\n", []string{"# only\n"}},
		{"---\na: 1\n", []string{"\na: 1\n"}},
		{"# about both\n---\na: 1\n---\nb: 2\n", []string{"\n\na: 1\n", "\n\n\n\nb: 2\n"}},
		{"a: 1\n--- \r\nb: |\n  --- no\n---\n# the end\n", []string{"a: 1\n", "\n\nb: |\n  --- no\n"}},
	} {
		var got []string
		for _, d := range Documents([]byte(c.text)) {
			got = append(got, string(d))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
	all := Documents([]byte("testbed: {kind: sim}\nmethods: [frmol]\n---\ntestbed: {kind: sim}\nmethods: [nonsense]\n"))
	if _, err := Parse("x.yaml", all[1]); err == nil || !strings.Contains(err.Error(), "x.yaml:5:11:") {
		t.Errorf("the place of the mistake: %v", err)
	}
}
