package report

import (
	"encoding/xml"
	"io"

	"weir"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/result"
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

// write writes the suite with the number of its cases.
func (s junitSuite) write(w io.Writer) error {
	s.Tests, s.Failures, s.Errors = len(s.Cases), 0, 0
	for _, c := range s.Cases {
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// writeJUnit writes a test case for each result, with its claim, and for each verdict.
// One that has no value is an error; whether a value is good enough is not for a
// report to say.
func writeJUnit(w io.Writer, c weir.Campaign, _ Options) error {
	s := junitSuite{Name: "weir " + c.ID}
	for _, r := range foundBy(c) {
		one := junitCase{Class: "weir." + r.Method, Name: r.name}
		switch {
		case r.Unmeasured != "":
			one.Error = &junitFault{r.Unmeasured}
		case result.Unknown(r.Result):
			one.Error = &junitFault{r.Claim.Name}
		default:
			one.Out = figures.Found(r.Result) + "; claim: " + r.Claim.Name
		}
		for _, warning := range r.Warnings {
			one.Out += "\nwarning: " + warning.Text
		}
		s.Cases = append(s.Cases, one)
	}
	v := viewOf(c)
	if v.Experiment {
		for _, study := range append([]study{v.Study}, v.Others...) {
			for _, p := range study.Comparisons {
				s.Cases = append(s.Cases, verdictCases(study, p)...)
			}
		}
	}
	return s.write(w)
}

// verdictCases are a test case for each arm of a comparison.
func verdictCases(s study, p proof.Comparison) (out []junitCase) {
	for _, e := range p.Effects {
		one := junitCase{Class: "weir.verdict", Name: s.row(p) + ": " + e.Arm + " against " + p.Baseline, Out: string(e.Verdict) + ", " + changed(e.Change) + ", " + boundsOf(e)}
		if e.Verdict == stats.Vetoed && len(p.Vetoes) > 0 {
			one.Error = &junitFault{p.Vetoes[0].Text}
		}
		out = append(out, one)
	}
	return out
}
