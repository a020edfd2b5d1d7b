package endhost

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// So much of HTTP/1.1 (RFC 9112) as a client takes that gets and puts files, one
// after the other over one connection. The library's server would make the whole
// program a fifth larger, with all that a server of the web needs.

// httpRequest is the head of a request.
type httpRequest struct {
	method  string
	name    string // its path, without the leading slash
	headers textproto.MIMEHeader
}

// httpConnection is that of one client.
type httpConnection struct {
	conn *net.TCPConn
	in   *bufio.Reader
}

func newHTTPConnection(c *net.TCPConn) *httpConnection {
	return &httpConnection{c, bufio.NewReader(c)}
}

// next is the client's next request.
func (h *httpConnection) next() (r httpRequest, err error) {
	if err := h.conn.SetReadDeadline(time.Now().Add(headLimit)); err != nil {
		return r, err
	}
	if r, err = readRequest(h.in); err != nil {
		return r, err
	}
	return r, h.conn.SetReadDeadline(time.Time{})
}

// readRequest reads the head of a request.
func readRequest(in io.Reader) (r httpRequest, err error) {
	limited := &io.LimitedReader{R: in, N: headOctets}
	// A reader of lines of its own would keep what follows them.
	head := textproto.NewReader(bufio.NewReaderSize(oneByOne{limited}, 16))
	line, err := head.ReadLine()
	if err != nil {
		return r, err
	}
	method, rest, ok1 := strings.Cut(line, " ")
	target, version, ok2 := strings.Cut(rest, " ")
	if !ok1 || !ok2 || version != "HTTP/1.1" {
		return r, fmt.Errorf("%q is no request", line)
	}
	path, err := url.PathUnescape(target)
	if err != nil {
		return r, err
	}
	headers, err := head.ReadMIMEHeader()
	if err != nil {
		return r, err
	}
	return httpRequest{method, strings.TrimPrefix(path, "/"), headers}, nil
}

// oneByOne reads an octet at a time.
type oneByOne struct{ r io.Reader }

func (o oneByOne) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 1)]) }

// user is who asks, with the password (RFC 7617).
func (r httpRequest) user() (name, password string) {
	encoded, ok := strings.CutPrefix(r.headers.Get("Authorization"), "Basic ")
	if !ok {
		return "", ""
	}
	both, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", ""
	}
	name, password, _ = strings.Cut(string(both), ":")
	return name, password
}

// body is what comes with a request, which the client is told to send where it
// waits for that.
func (h *httpConnection) body(r httpRequest) (*io.LimitedReader, error) {
	octets, err := strconv.ParseInt(r.headers.Get("Content-Length"), 10, 64)
	if err != nil || octets < 0 {
		return nil, errors.New("a file needs its length before it (Content-Length)")
	}
	if strings.EqualFold(r.headers.Get("Expect"), "100-continue") {
		if _, err := io.WriteString(h.conn, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return nil, err
		}
	}
	return &io.LimitedReader{R: h.in, N: octets}, nil
}

// reasons are the words for what is answered (RFC 9110 section 15).
var reasons = map[int]string{
	200: "OK", 201: "Created", 401: "Unauthorized", 404: "Not Found", 405: "Method Not Allowed",
	500: "Internal Server Error", 507: "Insufficient Storage",
}

// head begins an answer, of so many octets.
func (h *httpConnection) head(code int, octets int64, headers ...string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nContent-Length: %d\r\n", code, reasons[code], octets)
	for _, line := range headers {
		b.WriteString(line + "\r\n")
	}
	b.WriteString("\r\n")
	_, err := io.WriteString(h.conn, b.String())
	return err
}

// lingering is how long a client has for reading why its request was refused,
// while it may send still.
const lingering = 500 * time.Millisecond

// errRefused ends a connection: nobody reads what came with the request.
var errRefused = errors.New("the request was refused")

// refuse says why a request is not done, and ends the connection.
func (h *httpConnection) refuse(code int, why string, headers ...string) error {
	why += "\n"
	if err := h.head(code, int64(len(why)), append(headers, "Connection: close")...); err != nil {
		return err
	}
	_, err := io.WriteString(h.conn, why)
	err = errors.Join(err, h.conn.CloseWrite(), h.conn.SetReadDeadline(time.Now().Add(lingering)))
	io.Copy(io.Discard, h.in)
	return errors.Join(errRefused, err)
}
