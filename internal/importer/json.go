package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"weir"
)

// objects returns the JSON objects that a file holds, one after the other or in arrays.
// Words that stand for a number and are none, as nan, count as null, and are noted.
func objects[T any](f File, c *weir.Campaign) ([]T, error) {
	text, err := f.text()
	if err != nil {
		return nil, err
	}
	// Each takes a hundred octets and more in memory, of three in a file.
	for what, most := range map[string]int{"{": mostObjects, ",": mostValues} {
		if n := bytes.Count(text, []byte(what)); n > most {
			return nil, fmt.Errorf("%s has %q %d times, which no such file of results has (at most %d)", f.Path, what, n, most)
		}
	}
	text, odd := nulled(text)
	if len(odd) > 0 {
		lines := fmt.Sprintf("line %d", odd[0].line)
		if n := len(odd); n > 1 {
			lines = fmt.Sprintf("lines %d to %d (%d times)", odd[0].line, odd[n-1].line, n)
		}
		note(c, "%s, %s: %s stands for a number, and is none; it counts as not known", f.base(), lines, odd[0].text)
	}
	var out []T
	d := json.NewDecoder(bytes.NewReader(text))
	for inArray := false; ; {
		rest := bytes.TrimLeft(text[d.InputOffset():], " \t\n")
		switch {
		case !inArray && len(rest) == 0:
			return out, nil
		case !inArray && rest[0] == '[', inArray && !d.More():
			if _, err := d.Token(); err != nil { // that of an array that was cut off
				return nil, f.faulty(text, len(text), err)
			}
			inArray = !inArray
			continue
		}
		start := int(d.InputOffset())
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, f.faulty(text, start, err)
		}
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, f.faulty(text, int(d.InputOffset())-len(raw), err)
		}
		out = append(out, v)
	}
}

// faulty returns what is wrong with JSON that begins at start, with the line of the fault.
func (f File) faulty(text []byte, start int, err error) error {
	line := func(at int) int { return 1 + bytes.Count(text[:min(max(at, 0), len(text))], []byte("\n")) }
	for start < len(text) && bytes.IndexByte([]byte(" \t\n,"), text[start]) >= 0 {
		start++
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("%s:%d: the JSON that begins in line %d ends in the middle: it was cut off, or is still being written; nothing of it was read",
			f.Path, line(len(bytes.TrimSpace(text))), line(start))
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d: this is not the JSON that it should be: %w", f.Path, line(int(syntax.Offset)-1), err)
	case errors.As(err, &kind):
		return fmt.Errorf("%s:%d: %s is a %s, and should be another kind of value: is it of a version that weir does not know, or was it changed?",
			f.Path, line(start+int(kind.Offset)), kind.Field, kind.Value)
	}
	return fmt.Errorf("%s:%d: this is not the JSON that it should be: %w", f.Path, line(start), err)
}

// An oddWord stands in JSON where a number should.
type oddWord struct {
	line int
	text string
}

// numberless are the words that C, Windows and Python print for numbers that are none.
var numberless = regexp.MustCompile(`(?i)^[-+]?(?:nan(?:\([a-z0-9_]*\))?|inf(?:inity)?|1\.#(?:ind|qnan|snan|inf)\d*)`)

// nulled returns JSON with null in place of each word that stands for a number and is none,
// and these words.
func nulled(text []byte) (out []byte, odd []oddWord) {
	inString, escaped := false, false
	line, last, copied := 1, byte(0), 0
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b == '\n' {
			line++
		}
		switch {
		case inString:
			inString = escaped || b != '"'
			escaped = b == '\\' && !escaped
			continue
		case b == ' ' || b == '\t' || b == '\n':
			continue
		case b == '"':
			inString = true
		case bytes.IndexByte([]byte("-+nNiI1"), b) >= 0 && bytes.IndexByte([]byte(":,["), last) >= 0:
			if word := numberless.Find(text[i:min(i+40, len(text))]); word != nil {
				odd = append(odd, oddWord{line, string(word)})
				out = append(append(out, text[copied:i]...), "null"...)
				i += len(word) - 1
				copied = i + 1
			}
		}
		last = b
	}
	if odd == nil {
		return text, nil
	}
	return append(out, text[copied:]...), odd
}

// isJSON reports whether a file begins as an object does, or an array of some, with all of
// the keys somewhere in its beginning.
func (f File) isJSON(keys ...string) bool {
	text := bytes.TrimSpace(f.Head)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	for _, k := range keys {
		if !bytes.Contains(text, []byte(`"`+k+`"`)) {
			return false
		}
	}
	return true
}
