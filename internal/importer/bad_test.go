package importer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"weir"
)

// TestBadInput holds that the message of each mistake names the place and what
// is wrong.
func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		name, file, text, format string
		want                     []string
	}{
		{"a word", "a.pps", "508462\n511604\nfast\n", "", []string{"a.pps:3", `"fast" is no number`}},
		{"a unit now and then", "a.txt", "508462\n511604 pps\n", "", []string{"a.txt:2: a number of pps, and a number without a unit in line 1"}},
		{"two units", "a.txt", "941 Mbits/sec\n# and\n5 kpps\n", "", []string{"a.txt:3: a number of kpps, and a number of Mbits/sec in line 1"}},
		{"an unknown unit", "a.txt", "9 apples/s\n8 pears/s\n", "", []string{"a.txt:2: a number of pears/s, and a number of apples/s"}},
		{"a prefix alone", "a.txt", "5k\n", "", []string{"a.txt:1", `"5k"`}},
		{"infinite", "a.pps", "1\ninf\n", "", []string{"a.pps:2", `"inf" is no number`}},
		{"empty", "a.pps", "", "", []string{"a.pps holds no number"}},
		{"remarks alone", "a.pps", "# nothing\n\n", "", []string{"a.pps holds no number"}},
		{"prose", "notes.txt", "It was fast.\n", "", []string{"notes.txt:1", `"It" is no number`, "no format that weir knows", "#"}},
		{"an empty file", "empty.txt", "\r\n \n", "", []string{"empty.txt is empty"}},
		{"remarks alone", "remarks.txt", "# 1\n# 2\n", "", []string{"remarks.txt holds remarks alone"}},
		{"separators", "comma.txt", "742,979\n", "", []string{"comma.txt:1", "without separators"}},
		{"empty, asked for", "x.json", " ", "iperf3", []string{"x.json is empty"}},
		{"half of a file", "x.json", `{"start": {"test_start": {"protocol": "TCP"`, "", []string{"x.json:1", "begins in line 1 ends in the middle"}},
		{"a failed test", "x.json", `{"start": {"connected": []}, "intervals": [], "end": {}, "error": "unable to connect to server"}`, "", []string{"x.json", "unable to connect"}},
		{"a test cut off", "x.json", `{"start": {"connected": []}, "intervals": [], "end": {}}`, "", []string{"x.json", "cut off"}},
		{"no pkt-gen", "x.sender", "interface not found\n", "pkt-gen", []string{"x.sender", "no line with the rate of a second"}},
		{"no packets", "x.json", `{"0": {"opackets": 0, "ipackets": 0}, "total": {}}`, "", []string{"x.json", "no packet was sent"}},
		{"an old model", "x.json", `{"dut_type": "VPP", "dut_version": "1", "version": "0.2.0"}`, "", []string{"x.json", "the model is 0.2.0"}},
		{"an unknown type", "x.json", `{"dut_type": "VPP", "dut_version": "1", "version": "1.2.0", "result": {"type": "hoststack_ab"}}`, "", []string{"hoststack_ab", "it knows ndrpdr"}},
		{"a failed CSIT test", "x.json", `{"dut_type": "VPP", "dut_version": "1", "version": "1.2.0", "passed": false}`, "", []string{"none of the tests passed"}},
		{"an unknown format", "a.pps", "1\n", "nuttcp", []string{`unknown format "nuttcp"`, "netbenches, pkt-gen"}},
		{"a line without an end", "a.pps", strings.Repeat("9", longestLine+1), "", []string{"a.pps:1", "longer than"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Import(c.format, []string{write(t, c.file, c.text)}, Options{})
			if err == nil {
				t.Fatal("it is imported")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error %q does not say %q", err, want)
				}
			}
		})
	}
	if _, err := Import("", nil, Options{}); err == nil {
		t.Error("nothing at all is imported")
	}
	if _, err := Import("", []string{t.TempDir()}, Options{}); err == nil || !strings.Contains(err.Error(), "holds no results") {
		t.Errorf("an empty folder is %v", err)
	}
	if _, err := Import("", []string{"nowhere"}, Options{}); err == nil || !strings.Contains(err.Error(), "nothing to read at nowhere") {
		t.Errorf("a missing file is %v", err)
	}
}

