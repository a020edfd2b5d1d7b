package wiring

import (
	"errors"
	"fmt"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"golang.org/x/sys/unix"

	"weir/internal/netif"
)

// Alive says of ports that they are there, so that no switch on the way forgets behind
// which of its ports they are while they only receive: it would flood all frames.
type Alive struct {
	sockets []int
	frames  [][]byte
}

// OpenAlive makes what ports of a namespace send. It is a frame to themselves, of the
// protocol for tests of loops, which a switch learns from and sends to nobody.
func OpenAlive(ns *netif.Namespace, ports []Port) (*Alive, error) {
	a := &Alive{}
	err := ns.Do(func() error {
		for _, p := range ports {
			fd, err := openAt(p.Name)
			if err != nil {
				return err
			}
			a.sockets = append(a.sockets, fd)
			b := gopacket.NewSerializeBuffer()
			eth := &layers.Ethernet{SrcMAC: p.MAC, DstMAC: p.MAC, EthernetType: layers.EthernetTypeEthernetCTP}
			if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, eth, gopacket.Payload(make([]byte, 46))); err != nil {
				return err
			}
			a.frames = append(a.frames, b.Bytes())
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keep switches from forgetting the ports: %w", err), a.Close())
	}
	return a, nil
}

// Say has a port send its frame. One that is not sent is not missed: the next one comes
// in a second.
func (a *Alive) Say(port int) { _, _ = unix.Write(a.sockets[port], a.frames[port]) }

// Close ends it.
func (a *Alive) Close() (err error) {
	for _, fd := range a.sockets {
		err = errors.Join(err, unix.Close(fd))
	}
	return err
}
