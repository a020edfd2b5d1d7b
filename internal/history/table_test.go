package history

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHistoryFits holds that each table of the history is within its width and
// loses no word of a number.
func TestHistoryFits(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := Documents()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		mine := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Document != d.ID })
		table, notes, same := Table(mine)
		lines := Fitted(table, notes, 80)
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s: %d characters: %s", d.ID, n, line)
			}
		}
		words := strings.Fields(strings.Join(append(lines, same...), " "))
		for _, r := range mine {
			for _, word := range strings.Fields(r.Number() + " " + r.Unit + " " + r.Measured + " " + r.Note) {
				if !slices.ContainsFunc(words, func(w string) bool { return strings.TrimRight(w, ";") == strings.TrimRight(word, ";") }) {
					t.Errorf("%s: the word %q of %+v is not printed", d.ID, word, r)
				}
			}
		}
	}
}

func TestFitted(t *testing.T) {
	got := Fitted([][]string{{"A", "LONG"}, {"1", "one two three"}, {"2", "abcdefghijkl"}}, []string{"", "", "a note of it"}, 12)
	want := []string{"A  LONG", "1  one two", "   three", "2  abcdefghi", "   jkl", "    a note", "    of it"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