func TestNumbers(t *testing.T) {
	path := write(t, "n", "# kpps\tMbit/s\n1\t10\n  2 20 # noted\r\n\n3\n4e3\t0x1p4\n")
	for column, want := range map[int][]float64{0: {1, 2, 3, 4000}, 1: {1, 2, 3, 4000}, 2: {10, 20, 16}} {
		if got, err := Numbers(path, column); err != nil || !slices.Equal(got, want) {
			t.Errorf("column %d is %v, %v; want %v", column, got, err, want)
		}
	}
	if _, err := Numbers(path, 3); err == nil || !strings.Contains(err.Error(), "in column 3") {
		t.Errorf("a column that is not there is %v", err)
	}
	if _, err := Numbers(write(t, "many", strings.Repeat("1\n", mostNumbers+1)), 1); err == nil || !strings.Contains(err.Error(), "more than 1000000 numbers") {
		t.Errorf("too many numbers are %v", err)
	}
}

// TestUnequal holds that sets of any sizes become one campaign, each run in its
// set.
func TestUnequal(t *testing.T) {
	few, many := write(t, "few.txt", "1\n2\n"), write(t, "many.txt", strings.Repeat("3\n", 500))
	c := one(t, "", few, many)
	e := c.Manifest.Experiment
	if len(c.Results) != 502 || e == nil || !slices.Equal(e.Arms, []string{"few.txt", "many.txt"}) || e.Runs != 500 {
		t.Errorf("there are %d results, and the experiment is %+v", len(c.Results), e)
	}
	if c.Results[0].Unit != weir.UnknownUnit {
		t.Errorf("numbers of which nothing was said are in %q", c.Results[0].Unit)
	}
}

func FuzzImport(f *testing.F) {
	f.Add("a.pps", "508462\n")
	f.Add("a.json", `{"start": {"connected": []}, "end": {"sum_received": {"bits_per_second": 1}}}`)
	f.Add("a.json", `{"dut_type": "VPP", "dut_version": "1", "result": {"type": "mrr"}}`)
	f.Add("a.json", `{"results": {"tx_pps": 1, "drop_rate_percentage": 0}}`)
	f.Add("a.sender", "1.0 main_thread [1] 5 pps (5 pkts 0 bps in 1 usec)\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		if strings.ContainsAny(name, "/\x00") || name == "" || name == "." || name == ".." || len(name) > 100 {
			return
		}
		cs, err := Import("", []string{write(t, name, text)}, Options{})
		if err == nil && (len(cs) != 1 || len(cs[0].Results) == 0) {
			t.Fatalf("it is imported without a result: %+v", cs)
		}
	})
}

// What cannot be stays as it was published, and is marked.
func TestImplausible(t *testing.T) {
	for text, want := range map[string]int{"1e300\n5\n": 1, "-1e19\n5\n": 1, "-3\n5\n": 0, "3\n5\n": 0} {
		c := one(t, "", write(t, "numbers.txt", text))
		n := 0
		for _, r := range c.Results {
			for _, w := range r.Warnings {
				if w.Code == weir.Implausible {
					n++
				}
			}
		}
		if n != want || len(c.Results) != 2 {
			t.Errorf("%q: %d of %d results are marked, want %d", text, n, len(c.Results), want)
		}
	}
	c := weir.Campaign{Results: []weir.Result{{LossRatio: -.5}, {LossRatio: 1.5}, {LossRatio: math.NaN()}, {Value: math.Inf(1)}, {Value: -3, Unit: "frames/s"}, {LossRatio: 1}, {Value: -3, Unit: "%"}}}
	for i := range c.Results {
		judge(&c.Results[i], facts{})
	}
	for i, r := range c.Results {
		if marked := len(r.Warnings) == 1; marked != (i < 5) || math.IsInf(r.Value, 0) {
			t.Errorf("result %d: %+v", i, r)
		}
	}
}
