package pppoe

import "encoding/binary"

// shortest is an Ethernet frame without its FCS.
const shortest = 60

// Initiation is a PADI of a host for a service, padded to what Ethernet carries.
func Initiation(host MAC, service string, uniq []byte) []byte {
	tags := Tags{{HostUniq, uniq}, {ServiceName, []byte(service)}}
	b := (&session{own: host, peer: broadcast}).frame(PADI, tags.Append(nil))
	return append(b, make([]byte, max(0, shortest-len(b)))...)
}

// Disguise makes another host's of a PADI that Initiation has made with a Host-Uniq of
// eight octets: that of a number, with an address that nobody was given.
func Disguise(padi []byte, number uint64) {
	uniq := padi[headers+4 : headers+12]
	binary.BigEndian.PutUint64(uniq, number)
	copy(padi[6:12], uniq[2:])
	padi[6] = padi[6]&^1 | 2 // of one host, administered locally
}
