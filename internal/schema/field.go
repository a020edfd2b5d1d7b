package schema

import (
	"fmt"
	"math"
	"time"
)

// Field is one key of an object that users write, whose value is kept in an S: what it means,
// how it is read, and what it may be.
type Field[S any] struct {
	Described
	Read      func(*S, string) error      // reads its word; nil: it has a list
	Item      func(*S, int, string) error // reads an item of its list, by its place from 0
	CheckList func(*S, int) error         // says what is wrong with a list of so many items
	Check     func(S) error               // says what is wrong with a value that was not read; nil: nothing
}

// Numeric describes a number from low to high, which is written as a word.
func Numeric[S any, T int | uint64 | float64 | time.Duration](key string, of func(*S) *T, word Word[T], low, high T) Field[S] {
	f := Field[S]{
		Described: Described{Key: key, Shape: word.Shape},
		Read: func(to *S, text string) error {
			v, err := word.Read(text)
			if err == nil && (v < low || v > high) {
				return fmt.Errorf("%s is outside of %v to %v", text, low, high)
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
	if float64(high) < math.MaxInt32 && f.Shape.High == "" {
		f.Shape.Low, f.Shape.High = fmt.Sprint(low), fmt.Sprint(high)
	}
	return f
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
