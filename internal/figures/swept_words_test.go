package figures

import (
	"math"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv/samples"
)

// A lower bound is told as one.
func TestSweptLowerBound(t *testing.T) {
	c := samples.OneSweep(func(r *weir.Result) {
		r.KneeZero, r.Lower, r.Upper, r.Claim.Name = weir.Bounds{}, r.Value, r.Value, r.Claim.Name+", at least"
	})
	if got := Headline(c, GridOf(c)).String(); !strings.Contains(got, "at 800 kpps or more at a loss of 0.5 % in") {
		t.Errorf("it is told as %q", got)
	}
}

// What a DUT forwards at its other speeds stands beside what it forwards at the one that leads.
func TestSweptSpeeds(t *testing.T) {
	c := samples.OneSweep(func(r *weir.Result) {
		r.Speeds = []weir.Speed{{Capacity: 8e5, Share: .4, Lead: true}, {Capacity: 5.8e5, Share: .35}, {Capacity: 3.7e5, Share: .25}}
		r.Track = []weir.Moment{{From: 0, Until: 2, Capacity: 8e5}, {From: 2, Until: 5, Capacity: 5.8e5}}
	})
	if got := Headline(c, GridOf(c)).String(); !strings.HasSuffix(got, "; for 60 % of the time it, or its machine, was slower: 580 and 370 kpps.") {
		t.Errorf("it is told as %q", got)
	}
	c.Results[0].Speeds = []weir.Speed{{Capacity: 1e6, Share: .004}, {Capacity: 9e5, Share: .1, Inferred: true}, {Capacity: 8e5, Share: .6, Lead: true}, {Capacity: 3.7e5, Share: .3}}
	if got := Headline(c, GridOf(c)).String(); !strings.HasSuffix(got, "; for 10 % of the time it, or its machine, was faster: about 900 kpps; for 30 % of the time slower: 370 kpps.") {
		t.Errorf("it is told as %q", got)
	}
	if p := TrackPlot(GridOf(c)); len(p.Series) != 1 || len(p.Series[0].Points) != 4 {
		t.Errorf("its track is %+v", p)
	}
	r := &c.Results[0]
	r.Track = append(r.Track, weir.Moment{From: r.Track[len(r.Track)-1].Until + 5, Until: r.Track[len(r.Track)-1].Until + 6, Capacity: 7e5})
	if p := TrackPlot(GridOf(c)); len(p.Series) != 2 || p.Series[1].Name != "" || p.Series[1].Color != p.Series[0].Color || len(p.Series[1].Points) != 2 {
		t.Errorf("its track goes on over a pause of 5 s: %+v", p.Series)
	}
	c.Results[0].Limited, c.Results[0].Claim.Name = "speed", c.Results[0].Claim.Name+", at least"
	if got := Headline(c, GridOf(c)).String(); !strings.Contains(got, "790 kpps or more without loss") {
		t.Errorf("a lower bound is told as %q", got)
	}
}

// Speeds are the machine's where exchanges between its CPUs go with them.
func TestSweptSpeedsOfMachine(t *testing.T) {
	began := time.Unix(1e9, 0)
	c := samples.OneSweep(func(r *weir.Result) {
		r.TrackBegan, r.Speeds = began, []weir.Speed{{Capacity: 8e5, Share: .5, Lead: true}, {Capacity: 5.8e5, Share: .5}}
	})
	for i, slow := range "00100011011000010111110100110001" {
		r, trial := &c.Results[0], weir.TrialResult{Start: began.Add(time.Duration(i) * time.Second), Sending: 500 * time.Millisecond}
		took := 60*time.Nanosecond + time.Duration(slow-'0')*170
		trial.Host.Exchange = [2]time.Duration{took, took}
		c.Trials = append(c.Trials, trial)
		r.Track = append(r.Track, weir.Moment{From: float64(i), Until: float64(i) + .5, Capacity: r.Speeds[slow-'0'].Capacity})
	}
	if got := Headline(c, GridOf(c)).String(); !strings.HasSuffix(got, "; for 50 % of the time this machine was slower: 580 kpps.") {
		t.Errorf("it is told as %q", got)
	}
}

