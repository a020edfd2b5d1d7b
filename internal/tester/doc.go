// Package tester holds the traffic back ends: each sends what a trial asks,
// receives what comes back, and says what it saw. XDP sends live frames from
// the kernel, the simulated one knows the truth.
//
// It decides neither what to try next nor whether a result may be believed.
package tester
