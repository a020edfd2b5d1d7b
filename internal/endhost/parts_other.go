//go:build !linux

package endhost

// parts are those that Run can play, by name: none here.
var parts = map[string]part{}
