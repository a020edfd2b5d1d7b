// Package plan reads plan files, and says what follows from them before anything
// is measured: levels and traffic, the order of runs, the time that they take at
// most, and what cannot be done or earned. Whatever is wrong with a file is said
// with its place.
//
// It measures nothing: package campaign runs a Plan.
package plan
