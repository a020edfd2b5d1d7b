// Package sweep decides which load windows to send, and says what they show:
// the knee of a DUT, its saturated rate, the curve between them, and how often
// it stood still.
//
// A window is a load for some milliseconds (weir.Window). A search for the
// highest load without loss asks each load once, and on a machine that others
// use too each answer is luck. A sweep asks each of twenty loads dozens of times,
// in an order drawn anew for each block, so that what disturbs touches all
// loads alike and the median of a load is not moved by it.
//
// Both parts are pure functions of the past, as in package search: Goal.Next
// says which trial comes next, Goal.Estimate what the trials so far amount to.
// The same past leads to the same answer, so that a sweep is tested against a
// router whose truth is known, and can be judged anew from what was recorded.
//
// # Decisions
//
// A window is primed: a load of 1.5 times the knee goes before it, for as long
// as it takes to fill the DUT's buffer. Frames of it that are lost show that the
// buffer is full. Otherwise a ring of 256 frames hides 7 % of an overload of
// 700,000 frames/s in 5 ms, and a shaper's queue a window as a whole. The load
// is paced, as a burst is lost in the first ring on its way and fills nothing
// behind that. How much is to be filled is learned where nobody knows the ring: from
// how long frames wait that pass a full queue (Goal.knowing, the one place that
// tells what is known of a buffer by now), and from what came back of the load. Of
// what holds tokens in place of frames, windows of twice the length are the check.
//
// A number is that of the windows that do not look interrupted; that with them
// stands beside it. What is left out altogether has evidence from outside of
// the DUT: on a shared machine nobody can tell its own stalls from others.
//
// The truth that an interval stands for is the capacity of the long run, the
// median over minutes: rounds that are apart in time say how far a moment is
// from it. The inner interval is that of the time of the windows.
//
// Rounds that follow each other at once see the same slow wave, and their spread
// is too small by what they share. So the outer interval is no narrower than what
// the blocks, in their order, say of a wave: of all correlation times up to half
// of the longest time that was measured without a break. A slower wave cannot be
// seen from within, nor can it be told from a DUT that is as fast as that: of it
// only rounds apart know. Pass.Start tells that they are; without it they count
// as at once after each other, which makes their interval wider than it has to be.
//
// The knee is also found in terms of the saturated rate of each block, and taken
// from there where that scatters less: a machine that is slower for a second
// shifts both alike.
//
// # Several speeds
//
// A virtual machine jumps between speeds that differ by a factor of two, and stays at
// each for some hundred milliseconds to some seconds. A median over the windows of one
// load mixes them. So the capacity is followed from window to window, and where it
// jumps, what a window shows counts by its load in terms of the capacity of its moment.
// The numbers are those of the fastest speed that held for half as long as the one that
// held longest, and a pass over such a machine has loads that show each of its speeds. A
// wave or a drift is no jump, and a sweep of one speed is judged as if there was no track.
// The track is made between passes, while nothing is sent: of 26 s of windows without
// neighbours Next takes 0.03 s of a CPU of 2026 for it, and Estimate 0.15 s
// (BenchmarkTrack).
//
// A sweep that met the slower speeds alone looks like one of a machine with fewer. Its
// neighbours (Goal.Neighbours) tell which speeds there are and for how long each held:
// what two of them forward differs by one factor at any moment. Where neighbours alone
// met the speed that leads, the numbers are lower bounds, and the next loads go as high as
// the fastest speed of all would take them.
//
// # Side by side
//
// A single rate on a shared machine carries 15 %, whatever the method. DUTs that
// stand side by side and take turns, window by window, are slowed down alike, and
// differ by what they differ: SideBySide says which windows to send to such arms, and
// what they show. An estimate, on the other hand, pays no heed to Window.Side.
//
// The package sends no frames, and waits for nothing.
// What it finds is a capacity in windows of milliseconds and never the
// throughput of RFC 2544, whose section 24 asks for trials of 60 s.
package sweep
