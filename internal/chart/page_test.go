package chart

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The script gets back what was drawn, with the range of the picture, and no word
// ends its block.
func TestData(t *testing.T) {
	const open, end = `<script type="application/json">`, `</script>`
	text, found := strings.CutPrefix(evil.placed().data(500, 300), open)
	if text = strings.TrimSuffix(text, end); !found || strings.ContainsAny(text, "<>") {
		t.Fatalf("data could break out of its block: %s", text)
	}
	var got Chart
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := Chart{
		X: Axis{Label: "a<b", Min: 0, Max: 3}, Y: Axis{Label: "</script>", Log: true, Min: 10, Max: 10000},
		Series: []Series{{Name: `x & "y"`, Line: true, Dots: true, End: "<end>", Points: []Point{{X: 2, Y: 10, Tip: "<tip>"}, {X: 3, Y: 1e4}}}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Axis{})); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(text, `"ink":"--c0","shape":"m-4.4`) {
		t.Errorf("no colour and no shape in %s", text)
	}
	if got := (Chart{}).placed().data(500, 300); !strings.Contains(got, `"series":null`) {
		t.Errorf("an empty chart is %s", got)
	}
}

// What others wrote is what it says beside it, unchanged.
func TestUPlotIsPinned(t *testing.T) {
	file, err := os.Open("uplot/README.md")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	checked := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		want, name, found := strings.Cut(lines.Text(), "  ")
		if !found {
			continue
		}
		text, err := os.ReadFile(filepath.Join("uplot", name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s is not what uplot/README.md says", name)
		}
		checked++
	}
	if checked != 3 {
		t.Errorf("%d files are pinned", checked)
	}
	if first, _, _ := strings.Cut(uplotScript, "\n"); !strings.Contains(first, "(v1.6.32)") {
		t.Errorf("the version is %s", first)
	}
}

// A page can hold the script and the style as they are.
func TestPageParts(t *testing.T) {
	for name, text := range map[string]string{"script": string(Script()), "style": string(Style())} {
		if strings.Contains(text, "</") || strings.Contains(text, "url(") || strings.Contains(text, "@import") {
			t.Errorf("the %s ends its element, or reaches for something", name)
		}
	}
}
