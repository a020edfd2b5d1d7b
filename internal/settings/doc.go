// Package settings reads, changes and restores settings of hosts. How a change is
// undone is data, which a journal has on disk before the change is made: so it can
// be undone by another process, too.
//
// It decides nothing: which values are good is for others to say.
package settings
