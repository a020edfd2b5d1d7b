package endhost

// parts are those that Run can play, by name.
var parts = map[string]part{}
