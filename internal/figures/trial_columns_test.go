package figures

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/document"
)

// Trials begin with what was asked for, what was sent and what came back, over all
// ports, for people and for programs.
func TestTrialsBeginWithTheirLoads(t *testing.T) {
	both := weir.Traffic{Name: "64", Sizes: []weir.Size{64}, Bidirectional: true}
	trial := weir.TrialResult{Trial: weir.Trial{Number: 7, Purpose: "throughput", Traffic: both, Intended: 500e3, Duration: time.Second}, Offered: 990e3, Received: 900e3, Sending: time.Second}
	most := trial
	most.Trial.Intended, most.Trial.Maximum = 0, true
	windows := trial
	windows.Trial.Intended, windows.Trial.Duration = 0, 0
	windows.Trial.Windows = []weir.Window{{Intended: 100e3, Duration: time.Second}, {Intended: 300e3, Duration: time.Second}}
	rows := document.TableOf(TrialColumns, []weir.TrialResult{trial, most, windows}).Rows
	for i, want := range []string{"1,000.0 990.0 900.0 10 7", "max 990.0 900.0 9.09", "400.0 495.0 450.0"} {
		if got := strings.Join(document.InWords(rows[i]), " "); !strings.HasPrefix(got, want) {
			t.Errorf("row %d is %q, want %q first", i, got, want)
		}
	}
	var b bytes.Buffer
	if err := TrialsCSV(&b, weir.Campaign{Trials: []weir.TrialResult{trial, most, {Trial: weir.Trial{Transfer: &weir.Transfer{}}}}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "intended_load,offered_load,received_load,") || !strings.HasPrefix(lines[1], "1000000,990000,900000,0.1,7,throughput,64,") || !strings.HasPrefix(lines[2], ",990000,900000,") {
		t.Errorf("CSV has\n%s", b.String())
	}
	text, err := json.Marshal(JSONTrialOf(trial))
	if err != nil || !strings.HasPrefix(string(text), `{"intended_load":1000000,"offered_load":990000,"received_load":900000,"trial":{`) || !strings.Contains(string(text), `"offered":990000`) {
		t.Errorf("JSON has %s, %v", text, err)
	}
}
