package figures

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"weir"
	"weir/internal/method"
	"weir/internal/result"
)

// TransferUnits are the units of rates of transfers.
var TransferUnits = []string{"bit/s", "transactions/s", "connections/s", "sessions/s"}

// BenchLine is a result as a line of Go's benchmark format.
func BenchLine(b *bytes.Buffer, c weir.Campaign, r weir.Result) {
	if result.Unknown(&r) && r.RoundTrip == nil {
		return // a 0 would count as a sample
	}
	var units strings.Builder
	if r.Unit == "frames/s" || slices.Contains(TransferUnits, r.Unit) {
		fmt.Fprintf(&units, " %s %s", Exact(r.Value), r.Unit)
	}
	name := strings.ReplaceAll(r.Method, " ", "-")
	switch {
	case Kind(&r) == method.Delay: // its percentiles follow
	case r.Unit == "s":
		fmt.Fprintf(&units, " %s %s-ns", nanoseconds(r.Value), name)
	case r.Unit == "frames":
		fmt.Fprintf(&units, " %s frames", Exact(r.Value))
	case r.Unit == "":
		fmt.Fprintf(&units, " %s lost/frame", Exact(r.Value))
	}
	for _, m := range result.Kept(result.Benchmark) {
		if v, known := m.Of(&r); known && m.Unit != result.OfResult {
			unit := strings.Replace(m.Name(), "seconds", "ns", 1)
			if unit == m.Name() {
				unit += "-ns"
			}
			fmt.Fprintf(&units, " %s %s", nanoseconds(v.Value), unit)
		}
	}
	if units.Len() == 0 {
		return // nothing that the format can say
	}
	if r.Run != (weir.Run{}) {
		// Keys of their own would keep the runs of one arm from being samples
		// of one benchmark.
		fmt.Fprintf(b, "# run %d, block %d\n", r.Run.Number, r.Run.Block)
	}
	b.WriteString("Benchmark" + title(r.Method))
	if r.Run.Arm != "" {
		fmt.Fprintf(b, "/arm=%s", strings.Join(strings.Fields(r.Run.Arm), "_"))
	}
	if r.Run.Again {
		b.WriteString("/again=yes")
	}
	benchTransfer(b, r.Transfer)
	for _, name := range result.Names(r.Factors) {
		if name == "frame_size" && result.OfTransfer(&r) {
			continue
		}
		fmt.Fprintf(b, "/%s=%s", name, strings.Join(strings.Fields(result.Level(r.Factors[name])), "_"))
	}
	if Kind(&r) == method.Rate || Kind(&r) == method.Goals {
		fmt.Fprintf(b, "/loss=%s", Exact(r.LossRatio))
	}
	if l := loadOf(c, &r); l.Share > 0 {
		fmt.Fprintf(b, "/load=%s%%", l.percent())
	}
	fmt.Fprintf(b, " 1%s\n", &units)
}

// benchTransfer writes what tells a transfer from others of its method.
func benchTransfer(b *bytes.Buffer, t *weir.Transfer) {
	if t == nil {
		return
	}
	for _, k := range []struct {
		name, value string
		usual       bool
	}{
		{"test", t.Test, t.Test == ""},
		{"streams", fmt.Sprint(t.Streams), t.Streams <= 1},
		{"rate", Exact(t.Rate), t.Rate == 0},
		{"payload", fmt.Sprint(t.Payload), t.Payload == 0},
		{"sessions", fmt.Sprint(t.Sessions), t.Sessions == 0},
		{"flood", Exact(t.Flood), t.Flood == 0},
		{"files", fmt.Sprintf("%dx%d", t.Files, t.FileSize), t.Files == 0},
		{"storage", string(t.Storage), t.Storage == ""},
	} {
		if !k.usual {
			fmt.Fprintf(b, "/%s=%s", k.name, strings.Join(strings.Fields(k.value), "_"))
		}
	}
}

func nanoseconds(seconds float64) string { return fmt.Sprintf("%.6g", seconds*1e9) }

// title is a method's name as one word in capitals: "RateAtLoss".
func title(method string) string {
	var s strings.Builder
	up := true
	for _, c := range method {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			up = true
		case up:
			s.WriteRune(unicode.ToUpper(c))
			up = false
		default:
			s.WriteRune(c)
		}
	}
	return s.String()
}
