package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"weir/stats"
)

// A follower listens to a campaign that is being measured, as its page does.
const (
	followers   = 200
	followPairs = 10 // of a bench with followers, and one without
	followLimit = 10 * time.Second
)

// followed is the promise that readers of a campaign's page do not change what is measured.
func followed() promise {
	return promise{
		group: "listeners", name: fmt.Sprintf("weir bench --quick with %d listeners of its page, and without", followers),
		asked: "the 95 % interval of the ratio has 1 in it, of each size",
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			var with, without []bench
			n := s.often(followPairs)
			for i := range n {
				for _, listen := range []bool{i%2 == 0, i%2 == 1} { // by turns
					b, events, err := s.followedBench(ctx, listen)
					if err != nil {
						return "", false, err
					}
					s.say("pair %d of %d, listeners %v, %d events: %v", i+1, n, listen, events, b)
					if listen {
						with = append(with, b)
					} else {
						without = append(without, b)
					}
				}
			}
			found, kept := besideFollowers(with, without)
			return found, kept, nil
		},
	}
}

// besideFollowers compares benches with followers with those without, pair by pair.
func besideFollowers(with, without []bench) (string, bool) {
	var parts []string
	kept := true
	for _, size := range quickSizes {
		var a, b, logs []float64
		for i := range with {
			if v, w := with[i].sizes[size].Value, without[i].sizes[size].Value; v > 0 && w > 0 {
				a, b, logs = append(a, v), append(b, w), append(logs, math.Log(v/w))
			}
		}
		if len(logs) == 0 {
			parts, kept = append(parts, size+": no pair has two numbers"), false
			continue
		}
		text := fmt.Sprintf("%s: median %.1f kpps with and %.1f without, %d pairs", size, median(a)/1e3, median(b)/1e3, len(logs))
		change, known := stats.MeanChange(logs, .95)
		if known {
			text += fmt.Sprintf(", ratio %.3f (%.3f to %.3f)", 1+change.Estimate, 1+change.Lower, 1+change.Upper)
		}
		parts = append(parts, text)
		kept = kept && known && change.Lower <= 0 && change.Upper >= 0
	}
	return strings.Join(parts, "; "), kept
}

// followedBench runs a quick bench whose store is served, with followers of its page or without, and returns
// how many events these have heard.
func (s setup) followedBench(ctx context.Context, listen bool) (b bench, events int64, err error) {
	folder, err := os.MkdirTemp("", "truth-")
	if err != nil {
		return b, 0, err
	}
	defer os.RemoveAll(folder)
	uid, gid := 65534, 65534 // nobody: who serves is not root, and reads a store of their own alone
	if err := os.Chown(folder, uid, gid); err != nil {
		return b, 0, err
	}
	s.near = append(slices.Clone(s.near), "env", fmt.Sprint("SUDO_UID=", uid), fmt.Sprint("SUDO_GID=", gid), "HOME="+folder)
	store := filepath.Join(folder, "weir.db")
	site, stop, err := s.serve(ctx, store)
	if err != nil {
		return b, 0, err
	}
	defer stop()
	var heard atomic.Int64
	following, end := context.WithCancel(ctx)
	var all sync.WaitGroup
	var wrong error
	if listen {
		all.Go(func() { wrong = follow(following, site, &heard) })
	}
	b, err = s.bench(ctx, false, "--quick", "--store", store)
	end()
	all.Wait()
	if err == nil && wrong != nil {
		err = fmt.Errorf("follow the bench: %w", wrong)
	}
	if err == nil && listen && heard.Load() < followers {
		err = fmt.Errorf("%d listeners have heard %d events", followers, heard.Load())
	}
	return b, heard.Load(), err
}

// serve starts weir serve, and returns its address and what ends it.
func (s setup) serve(ctx context.Context, store string) (site string, stop func(), err error) {
	argv := append(slices.Clone(s.near), s.weir, "serve", "--address", "127.0.0.1:0", "--store", store)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, fmt.Errorf("start weir serve: %w", err)
	}
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
	lines := bufio.NewReader(said)
	var before bytes.Buffer
	for {
		line, err := lines.ReadString('\n')
		before.WriteString(line)
		if site, _, is := strings.Cut(line, " shows "); is {
			go io.Copy(io.Discard, lines)
			return site, stop, nil
		}
		if err != nil {
			stop()
			return "", nil, fmt.Errorf("weir serve ended: %s", strings.TrimSpace(before.String()))
		}
	}
}

// follow waits for a campaign that is being measured, and has followers listen to it until ctx ends.
func follow(ctx context.Context, site string, heard *atomic.Int64) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConns: followers}}
	defer client.CloseIdleConnections()
	id := ""
	for id == "" && ctx.Err() == nil {
		var err error
		if id, err = running(ctx, client, site); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	var all sync.WaitGroup
	errs := make([]error, followers)
	for i := range followers {
		all.Go(func() {
			if err := listen(ctx, client, site+"c/"+id+"/events", heard); ctx.Err() == nil {
				errs[i] = err
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// running returns the id of a campaign that is being measured; "": there is none.
func running(ctx context.Context, client *http.Client, site string) (id string, err error) {
	ctx, cancel := context.WithTimeout(ctx, followLimit)
	defer cancel()
	answer, err := request(ctx, client, site+"api/campaigns?state=running")
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var list struct{ Campaigns []struct{ Campaign string } }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil || len(list.Campaigns) == 0 {
		return "", err
	}
	return list.Campaigns[0].Campaign, nil
}

// listen counts the events of a campaign until it ends.
func listen(ctx context.Context, client *http.Client, address string, heard *atomic.Int64) error {
	answer, err := request(ctx, client, address)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: ") {
			heard.Add(1)
		}
	}
	return lines.Err()
}

func request(ctx context.Context, client *http.Client, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(req)
	if err == nil && answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		err = fmt.Errorf("%s: %s", address, answer.Status)
	}
	return answer, err
}
