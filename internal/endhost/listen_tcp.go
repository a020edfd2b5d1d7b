//go:build unix

package endhost

import (
	"context"
	"fmt"
	"net"
	"net/netip"
)

// listenTCP listens as a role is told, for the time of ctx.
func listenTCP(ctx context.Context, l Listen) (*net.TCPListener, netip.AddrPort, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", netip.AddrPortFrom(l.Address, uint16(l.Port)).String())
	if err != nil {
		return nil, netip.AddrPort{}, fmt.Errorf("serve at %s, port %d: %w", l.Address, l.Port, err)
	}
	tcp := listener.(*net.TCPListener)
	context.AfterFunc(ctx, func() { tcp.Close() })
	own := tcp.Addr().(*net.TCPAddr).AddrPort()
	return tcp, netip.AddrPortFrom(own.Addr().Unmap(), own.Port()), nil
}
