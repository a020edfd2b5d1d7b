package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"

	"weir/stats"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *junitFault `xml:"failure,omitempty"`
	Error   *junitFault `xml:"error,omitempty"`
	Out     string      `xml:"system-out"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
}

func (s Versus) junit(b *bytes.Buffer) error {
	a, name := s.names()
	test := name + " against " + a
	if s.failAbove > 0 {
		test = name + " forwards at most " + percent(s.failAbove) + " % less than " + a
	}
	one := junitCase{Class: "weir.versus", Name: test, Out: s.Sentence() + ". " + s.gated()}
	suite := junitSuite{Name: "weir versus", Tests: 1}
	switch s.Gate() {
	case Fails:
		one.Failure, suite.Failures = &junitFault{s.Sentence()}, 1
	case Unknown:
		one.Error, suite.Errors = &junitFault{s.Sentence()}, 1
	}
	suite.Cases = []junitCase{one}
	b.WriteString(xml.Header)
	e := xml.NewEncoder(b)
	e.Indent("", "  ")
	if err := e.Encode(suite); err != nil {
		return err
	}
	b.WriteByte('\n')
	return nil
}

// bencherMetric is one of the Bencher Metric Format.
type bencherMetric struct {
	Value float64  `json:"value"`
	Lower *float64 `json:"lower_value,omitempty"`
	Upper *float64 `json:"upper_value,omitempty"`
}

func (s Versus) bencher(b *bytes.Buffer) error {
	a, name := s.names()
	out := map[string]map[string]bencherMetric{}
	for i, of := range []string{a, name} {
		out[of] = map[string]bencherMetric{}
		for _, m := range versusRows {
			if v := s.middle(s.arm(i), m); v > 0 {
				out[of][m.slug] = bencherMetric{Value: v}
			}
		}
	}
	if e, known := s.effect(); known && e.Verdict != stats.Vetoed {
		one := bencherMetric{Value: 1 + e.Change.Estimate}
		if limited(e.Change) {
			lower, upper := 1+e.Change.Lower, 1+e.Change.Upper
			one.Lower, one.Upper = &lower, &upper
		}
		out[name+" / "+a] = map[string]bencherMetric{"throughput-ratio": one}
	}
	e := json.NewEncoder(b)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
