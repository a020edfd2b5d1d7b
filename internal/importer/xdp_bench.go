package importer

import (
	"fmt"
	"regexp"
	"strings"

	"weir"
)

// xdpBench is what xdp-bench and the samples of XDP print, a line or a block for each second.
var xdpBench = Format{
	Name: "xdp-bench", Summary: "what xdp-bench prints: each file is a run, the number the median of its seconds",
	Recognise: func(f File) bool { return xdpRate.Match(f.Head) },
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("xdp-bench", "the median of the packets/s of each second that a program of XDP took, at whatever load came; never a throughput", files, o)
		for _, f := range files {
			r, err := readXDPBench(f)
			if err != nil {
				return weir.Campaign{}, err
			}
			r.Factors[set] = armOf(f)
			add(&c, armOf(f), r)
		}
		note(&c, "the loss, the offered load and the frame size were not said")
		began(&c, nil)
		finish(&c, set)
		return c, nil
	},
}

var (
	xdpRate = regexp.MustCompile(`(?m)^(\S.*?) +([\d,]+) (?:rx/s|pkt/s) .*$`)
	xdpErrs = regexp.MustCompile(`([\d,]+) (?:err(?:,drop)?/s|drop/s)`)
	xdpDoes = regexp.MustCompile(`^(Dropping|Passing|Hairpinning|Redirecting|Hairpin|Transmitting)\b`)
)

// readXDPBench reads a log: of each second the line of all interfaces and CPUs.
func readXDPBench(f File) (weir.Result, error) {
	var rates, errs []float64
	named := false // lines of an interface, or of two; else those of all are the seconds
	does := ""
	err := f.lines(func(_ int, line string) error {
		if m := xdpDoes.FindString(line); m != "" {
			does = strings.ToLower(m)
		}
		m := xdpRate.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(m[1], "cpu:") || m[1] == "Summary" && named {
			return nil
		}
		if m[1] != "Summary" && !named {
			named, rates, errs = true, nil, nil
		}
		number := func(s string) float64 { return scaled(strings.ReplaceAll(s, ",", ""), "") }
		rates = append(rates, number(m[2]))
		lost := 0.
		if e := xdpErrs.FindStringSubmatch(line); e != nil {
			lost = number(e[1])
		}
		errs = append(errs, lost)
		return nil
	})
	if err != nil {
		return weir.Result{}, err
	}
	ran := busy(rates)
	if len(ran) == 0 {
		return weir.Result{}, fmt.Errorf("%s: no second in it has a packet: did anything come while xdp-bench ran?", f.Path)
	}
	r := weir.Result{Claim: weir.PublishedAs("packets taken"), Value: median(ran), Unit: "frames/s", TrialSeconds: float64(len(ran)), Factors: weir.Factors{}}
	if does != "" {
		r.Factors["program"] = does
	}
	if lost := median(errs); lost > 0 {
		r.Figures = []weir.Figure{{Name: "errors and drops", Value: lost, Unit: "frames/s"}}
	}
	judge(&r, facts{})
	return r, nil
}
