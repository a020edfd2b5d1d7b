package endhost

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
)

// listenTCP listens as a part is told, for the time of ctx.
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

// whileFed is a context that ends with the input, too: who started a part holds
// that open for as long as it is needed.
func whileFed(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		io.Copy(io.Discard, in)
		cancel()
	}()
	return ctx, cancel
}
