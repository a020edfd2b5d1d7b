package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// qmp is a connection with QEMU's own controls: lines of JSON (QEMU Machine Protocol).
type qmp struct {
	mu      sync.Mutex // one request at a time
	conn    net.Conn
	answers chan answer // closed with the connection
}

// answer is what QEMU says: to a request, or an event by itself.
type answer struct {
	Return json.RawMessage
	Error  *struct{ Desc string }
	Event  string
}

// qmpLimit is how long QEMU may take to answer.
const qmpLimit = 10 * time.Second

// openQMP connects with QEMU's controls. told is called for each event, and asks for
// nothing itself.
func openQMP(ctx context.Context, dial func(context.Context) (net.Conn, error), told func(event string)) (*qmp, error) {
	conn, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	q := &qmp{conn: conn, answers: make(chan answer, 1)}
	in := json.NewDecoder(conn)
	var greeting struct{ QMP json.RawMessage }
	// Its sockets are there before it is: a busy machine takes its time to start it.
	stop := context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Now()) })
	defer stop()
	if err = in.Decode(&greeting); err == nil {
		_ = conn.SetReadDeadline(time.Time{})
		go q.listen(in, told)
		err = q.do(ctx, "qmp_capabilities", nil)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("QEMU's controls: %w", err), conn.Close())
	}
	return q, nil
}

// listen sorts what QEMU says, until it ends.
func (q *qmp) listen(in *json.Decoder, told func(event string)) {
	defer close(q.answers)
	for {
		var a answer
		if in.Decode(&a) != nil {
			return
		}
		if a.Event != "" {
			told(a.Event)
			continue
		}
		q.answers <- a
	}
}

// do has QEMU do something, and waits for its answer.
func (q *qmp) do(ctx context.Context, what string, with map[string]any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	_ = q.conn.SetWriteDeadline(time.Now().Add(qmpLimit))
	request := map[string]any{"execute": what}
	if with != nil {
		request["arguments"] = with
	}
	if err := json.NewEncoder(q.conn).Encode(request); err != nil {
		return fmt.Errorf("QEMU does not take %s: %w", what, err)
	}
	select {
	case a, ok := <-q.answers:
		switch {
		case !ok:
			return fmt.Errorf("QEMU does not answer %s: the connection with it has ended", what)
		case a.Error != nil:
			return fmt.Errorf("QEMU refuses %s: %s", what, a.Error.Desc)
		}
		return nil
	case <-time.After(qmpLimit):
		q.conn.Close() // nobody knows then what an answer is to
		return fmt.Errorf("QEMU does not answer %s within %v", what, qmpLimit)
	}
}

// mayReboot lets the machine's system start it anew. It ends with that otherwise, which is
// what one should do of which the kernel panics as it starts.
func (q *qmp) mayReboot(ctx context.Context) error {
	return q.do(ctx, "set-action", map[string]any{"reboot": "reset"})
}

// link gives a port of the machine's, by its name in QEMU's arguments, a link, or takes it
// away.
func (q *qmp) link(ctx context.Context, port int, up bool) error {
	return q.do(ctx, "set_link", map[string]any{"name": fmt.Sprintf("port%d", port), "up": up})
}

func (q *qmp) close() {
	if q != nil {
		q.conn.Close()
	}
}
