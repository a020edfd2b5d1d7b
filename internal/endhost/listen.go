package endhost

import "net/netip"

// Env is what the environment of a role at an end host has to have, for the least
// use of CPUs: each of a stream's threads belongs to it alone, and is not to be
// interrupted to see whether others want to run.
const Env = "GODEBUG=asyncpreemptoff=1"

// Listen is where a role listens: "connections-serve" and "echo-serve" have no
// other settings. They serve many at once.
type Listen struct {
	Address netip.Addr `json:"address"`
	Port    int        `json:"port"` // 0: any that is free
}

// Listening is what a role that listens tells when it does.
type Listening struct {
	Port uint16 `json:"port"`
}

// ServeHTTP are the settings of the role "http-serve", a server of files by HTTP.
type ServeHTTP struct {
	Address  netip.Addr `json:"address"`  // where it listens, on a port that the kernel picks
	Folder   string     `json:"folder"`   // whose files it sends (GET) and takes (PUT); nothing below or above it
	Password string     `json:"password"` // of the user HTTPUser; has to be there
}

// HTTPUser is whom the role "http-serve" serves.
const HTTPUser = "weir"
