package figures

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/method"
	"weir/internal/proof"
	"weir/internal/result"
)

// OfTransfer reports whether a comparison is of transfers.
func OfTransfer(c proof.Comparison) bool {
	return c.Traffic == result.Streams || c.Transfer != weir.Transfer{}
}

// ProgramOf is what people call the program of a method.
func ProgramOf(name string) string { return cmp.Or(method.TitleOf(name), name) }

// TransferTitle names a transfer: "FTP", "netperf TCP_STREAM", "iperf, 3
// streams", "UDP at 50.0 Mbit/s". It may be nil.
func TransferTitle(method string, t *weir.Transfer) string {
	text := ProgramOf(method)
	if t == nil {
		return text
	}
	if t.Test != "" {
		text += " " + t.Test
	}
	if t.Rate > 0 {
		text += " at " + BitRate(t.Rate)
	}
	if t.Sessions > 0 {
		text += fmt.Sprintf(", %d sessions", t.Sessions)
	}
	if t.Flood > 0 {
		text += fmt.Sprintf(", %s PADIs/s", significantOrWhole(t.Flood))
	}
	if t.Streams > 1 {
		text += fmt.Sprintf(", %d streams", t.Streams)
	}
	return text
}

// FilesText returns the files of a transfer, and where they lie: "13 x 1.90 GB,
// memory".
func FilesText(t weir.Transfer) string {
	if t.Files == 0 {
		return ""
	}
	size := significantOrWhole(float64(t.FileSize)/1e6) + " MB"
	if t.FileSize >= 1e9 {
		size = significantOrWhole(float64(t.FileSize)/1e9) + " GB"
	}
	text := fmt.Sprintf("%d x %s", t.Files, size)
	if t.Storage != "" {
		text += ", " + string(t.Storage)
	}
	return text
}

// Distinguish returns what distinguishes a transfer from others of the same title; "" where
// there are none.
func Distinguish(method string, t weir.Transfer, others []weir.Transfer) string {
	for _, o := range others {
		if o == t || TransferTitle(method, &o) != TransferTitle(method, &t) {
			continue
		}
		if files := FilesText(t); files != FilesText(o) {
			return files
		}
		if t.Payload != o.Payload && t.Payload > 0 {
			return fmt.Sprintf("%d octets", t.Payload)
		}
		if t.WarmUp != o.WarmUp {
			return fmt.Sprintf("warm-up %v s", t.WarmUp.Seconds())
		}
	}
	return ""
}

// testOf is which of a program's tests a transfer is; "" where it is not given.
func testOf(t *weir.Transfer) string {
	if t == nil {
		return ""
	}
	return t.Test
}

// PathOf is which way the octets of a transfer go. Near is host 0, and far host
// 1.
func PathOf(f weir.Factors) string {
	switch {
	case f["bidirectional"] == true || f["direction"] == "both":
		return "near <-> far"
	case f["direction"] == "reverse":
		return "far -> near"
	}
	return "near -> far"
}

// TransferLevels are the levels of a transfer but its direction, without
// those in common: where its server is first, then the MTU.
func TransferLevels(f, common weir.Factors) []string {
	rest := maps.Clone(f)
	delete(rest, "direction")
	delete(rest, "bidirectional")
	var out []string
	for _, name := range []string{"server", "mtu"} {
		if v, there := rest[name]; there {
			if _, shared := common[name]; !shared {
				out = append(out, Written(name, v))
			}
			delete(rest, name)
		}
	}
	return append(out, Changes(rest, common)...)
}

// transferLabel is a transfer's row: "near -> far, server at the target, MTU
// 9000".
func transferLabel(f, common weir.Factors) string {
	return strings.Join(append([]string{PathOf(f)}, TransferLevels(f, common)...), ", ")
}

// namedLevels are levels that have a name in words.
var namedLevels = map[string]string{
	"server source": "server at the source", "server destination": "server at the target",
}

// LevelWords is a factor with its level, as people say it: "MTU 9000", "server
// at the target", and "firewall stateful".
func LevelWords(name, level string) string {
	if name == "mtu" {
		return "MTU " + level
	}
	text := strings.ReplaceAll(name, "_", " ") + " " + level
	return cmp.Or(namedLevels[text], text)
}

