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
	mu   sync.Mutex
	conn net.Conn
	in   *json.Decoder
}

// qmpLimit is how long QEMU may take to answer.
const qmpLimit = 10 * time.Second

func openQMP(ctx context.Context, dial func(context.Context) (net.Conn, error)) (*qmp, error) {
	conn, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	q := &qmp{conn: conn, in: json.NewDecoder(conn)}
	var greeting struct{ QMP json.RawMessage }
	_ = conn.SetDeadline(time.Now().Add(qmpLimit))
	if err = q.in.Decode(&greeting); err == nil {
		err = q.do(ctx, "qmp_capabilities", nil)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("QEMU's controls: %w", err), conn.Close())
	}
	return q, nil
}

// do has QEMU do something, and waits for its answer.
func (q *qmp) do(ctx context.Context, what string, with map[string]string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	_ = q.conn.SetDeadline(time.Now().Add(qmpLimit))
	request := map[string]any{"execute": what}
	if with != nil {
		request["arguments"] = with
	}
	if err := json.NewEncoder(q.conn).Encode(request); err != nil {
		return fmt.Errorf("QEMU does not take %s: %w", what, err)
	}
	for {
		var answer struct {
			Return json.RawMessage
			Error  *struct{ Desc string }
			Event  string
		}
		if err := q.in.Decode(&answer); err != nil {
			return fmt.Errorf("QEMU does not answer %s: %w", what, err)
		}
		switch {
		case answer.Error != nil:
			return fmt.Errorf("QEMU refuses %s: %s", what, answer.Error.Desc)
		case answer.Event == "":
			return nil
		}
	}
}

// reset starts the machine anew. Otherwise one that starts itself anew ends, so that a
// kernel that panics does not do so for ever.
func (q *qmp) reset(ctx context.Context) error {
	if err := q.do(ctx, "set-action", map[string]string{"reboot": "reset"}); err != nil {
		return err
	}
	err := q.do(ctx, "system_reset", nil)
	return errors.Join(err, q.do(context.WithoutCancel(ctx), "set-action", map[string]string{"reboot": "shutdown"}))
}

func (q *qmp) close() {
	if q != nil {
		q.conn.Close()
	}
}
