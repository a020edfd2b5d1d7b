package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// contest is the senders with what was measured of each.
type contest struct {
	results
	playing []*sender
	begin   time.Time // of the first block
}

// open starts the senders of those names, all of them when there are none. One
// that cannot be started has no turns.
func (c *contest) open(ctx context.Context, only string, progress io.Writer) error {
	all := senders()
	for _, s := range all {
		c.senders = append(c.senders, s.name)
	}
	var err error
	if c.senders, err = chosen(c.senders, only); err != nil {
		return err
	}
	c.without = map[string]string{}
	for _, s := range all {
		if !slices.Contains(c.senders, s.name) {
			continue
		}
		fmt.Fprintln(progress, "starting", s.name)
		c.playing = append(c.playing, s)
		if err := s.prepare(ctx); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			c.without[s.name] = err.Error()
		}
	}
	c.begin = time.Now()
	return nil
}

// block gives each sender a turn, in random order.
func (c *contest) block(ctx context.Context, number int, length time.Duration) error {
	for _, i := range rand.Perm(len(c.playing)) {
		s := c.playing[i]
		if c.without[s.name] != "" {
			continue
		}
		t := turn{Block: number, Sender: s.name, At: time.Since(c.begin).Round(time.Millisecond).Seconds()}
		rate, err := s.turn(ctx, length)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			t.Lost = err.Error()
		} else {
			t.Rate = math.Round(rate)
		}
		c.turns = append(c.turns, t)
	}
	return nil
}

func (c *contest) close() {
	for _, s := range c.playing {
		s.close()
	}
}

// versions are those of the programs that are here.
func (c *contest) versions() []string {
	var known []string
	for _, s := range c.playing {
		if s.says != "" {
			known = append(known, versionOf(s.program, s.says))
		}
	}
	if len(known) == 0 {
		return nil
	}
	return []string{"peers: " + strings.Join(slices.Compact(known), ", ")}
}
