package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each question takes one line, also of input that has more, and --quiet hides none.
func TestPrompt(t *testing.T) {
	var said bytes.Buffer
	p := &progress{out: io.Discard, asks: &said}
	prompt := p.prompt(strings.NewReader("\nit is\nso it is"))
	for _, do := range []string{"one:", "two:", "three:"} {
		if err := prompt(t.Context(), do); err != nil {
			t.Errorf("%s %v", do, err)
		}
	}
	if err := prompt(t.Context(), "four:"); err == nil || !strings.Contains(err.Error(), "standard input has ended") {
		t.Errorf("without input: %v", err)
	}
	if diff := cmp.Diff("one:\ntwo:\nthree:\nfour:\n", said.String()); diff != "" {
		t.Error(diff)
	}

	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close() // which ends the reading
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.prompt(in)(ctx, "five:"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// There is nobody to ask where there is no input.
func TestNobodyToAsk(t *testing.T) {
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	p := &progress{}
	if p.prompt(nothing) != nil || p.prompt(nil) != nil || p.ask(nothing) != nil || p.ask(nil) != nil {
		t.Error("somebody is asked")
	}
	nothing.Close()
	if p.prompt(nothing) != nil {
		t.Error("somebody is asked through a file that is closed")
	}
}
