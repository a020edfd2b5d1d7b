package workload

// The names of figures that mean the same whichever program found them.
const (
	Sent         = "datagrams sent"
	Received     = "datagrams received"
	Lost         = "datagrams lost"
	SetUp        = "set-up before the first octets of files" // connecting, keys, login: no part of the time that counts
	DroppedThere = "datagrams dropped at the receiving host" // by its socket: that is not the DUT's loss
)
