package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// numbersFile is a file of n numbers around 1000.
func numbersFile(tb testing.TB, name string, n int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 0))
	var text bytes.Buffer
	for range n {
		fmt.Fprintf(&text, "%.3f\n", 1000+20*r.NormFloat64())
	}
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// TestNumbersAloneAndBesideOthers holds that files of plain numbers, which are
// compared without a result of each number, prove what they do as results: beside
// a third file of another kind or unit they are results.
func TestNumbersAloneAndBesideOthers(t *testing.T) {
	verdict := func(files ...string) string {
		var out, errs bytes.Buffer
		if code := run(context.Background(), append([]string{"compare", "--format", "csv"}, files...), nil, &out, &errs); code != 0 {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		return out.String()
	}
	a, b := numbersFile(t, "a", 9, 1), numbersFile(t, "b", 8, 2)
	rates := numbersFile(t, "c.pps", 7, 3)
	alone, beside := verdict(a, b), verdict(a, b, rates)
	if lines := bytes.Count([]byte(alone), []byte("\n")); lines != 2 {
		t.Fatalf("not a heading and one verdict:\n%s", alone)
	}
	if !bytes.Contains([]byte(beside), []byte(alone)) {
		t.Errorf("alone:\n%s\nbeside rates:\n%s", alone, beside)
	}
}

// BenchmarkCompareMillion compares a million numbers in two files.
func BenchmarkCompareMillion(b *testing.B) {
	files := []string{numbersFile(b, "a", 500_000, 1), numbersFile(b, "b", 500_000, 2)}
	for b.Loop() {
		var out bytes.Buffer
		if code := run(context.Background(), append([]string{"compare"}, files...), nil, &out, &out); code != 0 {
			b.Fatalf("exit code %d: %s", code, out.String())
		}
	}
}
