package importer

import (
	"fmt"
	"regexp"
	"strings"

	"weir"
)

// trexConsole is what TRex shows: the tables of its console, and those of its server.
var trexConsole = Format{
	Name: "trex-console", Summary: "what TRex's console or server shows: the last table of statistics is a run",
	Recognise: func(f File) bool {
		return trexRow.Match(f.Head) && (trexTotal.Match(f.Head) || trexGlobal.Match(f.Head))
	},
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("trex-console", "packets/s over all ports that TRex received at one load", files, o)
		for _, f := range files {
			r, err := readTRexConsole(f)
			if err != nil {
				return weir.Campaign{}, err
			}
			r.Factors = weir.Factors{set: armOf(f)}
			add(&c, armOf(f), r)
		}
		note(&c, "the frame size was not said")
		began(&c, nil)
		finish(&c, set)
		return c, nil
	},
}

var (
	trexRow    = regexp.MustCompile(`(?m)^ *(opackets|ipackets) +\|`)
	trexTotal  = regexp.MustCompile(`(?m)^ *port +\|.*\btotal\b`)
	trexGlobal = regexp.MustCompile(`(?m)^ *-?Global stat`)
	trexNumber = regexp.MustCompile(`(-?[\d,.]+) *([KMGT]?)(pps|pkts|b/s|Gb/s|Mb/s)?`)
	trexSpeed  = regexp.MustCompile(`([\d.]+) *Gb/s`)
	trexEscape = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
)

// readTRexConsole reads the last table of a log.
func readTRexConsole(f File) (weir.Result, error) {
	rows := map[string][]float64{} // by their names, a number for each port, and the total where there is one
	summed, speed, ports := false, 0., 0
	err := f.lines(func(_ int, line string) error {
		line = trexEscape.ReplaceAllString(line, "")
		if trexTotal.MatchString(line) {
			summed = true
		}
		name, rest, ok := strings.Cut(line, "|")
		if !ok {
			return nil
		}
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "speed" {
			speed, ports = 0, 0
			for _, m := range trexSpeed.FindAllStringSubmatch(rest, -1) {
				speed += scaled(m[1], "G")
				ports++
			}
			return nil
		}
		var row []float64
		for _, cell := range strings.Split(rest, "|") {
			if m := trexNumber.FindStringSubmatch(strings.TrimSpace(cell)); m != nil {
				digits := strings.ReplaceAll(m[1], ",", "")
				if strings.HasPrefix(digits, "-") {
					row = append(row, -scaled(digits[1:], m[2]))
				} else {
					row = append(row, scaled(digits, m[2]))
				}
			}
		}
		if len(row) > 0 {
			rows[name] = row
		}
		return nil
	})
	if err != nil {
		return weir.Result{}, err
	}
	all := func(name string) float64 {
		row := rows[name]
		if summed && len(row) > 1 {
			return row[len(row)-1]
		}
		sum := 0.
		for _, v := range row {
			sum += v
		}
		return sum
	}
	sent, received := all("opackets"), all("ipackets")
	if sent == 0 {
		return weir.Result{}, fmt.Errorf("%s: no packet was sent: opackets is missing or 0", f.Path)
	}
	r := weir.Result{
		LossRatio: min(1, max(0, 1-received/sent)),
		Figures:   []weir.Figure{{Name: weir.OfferedLoad, Value: all("tx pps"), Unit: "frames/s"}, {Name: figureSent, Value: sent, Unit: "frames"}, {Name: figureReceived, Value: received, Unit: "frames"}},
	}
	r.Claim, r.Value, r.Unit = weir.PublishedAs("forwarding rate at one load"), all("rx pps"), "frames/s"
	if r.Value == 0 { // the server's table has no rates
		r.Claim, r.Value, r.Unit, r.Figures = weir.PublishedAs("loss ratio"), r.LossRatio, "", r.Figures[1:]
	}
	said := facts{}
	if speed > 0 && r.Unit != "" {
		said.medium, said.carrier = speed/(8*(60+4+aroundFrame)), fmt.Sprintf("%d ports of together %g Gbit/s, of the smallest frames", ports, speed/1e9)
	}
	judge(&r, said)
	return r, nil
}
