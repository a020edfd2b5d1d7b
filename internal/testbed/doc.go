// Package testbed makes the places where a benchmark happens: hosts, and the
// links between them. A lab in network namespaces (netns) is one such place.
//
// It does not say what the DUT does with frames (package dut) and sends none
// (package tester).
package testbed
