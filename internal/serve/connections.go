package serve

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// connections are those that a server has open, at most so many. For one that is too many the server
// closes another one: the one that it waits for longest where it waits for more than half of them,
// or else the one that it answers longest. So who opens many, and asks for nothing or takes no
// answer, keeps nobody else out.
type connections struct {
	most int

	sync.Mutex
	open map[net.Conn]*connection
	last int // number of the last one
}

// connection is one of them.
type connection struct {
	since  int  // when it began, or was answered last, in the order of all
	served bool // whether a request of it is being answered
}

// note counts a connection that is new, or has ended.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.Lock()
	defer c.Unlock()
	switch state {
	case http.StateNew:
		if len(c.open) >= c.most {
			c.closeOne()
		}
		c.last++
		c.open[conn] = &connection{since: c.last}
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
}

func (c *connections) closeOne() {
	var longest [2]net.Conn // that it waits for, and that it answers
	waiting := 0
	for conn, is := range c.open {
		kind := 0
		if is.served {
			kind = 1
		} else {
			waiting++
		}
		if was := c.open[longest[kind]]; was == nil || is.since < was.since {
			longest[kind] = conn
		}
	}
	gone := longest[0]
	if 2*waiting <= c.most {
		gone = longest[1]
	}
	delete(c.open, gone)
	_ = gone.Close() // it may have ended
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

func (c *connections) context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// around notes which connections are being answered.
func (c *connections) around(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		conn, _ := req.Context().Value(connKey{}).(net.Conn)
		c.answers(conn, true)
		defer c.answers(conn, false)
		h.ServeHTTP(w, req)
	})
}

func (c *connections) answers(conn net.Conn, served bool) {
	c.Lock()
	defer c.Unlock()
	if is := c.open[conn]; is != nil {
		c.last++
		is.since, is.served = c.last, served
	}
}
