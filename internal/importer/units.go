package importer

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A unit is what a word behind a number says.
type unit struct {
	name    string  // weir's own: bit/s of Mbit/s; "": nothing was said
	scale   float64 // what one is in that
	written string  // the word
}

// said is the unit in a message.
func (u unit) said() string {
	if u.name == "" {
		return "a number without a unit"
	}
	return fmt.Sprintf("a number of %s", shortened(u.written))
}

// unitWords are the words of units, as tools write them.
var unitWords = []struct {
	word *regexp.Regexp
	name string
	base float64
}{
	{regexp.MustCompile(`^(?:bits?/s(?:ec(?:ond)?)?|b/s|bps)$`), "bit/s", 1000},
	{regexp.MustCompile(`^(?:Bytes?/s(?:ec(?:ond)?)?)$`), "B/s", 1024}, // as iperf counts
	{regexp.MustCompile(`^(?:bytes?/s(?:ec(?:ond)?)?|B/s|Bps)$`), "B/s", 1000},
	{regexp.MustCompile(`^bits?$`), "bit", 1000}, // an amount: of what time is not said
	{regexp.MustCompile(`^Bytes?$`), "B", 1024},
	{regexp.MustCompile(`^bytes?$`), "B", 1000},
	{regexp.MustCompile(`^(?:pps|fps|(?:packets?|pkts?|frames?|pk|p)/s(?:ec(?:ond)?)?)$`), "frames/s", 1000},
	{regexp.MustCompile(`^(?:cps|conn(?:ection)?s?/s(?:ec)?)$`), "connections/s", 1000},
	{regexp.MustCompile(`^(?:tps|trans(?:action)?s?/s(?:ec)?|req(?:uest)?s?/s(?:ec)?)$`), "transactions/s", 1000},
}

// prefixes are those of thousands, and powers the same as netperf writes them.
var (
	prefixes = map[string]int{"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
	powers   = map[string]float64{"10^3": 1e3, "10^6": 1e6, "10^9": 1e9, "10^12": 1e12}
	times    = map[string]float64{"s": 1, "sec": 1, "secs": 1, "seconds": 1, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6, "µs": 1e-6, "ns": 1e-9, "nsec": 1e-9}
	prefixed = regexp.MustCompile(`^(10\^\d+|[kKMGT]?)(i?)(.+)$`)
	rateLike = regexp.MustCompile(`(?i)./s(ec(ond)?)?$`)
	glued    = regexp.MustCompile(`^([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)([A-Za-zµ%].*)$`)
)

// unitOf is what a word says; false where it is no unit.
func unitOf(word string) (unit, bool) {
	word = strings.TrimRight(word, ",;")
	if word == "%" {
		return unit{"%", 1, word}, true
	}
	if scale, ok := times[word]; ok {
		return unit{"s", scale, word}, true
	}
	m := prefixed.FindStringSubmatch(word)
	if m == nil {
		return unit{}, false
	}
	for _, u := range unitWords {
		if !u.word.MatchString(m[3]) {
			continue
		}
		if power, ok := powers[m[1]]; ok {
			return unit{u.name, power, word}, true
		}
		base, scale := u.base, 1.
		if m[2] == "i" {
			base = 1024
		}
		for range prefixes[m[1]] {
			scale *= base
		}
		return unit{u.name, scale, word}, true
	}
	if rateLike.MatchString(word) {
		return unit{word, 1, word}, true // of something that weir does not know
	}
	return unit{}, false
}

// withUnit is a number with its unit: that which is written right behind it, or the next word.
func withUnit(word, next string) (float64, unit, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err == nil {
		if u, ok := unitOf(next); ok {
			return v, u, nil
		}
		return v, unit{scale: 1}, nil
	}
	m := glued.FindStringSubmatch(word)
	if m == nil {
		return 0, unit{}, err
	}
	u, ok := unitOf(m[2])
	if !ok {
		return 0, unit{}, err
	}
	v, err = strconv.ParseFloat(m[1], 64)
	return v, u, err
}
