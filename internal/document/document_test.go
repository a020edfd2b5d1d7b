package document

import (
	"bytes"
	"strings"
	"testing"
)

type size struct {
	octets, rate string
}

var sizeColumns = []Column[size]{
	{Heading: Heading{Head: "frame", Unit: "octets"}, Text: func(s size) string { return s.octets }, Key: "frame_size", Value: func(s size) string { return s.octets }},
	{Heading: Heading{Head: "rate", Unit: "kpps"}, Text: func(s size) string { return s.rate }, Of: func(s size) any { return s.octets }, Key: "rate", Value: func(s size) string { return s.rate + "000" }},
	{Key: "unit", Value: func(size) string { return "frames/s" }},
}

// A document is the same in all formats, and remarks stand where their signs are.
func TestFormats(t *testing.T) {
	var d Document
	d.Add("", Title{Text: "It forwards 800 kpps."}, Badge{Level: GoodTrust, Label: "quiet", Text: "nothing was noticed"})
	d.Part("results", "results")
	d.Add("", TableOf(sizeColumns, []size{{"64", "800"}, {"1518", "81"}}))
	d.Add("", List{{Text: "nothing else was measured"}}, Paragraph{Text: ""})
	d.Refer([]*Remark{
		{Sign: "[a]", Text: "on a warm day"},
		{Sign: "[b]", Text: "with flow control", Where: "1518", Is: func(of any) bool { return of == "1518" }},
		{Sign: "[c]", Text: "never seen", Where: "9000", Is: func(any) bool { return false }},
	})
	want := `It forwards 800 kpps. [a]
[a] on a warm day
[c] 9000: never seen

frame       rate
octets      kpps
64           800
1518 [b]      81
  [b] with flow control

  nothing else was measured
`
	var b bytes.Buffer
	if d.WriteText(&b, 80, 80); b.String() != want {
		t.Errorf("text is\n%s\nwant\n%s", &b, want)
	}
	b.Reset()
	if d.WriteMarkdown(&b); !strings.Contains(b.String(), "| frame, octets | rate, kpps |\n|:--|--:|\n| 64 | 800 |\n") || strings.Count(b.String(), `\[b\]`) != 2 {
		t.Errorf("Markdown is\n%s", &b)
	}
	b.Reset()
	if err := d.WriteHTML(&b); err != nil || !strings.Contains(b.String(), `1518 <span class="sign">[b]</span>`) || !strings.Contains(b.String(), `<p class="badge good">`) {
		t.Errorf("the page is\n%s\n%v", &b, err)
	}
}

// Programs have the sizeColumns that have a key.
func TestRecords(t *testing.T) {
	got := Records(sizeColumns, []size{{"64", "800"}})
	if len(got) != 2 || strings.Join(got[0], ",") != "frame_size,rate,unit" || strings.Join(got[1], ",") != "64,800000,frames/s" {
		t.Errorf("records are %v", got)
	}
}
