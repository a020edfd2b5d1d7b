package workload

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/endhost"
)

// connections counts how many connections of TCP are opened, used for an octet
// each way and closed, one after the other at each of as many places as there
// are streams. They are closed with a reset: see endhost.ConnectionsMake.
var connections = program{
	Info:  Info{Name: "connections", Summary: "connections of TCP that are opened, used and closed in a second, by weir's own program"},
	begin: beginConnections,
}

// connectionsPort is where weir's own server of connections listens, for the
// first job.
const connectionsPort = 5400

func beginConnections(ctx context.Context, j *job) (*session, error) {
	s, err := j.startRole(ctx, "connections-serve", j.at(connectionsPort))
	if err != nil {
		return nil, err
	}
	return &session{
		move: func(ctx context.Context) (weir.Transferred, error) { return j.connect(ctx, s) },
		end:  s.Stop,
	}, nil
}

// connect makes the connections, and returns how many there were.
func (j *job) connect(ctx context.Context, s *server) (weir.Transferred, error) {
	out := weir.Transferred{Version: weir.Version}
	var r endhost.ConnectionsReport
	var before, after time.Duration
	if err := s.Ask(ctx, "cpu", nil, &before); err != nil {
		return out, err
	}
	err := j.playAtClient(ctx, s, j.duration, "connections-make", endhost.ConnectionsMake{
		Address: j.address(j.serverEnd()), Port: s.port, Places: j.streams(), Duration: j.duration, WarmUp: j.WarmUp,
	}, &r)
	if err != nil {
		return out, err
	}
	out.Count, out.Took = r.Count, r.Took
	if err := s.Ask(ctx, "cpu", nil, &after); err != nil {
		return out, err
	}
	// Its part in the time that counts: it was evenly busy.
	out.CPU = endsCPU(j.server, r.CPU, time.Duration(float64(after-before)*r.Took.Seconds()/j.duration.Seconds()))
	if r.Count == 0 {
		return out, fmt.Errorf("no connection came about: %s", causes(r.Failed))
	}
	out.Figures = timesOf(r)
	return out, nil
}

// timesOf are the figures of connections.
func timesOf(r endhost.ConnectionsReport) []weir.Figure {
	failed := 0.
	for _, n := range r.Failed {
		failed += float64(n)
	}
	out := []weir.Figure{
		{Name: "time of a connection, median", Value: r.Times.Quantile(.5), Unit: "s"},
		{Name: "time of a connection, 99th percentile", Value: r.Times.Quantile(.99), Unit: "s"},
		{Name: "connections failed", Value: failed, Unit: "connections"},
	}
	for _, why := range slices.Sorted(maps.Keys(r.Failed)) {
		out = append(out, weir.Figure{Name: "connections failed: " + why, Value: float64(r.Failed[why]), Unit: "connections"})
	}
	return out
}

// causes are the reasons of failures, for people.
func causes(failed map[string]uint64) string {
	var out []string
	for _, why := range slices.Sorted(maps.Keys(failed)) {
		out = append(out, fmt.Sprintf("%s (%d times)", why, failed[why]))
	}
	if len(out) == 0 {
		return "none ended in the time that counts"
	}
	return strings.Join(out, ", ")
}
