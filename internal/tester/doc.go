// Package tester holds the traffic back ends: each sends what a trial asks,
// receives what comes back, and says what it saw. XDP receives in the driver
// and sends live frames from the kernel, or frames through packet sockets where
// live ones cannot be had or are too small.
// Send and Receive are the two halves alone, at a single port.
//
// It decides neither what to try next nor whether a result may be believed.
package tester
