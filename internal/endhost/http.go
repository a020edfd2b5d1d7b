package endhost

import "net/netip"

// ServeHTTP are the settings of the part "http-serve": a server of files by
// HTTP. It says where it listens (Listening) as soon as it does, and serves
// until its input ends.
type ServeHTTP struct {
	Address  netip.Addr `json:"address"`  // where it listens, on a port that the kernel picks
	Folder   string     `json:"folder"`   // whose files it sends (GET) and takes (PUT); nothing below or above it
	Password string     `json:"password"` // of the user HTTPUser; has to be there
}

// HTTPUser is whom the part "http-serve" serves.
const HTTPUser = "weir"
