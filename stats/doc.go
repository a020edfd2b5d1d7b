// Package stats says whether a difference between runs is proven.
//
// A run is the sample: values that were taken within one run never enter a test.
// Rates are analysed as their logarithms, so that effects are relative and
// symmetric, and within their blocks where there are blocks, so that what is
// slow beside the runs cancels.
//
// The package is pure: it reads no file and knows no campaign, method or report.
package stats
