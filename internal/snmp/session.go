// Package snmp asks SNMP agents, in version 2c: a session of questions and answers,
// and a witness, which reads what the interfaces of a switch have dropped. It asks
// whomever it is told to, changes nothing there, and does not know what a trial is.
package snmp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/gosnmp/gosnmp"
)

// agentPort is the UDP port of SNMP agents.
const agentPort = 161

// errNoAnswer is that an agent says nothing.
var errNoAnswer = errors.New("no answer")

// Session asks one agent, one question at a time.
type Session struct{ conn *gosnmp.GoSNMP }

// Value is what an agent says of an object.
type Value struct {
	Number uint64
	Bits   int    // after which the number begins anew at 0, 32 or 64; 0: it is no counter
	Text   string // where it is a text
}

// Open opens a session; nothing is asked yet. An answer is awaited for as long as said,
// and asked for again as often as said.
func Open(target netip.Addr, community string, timeout time.Duration, again int) (*Session, error) {
	s := &Session{&gosnmp.GoSNMP{Target: target.String(), Port: agentPort, Transport: "udp", Community: community,
		Version: gosnmp.Version2c, Timeout: timeout, Retries: again, MaxOids: gosnmp.MaxOids}}
	if err := s.conn.Connect(); err != nil {
		return nil, fmt.Errorf("open a socket to %v: %w", target, err)
	}
	return s, nil
}

// Close ends the session.
func (s *Session) Close() error { return s.conn.Close() }

// Get asks for objects and verifies that all of them came back. The value of one that
// the agent does not have is the zero one.
func (s *Session) Get(ctx context.Context, objects []string) ([]Value, error) {
	s.conn.Context = ctx
	response, err := s.conn.Get(objects)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && strings.Contains(err.Error(), "timeout"): // the library has no type for it
		return nil, errNoAnswer
	case err != nil:
		return nil, err
	case response.Error != gosnmp.NoError:
		return nil, fmt.Errorf("the answer says %v", response.Error)
	case len(response.Variables) != len(objects):
		return nil, fmt.Errorf("the answer has %d variables instead of %d", len(response.Variables), len(objects))
	}
	out := make([]Value, len(objects))
	for i, v := range response.Variables {
		if v.Name != objects[i] {
			return nil, fmt.Errorf("the answer has %s instead of %s", v.Name, objects[i])
		}
		out[i] = valueOf(v)
	}
	return out, nil
}

// Column is a column of a table: the value of each of its rows, by their number.
func (s *Session) Column(ctx context.Context, object string) (map[int]Value, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, columnLimit, fmt.Errorf("the agent has not come to the end of the column %s in %v", object, columnLimit))
	defer cancel()
	s.conn.Context = ctx
	out, seen := make(map[int]Value), 0
	err := s.conn.BulkWalk(object, func(v gosnmp.SnmpPDU) error {
		if seen++; seen > mostRows {
			return fmt.Errorf("the agent has more than %d rows in the column %s", mostRows, object)
		}
		if row, err := strconv.Atoi(strings.TrimPrefix(v.Name, object+".")); err == nil {
			out[row] = valueOf(v)
		}
		return nil
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out, err
}

// The bounds of a column. The largest switches have some thousand interfaces.
const (
	mostRows    = 1 << 16
	columnLimit = time.Minute
)

func valueOf(v gosnmp.SnmpPDU) Value {
	switch v.Type {
	case gosnmp.TimeTicks, gosnmp.Counter32:
		return Value{Number: gosnmp.ToBigInt(v.Value).Uint64(), Bits: 32}
	case gosnmp.Counter64:
		return Value{Number: gosnmp.ToBigInt(v.Value).Uint64(), Bits: 64}
	case gosnmp.OctetString:
		if text, ok := v.Value.([]byte); ok {
			return Value{Text: string(text)}
		}
	}
	return Value{}
}
