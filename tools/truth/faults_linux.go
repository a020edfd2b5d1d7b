package main

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed ended.sh
var endedScript string

// faults are the promises about how soon weir ends, or says what is wrong.
func faults() []promise {
	const (
		far  = `testbed: {kind: ports, ports: ["ssh://t1/far0", "ssh://t2/far1"]}` + "\ntraffic: {sizes: [64]}\nmethods: [{method: frmol, trial: 60s}]\nwaits: {residual: 10ms, learning: 10ms}\n"
		ends = `testbed: {kind: ports, near: {host: "ssh://t1", port: far0}, far: {host: "ssh://%s", port: %s}}` + "\nmethods: [{method: tcp, trial: 2m, trials: 1}]\n"
	)
	stream, twice := fmt.Sprintf(ends, "t2", "far1"), fmt.Sprintf(ends, "t1-again", "far0")
	return []promise{
		misconnected(5 * time.Second),
		endsWithin("a link of a transfer goes down", "the transfer ends", 10*time.Second, stream, []string{"cut", "nothing arrived at t2 for 5s"}),
		endsWithin("a tester at another machine is killed", "the trial ends", 3*time.Second, far, []string{"kill", "KILL", "t1", "tester at ssh://t1 ended"}, []string{"kill", "KILL", "t2", "tester at ssh://t2 ended"}),
		endsWithin("a tester at another machine is stopped", "the trial ends", 12*time.Second, far, []string{"kill", "STOP", "t1", "tester at ssh://t1 has said nothing"}, []string{"kill", "STOP", "t2", "tester at ssh://t2 has said nothing"}),
		endsWithin("a plan has one machine by two names", "it is refused", 15*time.Second, twice, []string{"refuse", "are one machine by two names"}),
		endsWithin("a second Ctrl-C", "weir ends", 5*time.Second, far, []string{"interrupt"}),
	}
}

// endsWithin has a script cause the end of a campaign at two machines that SSH reaches, in
// each of some ways.
func endsWithin(cause, end string, most time.Duration, plan string, ways ...[]string) promise {
	return promise{
		group: "faults", name: cause, asked: fmt.Sprintf("%s within %v", end, most),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			weir, err := filepath.Abs(s.weir)
			if err != nil {
				return "", false, err
			}
			file, remove, err := written(plan)
			if err != nil {
				return "", false, err
			}
			defer remove()
			var all []time.Duration
			for _, way := range ways {
				said, err := program(ctx, benchLimit, hostsScript, slices.Concat([]string{"far", "sh", "-ec", endedScript, "ended.sh", weir, file}, way)...)
				if err != nil {
					return "", false, err
				}
				ms, err := strconv.Atoi(strings.TrimSpace(string(said)))
				if err != nil {
					return "", false, fmt.Errorf("the script printed %q", said)
				}
				all = append(all, time.Duration(ms)*time.Millisecond)
			}
			return strings.Trim(fmt.Sprint(all), "[]"), slices.Max(all) <= most, nil
		},
	}
}

// misconnected is the promise about wrong cables and boxes.
func misconnected(most time.Duration) promise {
	wrong := []struct{ kind, command, ports, sentence string }{
		{"router", "", "box1, box0", "are swapped"},
		{"router", "ip link set port1 mtu 1400", "box0, box1", "frames of 1518 octets do not get from box0 to box1"},
		{"router", "ip address add 198.18.0.2/24 dev port0", "box0, box1", "198.18.0.2, which the tester has at box0, is in use by"},
		{"router", "ip route add 198.19.0.2/32 via 198.18.0.2 dev port0", "box0, box1", "its route to 198.19.0.2 leads to where the frames come from"},
		{"router", "sysctl -qw net.ipv4.ip_forward=0", "box0, box1", "does the box forward at all"},
		{"bridge", "", "box0, box1", "there is a cable or a switch between them, and no router"},
		{"bridge", "ip link set port1 nomaster; ip link set port0 type bridge_slave hairpin on", "box0, box1", "there is a loop behind it"},
	}
	return promise{
		group: "faults", name: "faults of the wiring", asked: fmt.Sprintf("each of %d is named within %v", len(wrong), most),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			var all []time.Duration
			for _, w := range wrong {
				err := within(ctx, w.kind, "", func() error {
					if err := inBox(ctx, w.command); err != nil {
						return err
					}
					t := s.run(ctx, "testbed: {kind: ports, ports: ["+w.ports+"]}\ntraffic: {sizes: 1518}\nmethods: [{method: frmol, trial: 100ms}]\n")
					s.say("%.2f s: %v", t.took.Seconds(), t.err)
					if t.err == nil || !strings.Contains(t.err.Error(), w.sentence) {
						return fmt.Errorf("weir has not said %q: %w", w.sentence, t.err)
					}
					all = append(all, t.took)
					return nil
				})
				if err != nil {
					return "", false, err
				}
			}
			return fmt.Sprintf("%d named, each within %.2f s", len(all), slices.Max(all).Seconds()), slices.Max(all) <= most, nil
		},
	}
}

// inBox has a shell in the box run a command.
func inBox(ctx context.Context, command string) error {
	_, err := program(ctx, searchLimit, "ip", "netns", "exec", "weirbox", "sh", "-ec", command)
	return err
}