// A BitScale is the unit of rates in a table.
type BitScale struct {
	Name   string
	factor float64
}

var (
	megabitScale = BitScale{"Mbit/s", 1e6}
	gigabitScale = BitScale{"Gbit/s", 1e9}
)

// ScaleFor is the unit in which all rates of a table can be read.
func ScaleFor(rates []float64) BitScale {
	least := 0.
	for _, v := range rates {
		if v > 0 && (least == 0 || v < least) {
			least = v
		}
	}
	if least >= 10e9 {
		return gigabitScale
	}
	return megabitScale
}

// Of is a rate in bit/s in that unit.
func (s BitScale) Of(v float64) string { return Significant(v / s.factor) }

// BitRate is a rate with the unit that suits it: "941 Mbit/s", "12.4 Gbit/s".
func BitRate(v float64) string {
	s := megabitScale
	if v >= 999.5e6 {
		s = gigabitScale
	}
	return s.Of(v) + " " + s.Name
}

// octetRate is a rate of files: "36.9 MB/s (295 Mbit/s)".
func octetRate(v float64) string { return fmt.Sprintf("%s MB/s (%s)", Significant(v/8e6), BitRate(v)) }

// FilesOf reports whether a transfer is one of files.
func FilesOf(t *weir.Transfer) bool { return t != nil && t.Files > 0 }

// transferQuantity is the value of a transfer with its unit.
func transferQuantity(r *weir.Result) string {
	switch {
	case r.Unmeasured != "":
		return Missing
	case r.Unit == "bit/s" && FilesOf(r.Transfer):
		return octetRate(r.Value)
	}
	return Quantity(r.Value, r.Unit)
}

// describeTransfer returns a transfer in a sentence: "This box carries 941 Mbit/s of
// netperf (TCP_STREAM, near -> far)".
func describeTransfer(r *weir.Result, label, box string) string {
	in := label
	if test := testOf(r.Transfer); test != "" {
		in = test + ", " + in
	}
	program := ProgramOf(r.Method)
	switch {
	case r.Unmeasured != "":
		return fmt.Sprintf("%s (%s) was not measured: %s", program, in, strings.TrimSuffix(r.Unmeasured, "."))
	case r.Unit == "s":
		return fmt.Sprintf("%s, %s (%s): %s", box, program, in, seconds(r.Value))
	}
	return fmt.Sprintf("%s carries %s of %s (%s)", box, transferQuantity(r), program, in)
}

// WithTransfers is a campaign in which results without a value have the transfer
// and the unit of those that have one, where they do not say it themselves: those
// of the first of their method that is wanting at their levels.
func WithTransfers(c weir.Campaign) weir.Campaign {
	if !slices.ContainsFunc(c.Results, func(r weir.Result) bool { return r.Unmeasured != "" }) {
		return c
	}
	type kind struct {
		transfer weir.Transfer
		unit     string
	}
	kinds := make(map[string][]kind)
	taken := make(map[string]bool)
	place := func(r *weir.Result, k kind) string {
		return fmt.Sprint(r.Method, r.Run.Number, result.Levels(r.Factors, nil), k)
	}
	c.Results = slices.Clone(c.Results)
	for i := range c.Results {
		if r := &c.Results[i]; r.Unmeasured == "" && r.Transfer != nil {
			k := kind{r.Transfer.Kind(), r.Unit}
			if !slices.Contains(kinds[r.Method], k) {
				kinds[r.Method] = append(kinds[r.Method], k)
			}
			taken[place(r, k)] = true
		}
	}
	for i := range c.Results {
		r := &c.Results[i]
		if r.Unmeasured == "" || !result.OfTransfer(r) {
			continue
		}
		for _, k := range kinds[r.Method] {
			if r.Transfer != nil && r.Transfer.Kind() != k.transfer || taken[place(r, k)] {
				continue
			}
			taken[place(r, k)] = true
			r.Transfer, r.Unit = &k.transfer, k.unit
			break
		}
	}
	return c
}