// Each number has the sign that it deserves, and no other one has it.
func TestSweptSigns(t *testing.T) {
	warn := func(r *weir.Result, code weir.WarningCode) {
		r.Warnings = append(r.Warnings, weir.Warning{Code: code, Sentence: weir.Say("made up").Then("; and so on")})
	}
	for name, c := range map[string]struct {
		change func(*weir.Result)
		cells  string // without loss, with loss, +-, saturated
		note   string
	}{
		"nothing to say": {func(*weir.Result) {}, "790 800 5.0 780", ""},
		"stalls":         {func(r *weir.Result) { r.WithStalls.Value = 6e5; warn(r, weir.NoisyResult) }, "790! 800! 5.0 780", "! in doubt: trials disagreed (64)"},
		"still growing":  {func(r *weir.Result) { warn(r, weir.NoisyResult) }, "790 800 5.0 780!", "! in doubt: trials disagreed (64)"},
		"short windows":  {func(r *weir.Result) { warn(r, weir.ShortWindows) }, "790! 800! 5.0 780", "! in doubt: windows too short (64)"},
		"beyond":         {func(r *weir.Result) { warn(r, weir.BeyondTester) }, "790 800 5.0 780", "64: made up; and so on"},
		"contradiction": {func(r *weir.Result) { r.KneeZero.Value = 8.1e5 }, "810! 800 5.0 780",
			"! 64: more without loss than at a loss of 0.5 %, which cannot be"},
		"lower bound": {func(r *weir.Result) {
			r.KneeZero, r.Saturated, r.Lower, r.Upper, r.Limited = weir.Bounds{}, weir.Bounds{}, r.Value, r.Value, "tester"
			r.Claim.Name += ", at least"
			warn(r, weir.SearchLimit)
		}, "- >=800 - -", ""},
		"several speeds": {func(r *weir.Result) {
			r.Speeds = []weir.Speed{{Capacity: 8e5, Share: .4, Lead: true}, {Capacity: 5.8e5, Share: .35}, {Capacity: 3.7e5, Share: .25}}
		}, "790 800 5.0 780", "at other times the rates were different, and are not in these numbers: 64: 580 and 370 kpps for 60 %"},
		"a faster speed was seen": {func(r *weir.Result) {
			r.Speeds, r.Limited = []weir.Speed{{Capacity: 1e6, Share: .05}, {Capacity: 8e5, Share: .95, Lead: true}}, "speed"
			r.Claim.Name += ", at least"
			warn(r, weir.SearchLimit)
		}, ">=790 >=800 - >=780", "at other times the rates were different, and are not in these numbers: 64: 1,000 kpps for 5 %"},
		"overload":    {func(r *weir.Result) { r.Saturated = weir.Bounds{Value: 6e5, Lower: 5.9e5, Upper: 6.1e5} }, "790 800 5.0 600", "overload costs 25 % (64)"},
		"far apart":   {func(r *weir.Result) { r.Upper = 4 * r.Value }, "790! 800! 300 780", "! in doubt: bounds far apart (64)"},
		"first round": {samples.FirstRound, "790 800 - 780", "64: no interval yet: it takes two rounds with a knee, or ten blocks of one, for which there was not the time"},
		"always loss": {func(r *weir.Result) { r.KneeZero = weir.Bounds{} }, "- 800 5.0 780",
			"64: at no load did the median window lose nothing"},
		"no number": {func(r *weir.Result) {
			r.Value, r.Lower, r.Upper, r.KneeZero, r.Saturated = 0, 0, 0, weir.Bounds{}, weir.Bounds{}
			warn(r, weir.BusyMachine)
		}, "- - - -", "64: no number: made up"},
	} {
		g := GridOf(samples.OneSweep(c.change))
		row := SweptTable(g).Rows[0]
		var cells []string
		for _, cell := range row[1:5] {
			cells = append(cells, strings.ReplaceAll(cell.String(), " ", ""))
		}
		if got := strings.Join(cells, " "); got != c.cells {
			t.Errorf("%s: the cells are %s, want %s", name, got, c.cells)
		}
		if got := strings.Join(SweptNotes(g), "; "); got != c.note {
			t.Errorf("%s: the note is %q, want %q", name, got, c.note)
		}
		if terms := SweptTerms(g); terms != "" && strings.Contains(terms, ">=: at least") != strings.Contains(c.cells, ">=") {
			t.Errorf("%s: the terms of %s are %q", name, c.cells, terms)
		}
	}
}

