// Package remote measures with ports of other machines: weir's own program plays a role
// at each of them, "tester", which sends from its ports and receives at them, and the
// measuring weir tells both what to do and when.
//
// A tester of two machines has two sides: one has the ports with even numbers, the other
// one those with odd numbers. A trial in one direction is sent by one side and received by
// the other. Frames carry times of the sender's clock, and the receiver is told on that
// clock when the windows and steps of a trial begin. So all counts are right whatever the
// clocks say. Latencies are given where both sides have one clock, or where PTP proves how
// far theirs are apart, with that bound; otherwise the receiver sends some frames back, and
// round trips are known by the sender's clock.
//
// The package does not know how a program gets to another machine, nor what is behind the
// ports.
package remote
