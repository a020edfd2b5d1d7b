package lab

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"time"

	"weir"
	"weir/internal/endhost"
	"weir/internal/service"
	"weir/internal/telemetry"
)

const (
	// devicePPP is where Linux has PPP of its own.
	devicePPP = "/dev/ppp"
	// kernelLimit is how long programs may take for a session: pppd asks again after 5 s, and
	// then after 10 s, when nobody was there at first.
	kernelLimit = 30 * time.Second
	// sessionHeaders is how much less a session carries than its port.
	sessionHeaders = 8
)

// kernelPPP says what is missing for the kernel's own sessions.
func kernelPPP() error {
	if _, err := os.Stat(devicePPP); err != nil {
		return &weir.UnsupportedError{
			Feature: fmt.Sprintf("access by {pppoe: %s}", weir.KernelPPP),
			Err:     err,
			Remedy:  fmt.Sprintf("modprobe pppoe, of a kernel with CONFIG_PPP and CONFIG_PPPOE, or take {pppoe: %s}", weir.Userland),
		}
	}
	return nil
}

// dialKernel has the programs set a session up that people run for that: pppd at the client,
// and rp-pppoe with pppd at the concentrator. What they keep is in a folder, which goes when
// they do; "": with the temporary files.
func (l *accessLine) dialKernel(ctx context.Context, folder string) error {
	client, concentrator := &l.ends[0], &l.ends[1]
	port, err := concentrator.device(ctx, "link", concentrator.port)
	if err != nil {
		return err
	}
	line := service.PPPoE{
		Service: accessUser, Name: concentrator.name, Proofs: []string{"chap"}, MTU: port.MTU - sessionHeaders, IPv6: true,
		Users: []service.PPPoEUser{{Name: accessUser, Secret: rand.Text()}},
		Local: concentrator.own[weir.IPv4], Pool: client.own[weir.IPv4], Sessions: 1,
	}
	for _, one := range []struct {
		*lineEnd
		program string
	}{{concentrator, "rp-pppoe"}, {client, "pppd"}} {
		is := slices.IndexFunc(service.PPPoEPrograms, func(p service.PPPoEProgram) bool { return p.Name == one.program })
		line.Interface = one.port
		at := service.Place{Host: one.place.Host, CPUs: one.place.CPUs, Folder: folder}
		if one.service, err = service.PPPoEPrograms[is].Start(ctx, at, line, &l.undo); err != nil {
			return err
		}
	}
	l.mtu = line.MTU
	for i := range l.ends {
		e := &l.ends[i]
		err := e.service.Await(ctx, kernelLimit, func(ctx context.Context) error {
			d, err := e.device(ctx, "address", accessDevice)
			if err == nil && !d.has(e.own[weir.IPv4]) {
				err = fmt.Errorf("%s of %s has not the address %v yet", accessDevice, e.name, e.own[weir.IPv4])
			}
			if err == nil {
				l.mtu = min(l.mtu, d.MTU)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("wait for the session: %w", err)
		}
	}
	return l.leadAll(ctx)
}

// lineDevice is what ip(8) says of a device.
type lineDevice struct {
	MTU       int `json:"mtu"`
	Addresses []struct {
		Local netip.Addr `json:"local"`
	} `json:"addr_info"`
	Stats struct {
		Rx, Tx struct {
			Packets uint64 `json:"packets"`
		}
	} `json:"stats64"`
}

func (d lineDevice) has(a netip.Addr) bool {
	for _, one := range d.Addresses {
		if one.Local == a {
			return true
		}
	}
	return false
}

// device asks for one of an end's, in words of ip(8): its "address", or its "link", which has
// what passed it.
func (e *lineEnd) device(ctx context.Context, what, name string) (lineDevice, error) {
	said, err := e.place.Host.Run(ctx, "", "ip", "-json", "-statistics", what, "show", "dev", name)
	var found []lineDevice
	if err == nil {
		err = json.Unmarshal([]byte(said), &found)
	}
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("ip says %q", said)
	}
	if err != nil {
		return lineDevice{}, fmt.Errorf("ask for %s of %s: %w", name, e.name, err)
	}
	return found[0], nil
}

// kernelCounts are what an end of the kernel's has come to: the datagrams that passed its
// device, and the CPU time of its program, with all that this has started and that still runs.
func (e *lineEnd) kernelCounts(ctx context.Context) (c endhost.AccessCounts, err error) {
	d, err := e.device(ctx, "link", accessDevice)
	if err != nil {
		return c, err
	}
	c.Sent, c.Received = d.Stats.Tx.Packets, d.Stats.Rx.Packets
	if c.CPU, err = telemetry.ReadFamily(ctx, e.place.Host, e.service.PID()); err != nil {
		return c, fmt.Errorf("ask what the programs of %s took: %w", e.name, err)
	}
	return c, nil
}
