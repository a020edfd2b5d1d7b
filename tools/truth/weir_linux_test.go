package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script is a program that does what a shell is told.
func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCall(t *testing.T) {
	const said = `echo '{"results": [{"method": "sweep", "value": 5, "factors": {"frame_size": 64}, "saturated": {"value": 4}}]}'`
	s := setup{weir: script(t, said+"; exit 1")}
	got := s.call(t.Context(), time.Hour, "bench")
	if got.err == nil || len(got.Results) != 1 || got.Results[0].Saturated.Value != 4 || got.Results[0].level("frame_size") != "64" {
		t.Errorf("of a program that fails: %+v", got)
	}
	s.weir = script(t, said)
	if r, err := s.planned(t.Context(), "x"); err != nil || r.Value != 5 {
		t.Errorf("%+v, %v", r, err)
	}
	s.weir = script(t, "echo '{}'")
	if _, err := s.planned(t.Context(), "x"); err == nil {
		t.Error("there is no result, and no error")
	}
}

// The promise of readings is of those by the agent, and looks whether they were.
func TestReadBy(t *testing.T) {
	for by, want := range map[string]string{
		`[{"where": "dut", "name": "read by", "value": "weir-agent, which is there for as long as it is measured"}]`:                        "",
		`[{"where": "dut", "name": "read by", "value": "plain commands: there is no weir-agent-linux-amd64 in /usr/bin or /usr/lib/weir"}]`: "was read by plain commands: there is no weir-agent",
		`[]`: "was read by nobody, and not by weir-agent",
	} {
		said := fmt.Sprintf(`{"manifest": {"settings": %s}, "trials": [{"start": "2026-01-01T00:00:00Z"}, {"start": "2026-01-01T00:00:01Z"}]}`, by)
		t.Chdir(t.TempDir())
		if err := os.MkdirAll(filepath.Dir(hostsScript), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(hostsScript, []byte("#!/bin/sh\necho 7 >$WEIR_HOSTS_CPU\necho '"+said+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		s := setup{weir: "weir"}
		_, ran, err := s.readingCosts(t.Context(), "", false)
		if want == "" && (err != nil || ran != .07) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: ran %v, %v, want %q", by, ran, err, want)
		}
	}
}

// What hangs is told to end.
func TestProgramHangs(t *testing.T) {
	const forever = "exec sleep 1000000"
	_, err := program(t.Context(), time.Millisecond, script(t, forever))
	if err == nil || !strings.Contains(err.Error(), "longer than 1ms") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := program(ctx, time.Hour, script(t, forever)); err == nil {
		t.Error("it ran, though nobody wanted it any more")
	}
}

// A policer that is found once of one time is found.
func TestSweptPolicer(t *testing.T) {
	var lines []string
	s := setup{times: 2, say: func(format string, _ ...any) { lines = append(lines, format) }}
	for said, want := range map[string]bool{
		`"value": 50251, "search_seconds": 4.9`: true,
		`"value": 51000, "search_seconds": 4.9`: false,
		`"value": 50251, "search_seconds": 5.2`: false,
	} {
		s.weir = script(t, `echo '{"results": [{`+said+`}]}'`)
		if found, kept, err := sweptPolicer("nft", 50_000, false).measure(t.Context(), s); kept != want || err != nil {
			t.Errorf("%s: %q, kept %v, %v", said, found, kept, err)
		}
	}
	if len(lines) != 6 {
		t.Errorf("%d lines of progress, want 6", len(lines))
	}
}
