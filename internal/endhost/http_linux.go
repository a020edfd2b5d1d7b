package endhost

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Limits of what a client may use of the server.
const (
	headLimit   = 30 * time.Second // for wanting something, and saying what
	headOctets  = 16 << 10
	clientLimit = 64        // at once
	pieceOctets = 256 << 10 // that are written to a file at a time
)

// serveHTTP is the role "http-serve".
func serveHTTP(ctx context.Context, s ServeHTTP) (at Listening, serve func() error, err error) {
	if s.Password == "" {
		return at, nil, errors.New("a server for everybody is none for a measurement: give it a password")
	}
	folder, err := os.OpenRoot(s.Folder)
	if err != nil {
		return at, nil, err
	}
	listener, own, err := listenTCP(ctx, Listen{Address: s.Address})
	if err != nil {
		return at, nil, errors.Join(err, folder.Close())
	}
	clients := make(chan struct{}, clientLimit)
	server := &http.Server{
		Handler: fileServer{folder, s.Password}, ReadHeaderTimeout: headLimit, IdleTimeout: headLimit, MaxHeaderBytes: headOctets,
		// The next connection is taken when this returns. A listener that counts would
		// hide the connection, and with that the kernel's own way to send a file.
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				clients <- struct{}{}
			case http.StateClosed:
				<-clients
			}
		},
	}
	context.AfterFunc(ctx, func() { server.Close() })
	return Listening{own.Port()}, func() error {
		defer folder.Close()
		if err := server.Serve(listener); ctx.Err() == nil {
			return fmt.Errorf("take connections: %w", err)
		}
		return nil
	}, nil
}

// fileServer sends and takes the files of one folder.
type fileServer struct {
	folder   *os.Root
	password string
}

func (f fileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, code := strings.TrimPrefix(r.URL.Path, "/"), http.StatusInternalServerError
	var err error
	switch user, password, _ := r.BasicAuth(); {
	case user != HTTPUser || subtle.ConstantTimeCompare([]byte(password), []byte(f.password)) != 1:
		w.Header().Set("WWW-Authenticate", `Basic realm="weir"`)
		code, err = http.StatusUnauthorized, errors.New("wrong user or password")
	case r.Method == http.MethodGet:
		err = f.send(w, name)
	case r.Method == http.MethodPut:
		err = f.take(w, r, name)
	default:
		w.Header().Set("Allow", "GET, PUT")
		code, err = http.StatusMethodNotAllowed, errors.New(r.Method+" is not for files")
	}
	switch {
	case err == nil:
		return
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		code = http.StatusInsufficientStorage
	case errors.Is(err, os.ErrNotExist):
		code = http.StatusNotFound
	}
	http.Error(w, err.Error(), code)
}

func (f fileServer) send(w http.ResponseWriter, name string) error {
	file, err := f.folder.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	io.CopyN(w, file, info.Size()) // by the kernel; the client counts what comes
	return nil
}

func (f fileServer) take(w http.ResponseWriter, r *http.Request, name string) error {
	if r.ContentLength < 0 {
		return errors.New("a file needs its length before it (Content-Length)")
	}
	file, err := f.folder.Create(name)
	if err != nil {
		return err
	}
	// The file's own way of reading from others takes smaller pieces.
	_, err = io.CopyBuffer(struct{ io.Writer }{file}, r.Body, make([]byte, pieceOctets))
	if err = errors.Join(err, file.Close()); err == nil {
		w.WriteHeader(http.StatusCreated)
	}
	return err
}
