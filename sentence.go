package weir

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// Sentence is a text for people, with the figures in it for programs: those that differ in
// figures alone have one Format.
type Sentence struct {
	Text   string `json:"text"`
	First  string `json:"first,omitempty"`  // its first clause, where that can stand alone
	Format string `json:"format,omitempty"` // as package fmt has it; "": the text has no figures, or is of an older store
	Args   Args   `json:"args,omitempty"`   // what the places of Format hold
}

// Say returns a sentence. A Sentence among its arguments becomes a part of it, with the figures
// that it has.
func Say(format string, args ...any) Sentence {
	s := Sentence{Text: fmt.Sprintf(format, args...)}
	if len(args) > 0 {
		s.Format, s.Args = expand(format, args)
		s.Text = fmt.Sprintf(s.Format, s.Ranges()...)
	}
	return s
}

// Then returns the sentence with more of it behind its first clause, or behind what it had.
func (s Sentence) Then(format string, args ...any) Sentence {
	more := Say(format, args...)
	both := Say("%s%s", s, more)
	both.First = s.Brief()
	return both
}

// Brief returns the first clause, or all of the sentence where it has one alone.
func (s Sentence) Brief() string {
	if s.First != "" {
		return s.First
	}
	return s.Text
}

// String returns the text.
func (s Sentence) String() string { return s.Text }

// Alike reports whether two sentences say the same of figures that may differ.
func (s Sentence) Alike(o Sentence) bool {
	if s.Format == "" || s.Format != o.Format || len(s.Args) != len(o.Args) {
		return s.Text == o.Text
	}
	for i, a := range s.Args {
		text, isText := a.(string)
		other, alsoText := o.Args[i].(string)
		_, isTime := a.(time.Duration)
		_, alsoTime := o.Args[i].(time.Duration)
		if isText != alsoText || text != other || isTime != alsoTime {
			return false
		}
	}
	return true
}

// expand returns a format with the formats of the sentences among its arguments in their
// places, and all arguments as Args has them.
func expand(format string, args []any) (string, Args) {
	var b strings.Builder
	var out Args
	at := 0
	for i, v := range verbs(format) {
		b.WriteString(format[at:v.from])
		at = v.to
		if i >= len(args) {
			continue
		}
		if s, ok := args[i].(Sentence); ok {
			b.WriteString(s.format())
			out = append(out, s.Args...)
		} else {
			verb, value := format[v.from:v.to], figure(args[i])
			if _, isText := value.(string); isText && strings.IndexByte("svq", verb[len(verb)-1]) < 0 {
				verb = "%s" // for no number
			}
			b.WriteString(verb)
			out = append(out, value)
		}
	}
	b.WriteString(format[at:])
	return b.String(), out
}

// verbPlace is where a verb of a format lies.
type verbPlace struct{ from, to int }

// verbs returns where a format has its verbs: each takes one argument.
func verbs(format string) (out []verbPlace) {
	for i := 0; i < len(format)-1; i++ {
		if format[i] != '%' {
			continue
		}
		end := i + 1
		for end < len(format)-1 && strings.IndexByte("+-# 0123456789.", format[end]) >= 0 {
			end++
		}
		if format[end] != '%' {
			out = append(out, verbPlace{i, end + 1})
		}
		i = end
	}
	return out
}

// Verb returns the verb of Format for an argument; that for any value where Format has none.
func (s Sentence) Verb(i int) string {
	all := verbs(s.Format)
	if i >= len(all) {
		return "%v"
	}
	return s.Format[all[i].from:all[i].to]
}

// format returns the format of a sentence, also of one without figures.
func (s Sentence) format() string {
	if s.Format == "" {
		return strings.ReplaceAll(s.Text, "%", "%%")
	}
	return s.Format
}

// figure returns an argument as Args has it.
func figure(v any) any {
	switch v := v.(type) {
	case time.Duration:
		return v
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint32:
		return float64(v)
	case uint64:
		return float64(v)
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) { // JSON has none of these
			return v
		}
	}
	return fmt.Sprint(v)
}

// Args are the figures of a sentence: numbers (float64), times (time.Duration) and texts. In
// JSON a time is an object with its seconds.
type Args []any

// seconds is a time among Args in JSON.
type seconds struct {
	Seconds float64 `json:"seconds"`
}

// MarshalJSON returns the figures as an array.
func (a Args) MarshalJSON() ([]byte, error) {
	out := make([]any, len(a))
	for i, v := range a {
		if d, ok := v.(time.Duration); ok {
			v = seconds{d.Seconds()}
		}
		out[i] = v
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON returns.
func (a *Args) UnmarshalJSON(text []byte) error {
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*a = nil
	for _, raw := range all {
		var of seconds
		var v any
		if strings.HasPrefix(string(raw), "{") {
			if err := json.Unmarshal(raw, &of); err != nil {
				return err
			}
			v = time.Duration(math.Round(of.Seconds * float64(time.Second)))
		} else if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		*a = append(*a, v)
	}
	return nil
}
