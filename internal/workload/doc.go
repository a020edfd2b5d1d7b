// Package workload runs what users of a network feel: streams and files between
// two end hosts, by weir's own programs and by those that everybody knows. One
// program a file; Programs is the table.
//
// It speaks to the hosts at both ends of the DUT, and not to the DUT. It makes
// what a program needs, runs it while it watches the link to the receiving end,
// and removes what it made. What the numbers are worth is for others to say.
package workload
