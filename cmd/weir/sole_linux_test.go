package main

import (
	"strings"
	"testing"
)

func TestSole(t *testing.T) {
	release, err := sole("test of one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sole("test of one"); err == nil || !strings.Contains(err.Error(), "by another process") {
		t.Errorf("a second one: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	again, err := sole("test of one")
	if err != nil {
		t.Fatalf("after it was given back: %v", err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}
