// Package visible shows text from outside as it is, on whatever terminal: names that
// somebody has chosen, files that others have written, what programs say. A
// terminal obeys control characters; here they are shown.
package visible

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is a text as one line: line feeds and tabs are shown too, as \n and \t.
func Line(s string) string {
	if !strings.ContainsFunc(s, hidden) && !strings.ContainsAny(s, "\n\t") && utf8.ValidString(s) {
		return s
	}
	return breaks.Replace(Text(s))
}

var breaks = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// Text is a text that may have several lines.
func Text(s string) string {
	if !strings.ContainsFunc(s, hidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r) // which JSON reads as that character
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// hidden reports whether a terminal does something else with a character than show
// it: controls, and what changes the order of the text around it (UAX 9).
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// Writer passes on what is written to it as Text has it.
func Writer(w io.Writer) io.Writer { return &writer{to: w} }

type writer struct {
	to   io.Writer
	half []byte // the beginning of a character, whose end comes with the next write
}

// Write says that all was written unless there is an error: that there is more to
// write than came is nothing to callers.
func (w *writer) Write(p []byte) (int, error) {
	text := append(w.half, p...)
	whole := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if tail := text[len(text)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				whole -= back
			}
			break
		}
	}
	w.half = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(w.to, Text(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// How much of what somebody else wrote a message repeats, in characters.
const (
	mostQuoted = 200 // of what stands in quotation marks
	mostWord   = 400 // of a word: a path has up to 4096
)

// Brief is a message in which what it quotes, and each word, is short enough to be
// read.
func Brief(s string) string {
	if len(s) <= mostQuoted {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		n, most := word(s), mostWord
		if s[0] == '"' {
			if end := quoted(s); end > 0 {
				n, most = end, mostQuoted
			}
		}
		if runes := []rune(s[:n]); len(runes) > most {
			fmt.Fprintf(&b, "%s... (%d characters)", string(runes[:most]), len(runes))
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// word is how many octets there are to the end of the first word, with the space
// after it, or to a quotation mark.
func word(s string) int {
	if i := strings.IndexAny(s[1:], " \n\t\""); i >= 0 {
		if s[i+1] != '"' {
			i++
		}
		return i + 1
	}
	return len(s)
}

// quoted is how many octets a string has that Go's %q wrote; 0: it does not end.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}
