package settings

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"weir"
)

// Presence asks whether something is at a host, by a list of all that there are: only an
// answer tells that it is not.
type Presence struct {
	List []string `json:"list"` // the command that lists them
	Name string   `json:"name"` // words that follow each other in a line of that, where it is there
}

// Present are questions in their order; what the first of them finds absent takes the
// others with it.
type Present []Presence

// Link asks for a network interface, by ip(8) with options: of a namespace.
func Link(name string, options ...string) Presence {
	return Presence{List: append(append([]string{"ip"}, options...), "-o", "link", "show"), Name: name}
}

// ErrGone says, by an answer, that what a change is about is gone, and that with it.
var ErrGone = errors.New("it is gone")

// unaskedError is why it is not known whether something is there.
type unaskedError struct{ err error }

func (e *unaskedError) Error() string { return "ask whether it is still there: " + e.err.Error() }

func (e *unaskedError) Unwrap() error { return e.err }

// ask is ErrGone where one of them is absent, and another error where that is not known.
func (p Present) ask(ctx context.Context, h weir.Host) error {
	for _, one := range p {
		there, err := one.ask(ctx, h)
		if err != nil {
			return &unaskedError{err}
		}
		if !there {
			return ErrGone
		}
	}
	return nil
}

func (p Presence) ask(ctx context.Context, h weir.Host) (there bool, err error) {
	text, err := h.Run(ctx, "", p.List...)
	if err != nil || p.Name == "" { // a question of an older weir, which only a list answers with no
		return err == nil, err
	}
	for line := range strings.Lines(text) {
		if hasWords(line, p.Name) {
			return true, nil
		}
	}
	return false, nil
}

// hasWords reports whether a line has words that follow each other. ip(8) has "eth0:", or
// "eth0@eth1:" where there is another end.
func hasWords(line, words string) bool {
	var whole, near []string
	for _, word := range strings.Fields(line) {
		word = strings.TrimSuffix(word, ":")
		whole = append(whole, word)
		if at := strings.LastIndex(word, "@"); at > 0 {
			word = word[:at]
		}
		near = append(near, word)
	}
	has := func(all []string) bool {
		return strings.Contains(" "+strings.Join(all, " ")+" ", " "+words+" ")
	}
	return has(whole) || has(near)
}

// UnmarshalJSON reads questions, also those of an older weir: a command that fails where
// there is nothing to do any more, or for another reason.
func (p *Present) UnmarshalJSON(data []byte) error {
	var old []string
	if json.Unmarshal(data, &old) == nil && len(old) > 0 {
		*p = Present{{List: old}}
		return nil
	}
	return json.Unmarshal(data, (*[]Presence)(p))
}
