// Package schema describes the fields of what users write: what may be written for a value, how
// it becomes one, and what is wrong where it does not. Documents and a JSON Schema for editors
// are made from the descriptions.
//
// It knows no plan and no file.
package schema

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Word describes a kind of single value: how it is read, and what may be written for it.
type Word[T any] struct {
	Read  func(string) (T, error)
	Shape Shape
}

// Within returns the word with values from low to high alone, both included.
func Within[T int | uint16 | uint8 | float64 | time.Duration](w Word[T], low, high T) Word[T] {
	read := w.Read
	w.Read = func(s string) (T, error) {
		v, err := read(s)
		if err == nil && (v < low || v > high) {
			err = fmt.Errorf("%s is outside of %v to %v", s, low, high)
		}
		return v, err
	}
	w.Shape.Low, w.Shape.High = fmt.Sprint(low), fmt.Sprint(high)
	return w
}

// that returns the word with values alone that are good; the complaint about another one has $ in
// place of what was written.
func (w Word[T]) that(good func(T) bool, complaint string) Word[T] {
	read := w.Read
	w.Read = func(s string) (T, error) {
		v, err := read(s)
		if err == nil && !good(v) {
			err = errors.New(strings.ReplaceAll(complaint, "$", s))
		}
		return v, err
	}
	return w
}

// from returns the word with what documents say is its least value, which is not 0.
func (w Word[T]) from(low string) Word[T] {
	w.Shape.Low = low
	return w
}

// Custom describes a word of a kind that has a reader of its own.
func Custom[T any](kind Kind, read func(string) (T, error)) Word[T] {
	return Word[T]{read, Shape{Kind: kind}}
}
