package plan

import (
	"fmt"
	"net/netip"
	"path"
	"strings"

	"weir"
	"weir/internal/schema"
)

// NoDUT is the platform where there is no DUT: two end hosts on one cable.
const NoDUT = weir.NoDUT

// EndHost is a host that SSH reaches, at one side of the DUT.
type EndHost struct {
	Host   string // "ssh://user@name:port"
	Port   string // that is connected with the DUT, or with the other end host
	Folder string // below which files are kept, with what its storage is; "": weir chooses, by what a method asks for
	Name   string // for people
}

// sides are what a plan calls the two end hosts.
var sides = [2]string{weir.Near, weir.Far}

// Hosted reports whether the end hosts are at hosts of their own, which SSH reaches.
func (t Testbed) Hosted() bool { return t.Hosts[0].Host != "" }

// sideCount is how many ports are connected with the DUT.
func (t Testbed) sideCount() int {
	if t.Hosted() {
		return len(t.Hosts)
	}
	return len(t.Ports)
}

// endHostField describes one of the end hosts.
func endHostField(side int, e *EndHost) field {
	return nested(sides[side], "an end host", func(r *reader, n node) {
		if e.Host == "" || e.Port == "" {
			r.wrong(n, "an end host needs where SSH reaches it, and its port there: {host: \"ssh://root@h%d\", port: eth1}", side+1)
		}
	},
		scalarField("host", &e.Host, host).means("where SSH reaches it, as for a DUT: configuration, rights and lock are the same", "").needed(),
		scalarField("port", &e.Port, schema.Line).means("its port on the path; never that of the SSH session", "").needed(),
		scalarField("folder", &e.Folder, schema.Custom(schema.Text, parseFolder)).means("below which the files of `ftp`, `smb`, `http` and so on are. What it is on has to be the method's `storage`", "`/dev/shm` and `/var/tmp`"),
		scalarField("name", &e.Name, schema.Line).means("what reports call it", "the host's"),
	).checked(func(*reader, node) {
		if e.Name == "" {
			e.Name = strings.TrimPrefix(e.Host, "ssh://")
		}
	}).means("in place of `ports`: an [end host that SSH reaches](labs.md#end-hosts-that-ssh-reaches), `{host: \"ssh://root@h1\", port: eth1}`", "none")
}

// parseFolder reads a folder of another machine.
func parseFolder(s string) (string, error) {
	if !path.IsAbs(s) || path.Clean(s) == "/" {
		return "", fmt.Errorf("%q is no folder of a host, by its whole path: /srv/t, say", s)
	}
	return path.Clean(s), nil
}

// cableNetwork is the network of an end host on a cable where a plan does not say otherwise:
// the first of those for benchmarks, at nodes 2 and 3.
func cableNetwork(side int) Network {
	n := networkOf(0)
	if side == 1 {
		n.Tester = netip.PrefixFrom(n.Tester.Addr().Next(), n.Tester.Bits())
		n.Tester6 = netip.PrefixFrom(n.Tester6.Addr().Next(), n.Tester6.Bits())
	}
	return n
}
