package report

import (
	"bytes"
	"strings"
	"testing"

	"weir"
	"weir/internal/testenv/samples"
)

// noted is a campaign with notes about all of it, a row, a column, a cell, and nothing
// that a table shows.
func noted(c weir.Campaign, notes ...weir.Note) weir.Campaign {
	c.Manifest.Place, c.Manifest.Notes = "shelf 3", notes
	return c
}

func sampleNoted() weir.Campaign {
	return noted(samples.Study(),
		weir.Note{Text: "flow control was off on both ports"},
		weir.Note{Text: "the smallest frames of Ethernet", Of: map[string]string{"frame_size": "64"}},
		weir.Note{Text: "with the rules of the office", Of: map[string]string{"firewall": "stateful"}},
		weir.Note{Text: "nobody knows why", Of: map[string]string{"firewall": "stateful", "frame_size": "imix"}},
		weir.Note{Text: "see the other campaign", Of: map[string]string{"method": "latency"}})
}

func TestNotes(t *testing.T) {
	golden(t, "noted.txt", render(t, "text", sampleNoted()))
	golden(t, "noted.md", render(t, "markdown", sampleNoted()))
	golden(t, "noted-once.txt", render(t, "text", noted(samples.Campaign(), weir.Note{Text: "of one queue", Of: map[string]string{"method": "frmol"}},
		weir.Note{Text: "the simple one", Of: map[string]string{"frame_size": "imix"}})))
	page := render(t, "html", sampleNoted())
	for _, want := range []string{"<small>[a]</small>", "[a] flow control", `64 <span class="sign">[b]</span>`, "[d] nobody knows why", "at shelf 3"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if rows := render(t, "csv", sampleNoted()); !strings.Contains(rows, "place,notes") || !strings.Contains(rows, "shelf 3,flow control was off on both ports; the smallest frames of Ethernet") {
		t.Error("CSV has no notes")
	}
}

// Of several campaigns each note is about its own.
func TestNotesOfSeveral(t *testing.T) {
	all := sampleSeveral()
	all[0] = noted(all[0], weir.Note{Text: "an old one"})
	all[1] = noted(all[1], weir.Note{Text: "a model of it", Of: map[string]string{"frame_size": "64"}})
	var b bytes.Buffer
	if err := (Options{}).WriteSeveral(&b, "text", all, ""); err != nil {
		t.Fatal(err)
	}
	golden(t, "noted-several.txt", b.String())
}
