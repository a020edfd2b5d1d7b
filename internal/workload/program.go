package workload

import (
	"context"

	"weir"
)

// program is something that moves octets from one end host to the other.
type program struct {
	Info
	// begin makes a job ready, without moving anything that counts: it starts the
	// server and waits for it. An error is that of a program which is missing (a
	// *weir.UnsupportedError), or says with its last lines why it is not ready.
	begin func(ctx context.Context, j *job) (*session, error)
}

// Tool is a program that has to be installed at an end host.
type Tool struct {
	Name    string // "vsftpd"
	Of      string // what it is, for people: "the FTP server vsftpd"
	Package string // of Debian and Ubuntu
	Server  bool   // where the server is; otherwise where the client is
}

// session is a job that is ready.
type session struct {
	// move moves the octets, and returns what came of it. The context ends when
	// nothing moves any more; its cause says why.
	move func(ctx context.Context) (weir.Transferred, error)
	// check looks at what arrived, when nobody is timed any more; nil: there is
	// nothing to look at.
	check func(ctx context.Context) error
	// end stops and removes what begin made, whatever became of it.
	end func(ctx context.Context) error
}

// programs are all that there are, in the order of a table for people.
var programs = []program{
	tcp,
	udp,
	connections,
	load,
	probe,
	setup,
	flood,
	iperf3,
	iperf2,
	netperf,
	ftp,
	smb,
	http,
	sftp,
	rsync,
	pipe,
}

// Info says for people what a program is.
type Info struct {
	Name, Summary string
	Tests         []string // that it knows by name (weir.Transfer.Test), the usual one first; none: it has one
	Files         bool     // whether it moves files
	Tools         []Tool   // that it needs
}

// Programs are those that can move octets.
func Programs() []Info {
	var out []Info
	for _, p := range programs {
		out = append(out, p.Info)
	}
	return out
}
