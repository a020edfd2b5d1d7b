package workload

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
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
	s, err := j.serve(ctx, "connections-serve", j.at(connectionsPort))
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
	before, _ := s.cpu(ctx, j.serving())
	err := j.ask(ctx, s, j.duration, "connections-make", endhost.ConnectionsMake{
		Address: j.address(j.serving()), Port: s.port, Places: j.streams(), Duration: j.duration, WarmUp: j.WarmUp,
	}, &r)
	if err != nil {
		return out, err
	}
	out.Count, out.Took = r.Count, r.Took
	if after, err := s.cpu(ctx, j.serving()); err == nil {
		// Its part in the time that counts: it was evenly busy.
		serving := time.Duration(float64(after-before) * r.Took.Seconds() / j.duration.Seconds())
		out.CPU = weir.EndsCPU{Source: r.CPU, Destination: serving}
		if j.server == weir.Source {
			out.CPU = weir.EndsCPU{Source: serving, Destination: r.CPU}
		}
	}
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

// clockTicks are those of the times in /proc/PID/stat, per second, on every
// architecture of Linux that programs see.
const clockTicks = 100

// cpu is what a server has used of its CPUs.
func (s *server) cpu(ctx context.Context, at End) (time.Duration, error) {
	stat, err := at.Host.ReadFile(ctx, fmt.Sprintf("/proc/%d/stat", s.PID()))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(stat, ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %q", s.PID(), stat)
	}
	ticks := 0
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / clockTicks, nil
}
