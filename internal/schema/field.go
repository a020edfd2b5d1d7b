package schema

import (
	"fmt"
	"math"
	"time"
)

// Field is one key of an object that users write, whose value is kept in an S: what it means,
// how it is read, and what it may be.
type Field[S any] struct {
	Key     string
	Means   string // in a clause
	Default string // in Markdown

	Read  func(*S, string) error      // reads its word; nil: it has a list
	Item  func(*S, int, string) error // reads an item of its list, by its place from 0
	Whole func(*S, int) error         // looks at the whole of a list of so many items
	Check func(S) error               // says what is wrong with a value that was not read; nil: nothing
}

// Number describes a number from low to high, which read makes of a word.
func Number[S any, T int | uint64 | float64 | time.Duration](key string, of func(*S) *T, read func(string) (T, error), low, high T) Field[S] {
	return Field[S]{
		Key: key,
		Read: func(to *S, word string) error {
			v, err := read(word)
			if err == nil && (v < low || v > high) {
				return fmt.Errorf("%s is outside of %v to %v", word, low, high)
			}
			if err == nil {
				*of(to) = v
			}
			return err
		},
		Check: func(s S) error {
			if v := *of(&s); !(v >= low && v <= high) || math.IsInf(float64(v), 0) {
				return fmt.Errorf("%v is %s", v, outside(low, high))
			}
			return nil
		},
	}
}

// outside says what a value is not that has to lie from low to high.
func outside[T int | uint64 | float64 | time.Duration](low, high T) string {
	switch {
	case float64(high) < math.MaxInt32:
		return fmt.Sprintf("outside of %v to %v", low, high)
	case float64(low) == math.SmallestNonzeroFloat64:
		return "not above 0"
	}
	return fmt.Sprintf("not %v or more", low)
}

// Table returns fields as a table in Markdown.
func Table[S any](fields []Field[S]) string {
	text := "| field | meaning | default |\n|---|---|---|\n"
	for _, f := range fields {
		text += fmt.Sprintf("| `%s` | %s | %s |\n", f.Key, f.Means, f.Default)
	}
	return text
}
