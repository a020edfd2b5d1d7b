package workload

import (
	"net/netip"

	"weir"
)

// End is an end host: a place at one side of the DUT.
type End struct {
	Host    weir.Host                  // has to be a weir.Starter
	Self    string                     // weir's own program there; "": this one
	CPUs    []int                      // where its programs run; none: where commands of the host do
	Port    string                     // its device on the path
	Address map[weir.Family]netip.Addr // of that port
	Folders map[weir.Storage]string    // below which it may keep files; those that it makes are removed
}

// Path is what lies between two end hosts.
type Path struct {
	Ends [2]End // traffic that goes forward does so from the first to the second
	// Moving is called when all is ready, right before octets move, and done when
	// they do no more; nil: nobody wants to know.
	Moving func() (done func())
	// Line are the ends of the access line by which an end host is connected, the client
	// and the concentrator; nil: it is by IP.
	Line *[2]End
}
