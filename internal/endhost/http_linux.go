package endhost

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// What a client may take of the server.
const (
	headLimit   = 30 * time.Second // for wanting something, and saying what
	headOctets  = 16 << 10
	clientLimit = 64        // at once
	pieceOctets = 256 << 10 // that are written to a file at a time
)

// serveHTTP plays the part "http-serve".
func serveHTTP(ctx context.Context, s ServeHTTP, in io.Reader, tell func(any) error) error {
	if s.Password == "" {
		return errors.New("a server for everybody is none for a measurement: give it a password")
	}
	folder, err := os.OpenRoot(s.Folder)
	if err != nil {
		return err
	}
	defer folder.Close()
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(s.Address, 0)))
	if err != nil {
		return fmt.Errorf("take connections: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		io.Copy(io.Discard, in)
		stop()
	}()
	context.AfterFunc(ctx, func() { listener.Close() })
	if err := tell(Listening{Ready: true, Port: listener.Addr().(*net.TCPAddr).Port}); err != nil {
		return err
	}
	server := &fileServer{folder: folder, password: s.Password}
	var clients sync.WaitGroup
	defer clients.Wait()
	places := make(chan struct{}, clientLimit)
	for {
		c, err := listener.AcceptTCP()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("take a connection: %w", err)
		}
		places <- struct{}{}
		clients.Go(func() {
			defer func() { <-places }()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			server.serve(c)
		})
	}
}

// fileServer sends and takes the files of one folder.
type fileServer struct {
	folder   *os.Root
	password string
}

// serve answers the requests of a connection, one after the other.
func (f *fileServer) serve(c *net.TCPConn) {
	defer c.Close()
	h := newHTTPConnection(c)
	for {
		r, err := h.next()
		if err != nil {
			return // it wants nothing more, or nothing that can be understood
		}
		if err := f.answer(h, r); err != nil {
			return
		}
	}
}

// answer answers a request. An error ends the connection.
func (f *fileServer) answer(h *httpConnection, r httpRequest) error {
	user, password := r.user()
	if user != HTTPUser || subtle.ConstantTimeCompare([]byte(password), []byte(f.password)) != 1 {
		return h.refuse(401, "wrong user or password", `WWW-Authenticate: Basic realm="weir"`)
	}
	switch r.method {
	case "GET":
		return f.send(h, r)
	case "PUT":
		return f.take(h, r)
	}
	return h.refuse(405, r.method+" is not for files", "Allow: GET, PUT")
}

func (f *fileServer) send(h *httpConnection, r httpRequest) error {
	file, err := f.folder.Open(r.name)
	if err != nil {
		return h.fault(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", r.name)
	}
	if err != nil {
		return h.fault(err)
	}
	if err := h.head(200, info.Size(), "Content-Type: application/octet-stream"); err != nil {
		return err
	}
	_, err = io.CopyN(h.conn, file, info.Size()) // by the kernel
	return err
}

func (f *fileServer) take(h *httpConnection, r httpRequest) error {
	file, err := f.folder.Create(r.name)
	if err != nil {
		return h.fault(err)
	}
	body, err := h.body(r)
	if err == nil {
		// The file's own way of reading from others takes smaller pieces.
		_, err = io.CopyBuffer(struct{ io.Writer }{file}, body, make([]byte, pieceOctets))
	}
	if err == nil && body.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return h.fault(err)
	}
	return h.head(201, 0)
}

// fault says why a file was not sent or taken.
func (h *httpConnection) fault(err error) error {
	code := 500
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		code = 507
	case errors.Is(err, os.ErrNotExist):
		code = 404
	}
	return h.refuse(code, err.Error())
}
