// Package telemetry reads what a machine says of itself: one source a file,
// reading apart from parsing. It speaks to a weir.Host, so a source works
// wherever files can be read.
package telemetry
