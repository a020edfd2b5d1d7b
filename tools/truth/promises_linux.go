package main

import "slices"

// promises are all of them, in the order of measuring.
func promises() []promise {
	all := []promise{
		exactly(10_000),
		exactly(100_000),
		exactly(1_000_000),
		policed("nft", false),
		policed("nft", true),
		policed("tbf", false),
		policed("tbf", true),
	}
	for _, kind := range []string{"nft", "tbf"} {
		for _, rate := range []float64{50_000, 200_000} {
			all = append(all, sweptPolicer(kind, rate, false), sweptPolicer(kind, rate, true))
		}
	}
	return slices.Concat(all, transfers(), benched(), boxes(), hosts(), []promise{readings(), sent()}, compared(), ordered(), []promise{killed(), stopped(), unleaked()}, tables(), accessed(), faults(), []promise{followed(), softirqs(), capturedLatencies(), clocksBound()})
}
