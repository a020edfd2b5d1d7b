package endhost

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// What a client may take of the server.
const (
	headLimit     = 10 * time.Second // for saying what it wants
	idleLimit     = 30 * time.Second // for wanting something else
	headOctets    = 16 << 10
	requestsLimit = 64          // at once
	pieceOctets   = 256 << 10   // that are written to a file at a time
	shutLimit     = time.Second // for what is under way when the server ends
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
	listener, err := net.Listen("tcp", netip.AddrPortFrom(s.Address, 0).String())
	if err != nil {
		return fmt.Errorf("take connections: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		io.Copy(io.Discard, in)
		stop()
	}()
	server := &http.Server{
		Handler:           &fileServer{folder: folder, password: s.Password, places: make(chan struct{}, requestsLimit)},
		ReadHeaderTimeout: headLimit, IdleTimeout: idleLimit, MaxHeaderBytes: headOctets,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if err := tell(Listening{Ready: true, Port: listener.Addr().(*net.TCPAddr).Port}); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutLimit)
	defer cancel()
	if server.Shutdown(limited) != nil {
		return server.Close()
	}
	return nil
}

// fileServer sends and takes the files of one folder.
type fileServer struct {
	folder   *os.Root
	password string
	places   chan struct{} // one for each request under way
}

func (f *fileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	if user != HTTPUser || subtle.ConstantTimeCompare([]byte(password), []byte(f.password)) != 1 {
		w.Header().Set("WWW-Authenticate", `Basic realm="weir"`)
		http.Error(w, "wrong user or password", http.StatusUnauthorized)
		return
	}
	select {
	case f.places <- struct{}{}:
		defer func() { <-f.places }()
	default:
		http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	switch r.Method {
	case http.MethodGet:
		f.send(w, name)
	case http.MethodPut:
		f.take(w, r, name)
	default:
		w.Header().Set("Allow", "GET, PUT")
		http.Error(w, r.Method+" is not for files", http.StatusMethodNotAllowed)
	}
}

func (f *fileServer) send(w http.ResponseWriter, name string) {
	file, err := f.folder.Open(name)
	if err != nil {
		refuse(w, err)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", fmt.Sprint(info.Size()))
	io.CopyN(w, file, info.Size()) // by the kernel; a client that goes away knows why
}

func (f *fileServer) take(w http.ResponseWriter, r *http.Request, name string) {
	file, err := f.folder.Create(name)
	if err != nil {
		refuse(w, err)
		return
	}
	// The file's own way of reading from others takes smaller pieces.
	_, err = io.CopyBuffer(struct{ io.Writer }{file}, r.Body, make([]byte, pieceOctets))
	if err = errors.Join(err, file.Close()); err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// refuse says why a file was not sent or taken.
func refuse(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		code = http.StatusInsufficientStorage
	case errors.Is(err, os.ErrNotExist):
		code = http.StatusNotFound
	}
	http.Error(w, err.Error(), code)
}
