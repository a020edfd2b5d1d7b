package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// ipgen is what iij's ipgen leaves: the chart or the JSON of its search (--rfc2544), and the
// log of its counters (-L), an object a second.
var ipgen = Format{
	Name: "ipgen", Summary: "what ipgen leaves: the chart or the JSON of --rfc2544, the log of -L",
	Recognise: func(f File) bool {
		return ipgenRow.Match(f.Head) || f.isJSON("framesize", "curpps") || f.isJSON("apiversion", "statistics", "TXpps")
	},
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("ipgen", "packets/s: of a search the highest load whose loss it tolerated, of a log the median of what came back in a second", files, o)
		for _, f := range files {
			results, err := readIPGen(f, &c)
			switch {
			case err != nil:
				return weir.Campaign{}, err
			case len(results) == 0:
				return weir.Campaign{}, fmt.Errorf("%s: nothing was sent in it", f.Path)
			}
			for i := range results {
				results[i].Factors[set] = armOf(f)
			}
			add(&c, armOf(f), results...)
		}
		began(&c, nil)
		finish(&c, set)
		return c, nil
	},
}

// ipgenRow is a row of a chart: the frame size, the load and the most that there can be.
var ipgenRow = regexp.MustCompile(`(?m)^ *(\d+) \|#* *(?:[\d.]+Mbps, +)?(\d+)/ *(\d+)pps`)

// ipgenObject is that of a search, or of a second.
type ipgenObject struct {
	Sizes map[string]struct {
		Rate json.Number `json:"curpps"`
		Most json.Number `json:"limitpps"`
	} `json:"framesize"`
	Ports []ipgenPort `json:"statistics"`
}

// ipgenPort is what is taken of a port in a second.
type ipgenPort struct {
	Size     float64 `json:"packetsize"` // from the header of IP on
	Sent     float64 `json:"TXpps"`
	Received float64 `json:"RXpps"`
}

// aroundIP are the octets of a frame around its IP packet, with the FCS.
const aroundIP = 18

func readIPGen(f File, c *weir.Campaign) (out []weir.Result, err error) {
	if !f.isJSONFile() {
		seen := map[string]bool{} // the second chart repeats the first one
		err = f.lines(func(_ int, line string) error {
			if m := ipgenRow.FindStringSubmatch(line); m != nil && !seen[m[1]] {
				seen[m[1]] = true
				out = append(out, ipgenFound(m[1], m[2], m[3]))
			}
			return nil
		})
		return out, err
	}
	objects, err := objects[ipgenObject](f, c)
	if err != nil {
		return nil, err
	}
	var seconds [][]ipgenPort
	for _, o := range objects {
		sizes := slices.SortedFunc(maps.Keys(o.Sizes), func(a, b string) int { return int(signed(a) - signed(b)) })
		for _, size := range sizes {
			out = append(out, ipgenFound(size, o.Sizes[size].Rate.String(), o.Sizes[size].Most.String()))
		}
		if len(o.Ports) == 2 {
			seconds = append(seconds, o.Ports)
		}
	}
	for from, direction := range []string{"reverse", "forward"} { // it sends from its second port
		if r, ok := ipgenWay(seconds, from); ok {
			r.Factors["direction"] = direction
			out = append(out, r)
		}
	}
	return out, nil
}

// isJSONFile reports whether the text of a file begins as JSON does.
func (f File) isJSONFile() bool {
	text, err := f.text()
	text = []byte(strings.TrimSpace(string(text)))
	return err == nil && (text[0] == '{' || text[0] == '[')
}

// ipgenFound is what a search found for a frame size.
func ipgenFound(size, rate, most string) weir.Result {
	r := weir.Result{Claim: weir.PublishedAs("highest load within the loss that was tolerated"), Value: signed(rate), Unit: "frames/s", Factors: weir.Factors{}}
	if octets, err := strconv.Atoi(size); err == nil {
		r.Factors["frame_size"], r.MeanSize = octets, float64(octets)
	}
	judge(&r, facts{medium: signed(most), carrier: "the medium"})
	return r
}

// ipgenWay is the direction of the frames that a port sends: from the first second with
// some to the last.
func ipgenWay(seconds [][]ipgenPort, from int) (weir.Result, bool) {
	var sent, received []float64
	size := 0.
	for _, ports := range seconds {
		if ports[from].Sent > 0 {
			sent, received = append(sent, ports[from].Sent), append(received, ports[1-from].Received)
			size = ports[from].Size
		}
	}
	if len(sent) == 0 {
		return weir.Result{}, false
	}
	offered, value := median(sent), median(received)
	r := weir.Result{
		Claim: weir.PublishedAs("forwarding rate at one load"), Value: value, Unit: "frames/s", LossRatio: max(0, 1-value/offered), TrialSeconds: float64(len(sent)),
		Factors: weir.Factors{}, Figures: []weir.Figure{{Name: weir.OfferedLoad, Value: offered, Unit: "frames/s"}},
	}
	if size > 0 {
		r.Factors["frame_size"], r.MeanSize = int(size+aroundIP), size+aroundIP
	}
	judge(&r, facts{})
	return r, true
}
