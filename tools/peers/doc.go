// Command peers sends the same 64-octet frames to the same kind of XDP sink with
// weir's generator and with other packet generators, and prints how many a second
// arrived, and what ratio to weir's that is.
//
// The senders take turns of a fifth of a second: every sender has one turn in each
// block, in random order, so that all of them meet the same speeds of the machine.
// Ratios are those of turns in one block, and have an interval over the blocks.
// A sender is started once and held between its turns, where it can be.
//
// Every sender runs on one CPU, its sink on another. What counts is what the sink
// saw while the sender was running steadily, not what the sender says of itself.
// Each has a veth pair of its own in a network namespace of its own, so that
// nothing of it meets the others' frames; all of that dies with the program.
//
// Two rows are no generators but limits: the kernel's empty loop, and a bare
// program that redirects a page to the sink and looks at nothing.
//
// peers.json holds the medians by name, the ratios with their intervals (95 %), why
// a sender has none, and all turns in the order in which they were taken.
//
// It measures no router, paces nothing and keeps no history.
package main
