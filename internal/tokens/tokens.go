// Package tokens keeps who may do what at a server: tokens by their names and scopes, in a file of
// the user's that has no token, but what one is recognised by.
//
// It knows nothing of requests: package serve asks it.
package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"weir/internal/infile"
	"weir/internal/locks"
	"weir/internal/outfile"
)

// A Scope is what a token is good for.
type Scope string

// The scopes.
const (
	Read     Scope = "read"     // see what is served, where that takes a token
	Annotate Scope = "annotate" // mark campaigns
	Run      Scope = "run"      // measure plans, and stop that
	Import   Scope = "import"   // enter what others have measured
	Delete   Scope = "delete"   // take campaigns out of the store
)

// Scopes are all of them.
var Scopes = []Scope{Read, Annotate, Run, Import, Delete}

// ReadScopes reads scopes by their names.
func ReadScopes(names []string) (out []Scope, err error) {
	for _, name := range names {
		scope := Scope(strings.TrimSpace(name))
		if !slices.Contains(Scopes, scope) {
			return nil, fmt.Errorf("there is no scope %q: scopes are %s", name, List(Scopes))
		}
		if !slices.Contains(out, scope) {
			out = append(out, scope)
		}
	}
	return out, nil
}

// List writes scopes with commas between them.
func List(scopes []Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ",")
}

// A Token is what is known of one.
type Token struct {
	Name   string    `json:"name"`
	Scopes []Scope   `json:"scopes"`
	SHA256 string    `json:"sha256"` // of the token: it is random, so that nobody finds it by trying
	Made   time.Time `json:"made"`
}

// May reports whether a token is good for something.
func (t Token) May(what Scope) bool { return slices.Contains(t.Scopes, what) }

const (
	prefix   = "weir_" // by which people and programs see what it is
	secret   = 32      // random octets of a token
	longest  = 1 << 20 // octets of the file
	mostKept = 1000    // tokens
)

// nameForm is what a token may be called: annotations name it.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`)

// NotSafeError says that others could have given themselves a token.
type NotSafeError struct{ Err error }

func (e *NotSafeError) Error() string {
	return fmt.Sprintf("nobody's token counts: %v, and could enter one; the file of the tokens and its folder are to be yours alone (chmod go-w)", e.Err)
}

// Unwrap returns who could.
func (e *NotSafeError) Unwrap() error { return e.Err }

// Load reads the tokens of a file. A file that is not there has none. The error is a *NotSafeError
// for one that others may write to.
func Load(path string) ([]Token, error) {
	text, err := infile.Read(path, longest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the tokens: %w", err)
	}
	if err := outfile.OnlyMine(path); err != nil {
		return nil, &NotSafeError{err}
	}
	var file struct{ Tokens []Token }
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("read the tokens of %s: %w", path, err)
	}
	return file.Tokens, nil
}

// Find returns the one of several tokens that somebody has shown.
func Find(all []Token, shown string) (Token, bool) {
	is := Sum(shown)
	for _, t := range all {
		if subtle.ConstantTimeCompare([]byte(t.SHA256), []byte(is)) == 1 {
			return t, true
		}
	}
	return Token{}, false
}

// Sum returns what a token is recognised by.
func Sum(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Add makes a token, enters it into a file, and returns it: nobody sees it again.
func Add(path, name string, scopes []Scope) (token string, err error) {
	switch {
	case !nameForm.MatchString(name):
		return "", fmt.Errorf("a token cannot be called %q: letters, digits and . _ @ - name one, 64 at most", name)
	case len(scopes) == 0:
		return "", fmt.Errorf("a token without a scope is good for nothing: scopes are %s", List(Scopes))
	}
	err = change(path, func(all []Token) ([]Token, error) {
		switch {
		case slices.ContainsFunc(all, func(t Token) bool { return t.Name == name }):
			return nil, fmt.Errorf("there is a token %s already: choose another name, or remove that one first", name)
		case len(all) >= mostKept:
			return nil, fmt.Errorf("there are %d tokens already: remove some first", len(all))
		}
		random := make([]byte, secret)
		rand.Read(random) // it never fails
		token = prefix + base64.RawURLEncoding.EncodeToString(random)
		return append(all, Token{name, scopes, Sum(token), time.Now().UTC().Truncate(time.Second)}), nil
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// Remove takes a token out of a file.
func Remove(path, name string) error {
	return change(path, func(all []Token) ([]Token, error) {
		left := slices.DeleteFunc(slices.Clone(all), func(t Token) bool { return t.Name == name })
		if len(left) == len(all) {
			return nil, fmt.Errorf("there is no token %q in %s", name, path)
		}
		return left, nil
	})
}

// change replaces the tokens of a file, which its owner alone may read. No other process changes
// them meanwhile.
func change(path string, by func([]Token) ([]Token, error)) error {
	folder := func() error { return outfile.MakeFolder(filepath.Dir(path)) }
	release, err := locks.Claim(path+".lock", folder)
	if err != nil {
		return fmt.Errorf("change the tokens of %s: %w", path, err)
	}
	defer release()
	all, err := Load(path)
	if err != nil {
		return err
	}
	if all, err = by(all); err != nil {
		return err
	}
	text, err := json.MarshalIndent(struct {
		Tokens []Token `json:"tokens"`
	}{all}, "", "  ")
	if err != nil {
		return err
	}
	err = outfile.WriteSecret(path, func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err })
	if err != nil {
		return fmt.Errorf("write the tokens %s: %w", path, err)
	}
	return nil
}
