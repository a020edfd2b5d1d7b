// Package history is a small table of what others have measured and written
// down: forwarding and transfers from 2003 to 2017, each number with the
// document that it is from and with what that document did not say.
//
// It measures nothing and converts nothing: numbers are as they were published,
// and only those of one unit are put beside each other.
package history

import (
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Document is where numbers were published.
type Document struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Author string   `json:"author"`
	Date   string   `json:"date"`
	Unsaid []string `json:"unsaid"`           // what it did not say of any of its numbers
	Beware string   `json:"beware,omitempty"` // what is wrong or unusual in it
}

// Row is one number.
type Row struct {
	Document  string   `json:"document"` // its ID
	Year      int      `json:"year"`
	Hardware  string   `json:"hardware"`
	System    string   `json:"system"`
	Measured  string   `json:"measured"`             // by which tool or method
	Value     float64  `json:"value"`                // the lowest one where several were given
	To        float64  `json:"to,omitempty"`         // the highest of several; 0: there is one
	Unit      string   `json:"unit"`                 // "kpps", "Mbit/s" or "MB/s"
	Direction string   `json:"direction,omitempty"`  // "": not said
	Firewall  string   `json:"firewall,omitempty"`   // "none", "pf"; "": not said
	MTU       int      `json:"mtu,omitempty"`        // 0: not said
	Frame     int      `json:"frame_size,omitempty"` // octets with FCS; 0: not said
	CPU       string   `json:"cpu,omitempty"`        // of the machine that forwards; "": not said
	Note      string   `json:"note,omitempty"`       // of this number alone
	Unsaid    []string `json:"unsaid"`               // of the document, and of this number alone
}

//go:embed documents.json
var documentsFile []byte

//go:embed rows.csv
var rowsFile string

// Documents are those of the table, the oldest first.
func Documents() ([]Document, error) {
	var out []Document
	if err := json.Unmarshal(documentsFile, &out); err != nil {
		return nil, fmt.Errorf("read the documents of the history: %w", err)
	}
	return out, nil
}

// Rows are the numbers, by document and in its order.
func Rows() ([]Row, error) {
	docs, err := Documents()
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(strings.NewReader(rowsFile)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the numbers of the history: %w", err)
	}
	var out []Row
	for i, l := range lines[1:] {
		r, err := rowOf(l)
		at := slices.IndexFunc(docs, func(d Document) bool { return d.ID == r.Document })
		if err == nil && at < 0 {
			err = fmt.Errorf("there is no document %q", r.Document)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the history: %w", i+2, err)
		}
		r.Unsaid = slices.Concat(docs[at].Unsaid, r.missing())
		out = append(out, r)
	}
	order := func(r Row) int { return slices.IndexFunc(docs, func(d Document) bool { return d.ID == r.Document }) }
	slices.SortStableFunc(out, func(a, b Row) int { return order(a) - order(b) })
	return out, nil
}

// rowOf is one line of the file, whose columns are in the order of Row.
func rowOf(l []string) (Row, error) {
	var bad error
	number := func(text string) float64 {
		if text == "" {
			return 0
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			bad = err
		}
		return v
	}
	r := Row{
		Document: l[0], Year: int(number(l[1])), Hardware: l[2], System: l[3], Measured: l[4], Value: number(l[5]), To: number(l[6]), Unit: l[7],
		Direction: l[8], Firewall: l[9], MTU: int(number(l[10])), Frame: int(number(l[11])), CPU: l[12], Note: l[13],
	}
	return r, bad
}

// missing is what was not said of one number alone: what others of the table
// have.
func (r Row) missing() []string {
	var out []string
	for _, c := range []struct {
		missing bool
		what    string
	}{
		{r.MTU == 0 && r.Frame == 0, "the MTU of its path"}, {r.Direction == "", "the direction"},
		{r.Firewall == "", "whether there was a firewall"}, {r.CPU == "", "the CPU time it took"},
	} {
		if c.missing {
			out = append(out, c.what)
		}
	}
	return out
}

// Number is the number or the range as it was published.
func (r Row) Number() string {
	text := strconv.FormatFloat(r.Value, 'f', -1, 64)
	if r.To > 0 {
		text += " to " + strconv.FormatFloat(r.To, 'f', -1, 64)
	}
	return text
}
