package telemetry

import "testing"

func TestParseAvailable(t *testing.T) {
	got, err := parseAvailable("MemTotal:       16384 kB\nMemFree:         1 kB\nMemAvailable:    2048 kB\n")
	if err != nil || got != 2<<20 {
		t.Errorf("%d, %v, want 2 MB", got, err)
	}
	for _, bad := range []string{"", "MemTotal: 1 kB\n", "MemAvailable: many kB\n"} {
		if _, err := parseAvailable(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