// A DUT that forwards the same at any overload loses nothing by one: its knee at a
// loss ratio lies above what it forwards.
func TestOverloadCost(t *testing.T) {
	for _, loss := range []float64{0, .005, .1} {
		for want, saturated := range map[float64]float64{0: 7e5, .25: 5.25e5} {
			c := samples.OneSweep(func(r *weir.Result) {
				knee := 7e5 / (1 - loss)
				r.LossRatio, r.Value, r.Lower, r.Upper = loss, knee, .999*knee, 1.001*knee
				r.Saturated = weir.Bounds{Value: saturated, Lower: .9999 * saturated, Upper: 1.0001 * saturated}
			})
			if got := overloadCost(&c.Results[0]); math.Abs(got-want) > 1e-9 {
				t.Errorf("with a loss of %v and %v saturated an overload costs %v, want %v", loss, saturated, got, want)
			}
		}
	}
}

// A knee that is only a lower bound is told so in a sentence that can be read.
func TestToldAtLeast(t *testing.T) {
	c := samples.OneSweep(func(r *weir.Result) {
		r.KneeZero, r.Value, r.Lower, r.Upper, r.Claim.Name = weir.Bounds{}, 2e7, 2e7, 2e7, "capacity, windows, at least"
	})
	const want = "This box forwards 64-octet frames at 20,000 kpps or more at a loss of 0.5 % in most windows of 5 ms."
	if got := Headline(c, GridOf(c)).String(); got != want {
		t.Errorf("it is told as %q, want %q", got, want)
	}
}

// More rounds narrow bounds where there are some.
func TestAdviceOnTrust(t *testing.T) {
	for want, c := range map[string]confidence{
		"":                                     {windows: 400},
		"what disturbs it is not known":        {windows: 400, left: .72},
		"more rounds narrow the bounds":        {windows: 400, widest: .08},
		"mend what is named first, and repeat": {windows: 400, left: .72, other: .04, causes: []weir.Warning{{}}},
		"mend what is named first, stop what else runs here, and repeat": {windows: 400, left: .72, other: .3, causes: []weir.Warning{{}}},
		"stop what else runs here, and repeat":                           {windows: 400, left: .72, other: .3},
		"repeat when the host is quiet, or on CPUs of one's own":         {windows: 400, steal: .3},
	} {
		if got := strings.Join(c.Advice(), "; "); got != want {
			t.Errorf("the advice is %q, want %q", got, want)
		}
	}
}

// A narrow table leaves columns out, those with the frames and the rate last.
func TestSweptTableFits(t *testing.T) {
	g := GridOf(samples.OneSweep(func(*weir.Result) {}))
	wide := SweptTable(g)
	before := len(wide.Columns) + 1
	for width := wide.Width(); width > 0; width -= 7 {
		narrow := wide.Fit(width)
		if narrow.Width() > width && len(narrow.Columns) > 2 {
			t.Errorf("it has %d columns of text, want %d", narrow.Width(), width)
		}
		heads := narrow.Columns
		if len(heads) > before || heads[0].Head != "frame" || heads[len(heads)-1].Head == "" && len(heads) == 2 {
			t.Errorf("on %d columns it is %v", width, heads)
		}
		before = len(heads)
	}
}

// How far sweeps can be trusted depends on whatever was worst.
func TestTrust(t *testing.T) {
	for want, c := range map[string]confidence{
		"quiet: no window of 400 was left out": {windows: 400},
		"disturbed: 6 % of 400 windows were left out (generator stood still); the bounds are +-8.0 % over 3 rounds": {widest: .08, rounds: 3, windows: 400, left: .06,
			reasons: []weir.LeftOut{{Reason: "generator stood still"}}},
		"badly disturbed: as other work took 31 % of the CPUs and the hypervisor 0.4 %, forwarding stopped 11 times a second, for 4.1 ms and at most 30 ms; no window of 400 was left out": {
			windows: 400, stops: 11.2, half: .0041, most: .03, other: .31, steal: .004},
	} {
		if got := c.String(); got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}
