// Package audit looks for what would spoil a measurement on a machine that
// works: flow control, offloads, sleeping or shared CPUs, firewalls left behind,
// address tables that age. It says of each finding why it matters and what mends
// it, mends what can be mended, and restores it.
//
// It speaks to a weir.Host alone, by files and the usual programs (ip, ethtool,
// tc, nft). It does not say whether weir can run on a machine at all, and it
// measures nothing: a machine without findings may still be a bad one.
package audit
