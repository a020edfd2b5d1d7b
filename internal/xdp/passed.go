package xdp

// Forwarded is what a forwarder did with the frames that arrived at one port.
type Forwarded struct {
	Frames uint64 // that it redirected; whether the driver of a port took them is for that driver to say
	Passed Passed
}

// Passed are the frames that were left to the kernel.
type Passed struct {
	Link    uint64 // without an IP packet, or not sent to the port alone
	Header  uint64 // wrong, at their last hop, or with options that a router has to see
	Address uint64 // from or to an address that no router forwards
	Route   uint64 // for the DUT itself, without a route or neighbour, or too large
	Port    uint64 // to leave as they came, or through a port without the forwarder
}

// All is the number of them.
func (p Passed) All() uint64 { return p.Link + p.Header + p.Address + p.Route + p.Port }

// Accessed is what became of frames and packets since NewAccess.
type Accessed struct {
	Out    uint64 // packets that were taken out of their sessions
	In     uint64 // packets that were put into one
	Routed uint64 // of those out and in: that were forwarded in the driver
	Stack  Passed // packets of sessions that a router's driver has left to the stack, by reason
	Left   Left
}

// Left is what was left to the program that has set the sessions up.
type Left struct {
	Control  uint64 // frames of sessions without an IP packet
	Scope    uint64 // packets of a session's link alone, or to a group, which have to arrive by its device
	Session  uint64 // frames of none that is known, and packets to no peer's address
	Length   uint64 // frames with a wrong length, or another packet than they say
	Segments uint64 // packets that the stack had yet to segment, or that no headers fitted before
}
