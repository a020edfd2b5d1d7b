package lab

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"weir/internal/dut"
	"weir/internal/telemetry"
)

// CPUs that are off leave gaps in the numbers of those that work.
func TestCPUsWithGaps(t *testing.T) {
	t.Parallel()
	h := quiet(t)
	for over, text := range map[string]string{
		"/sys/devices/system/cpu/online": "0,2,4\n",
		"/proc/stat":                     "cpu0 1 1 1 1 1 1 1 1 0 0\ncpu2 1 1 1 1 1 1 1 1 0 0\ncpu4 1 1 1 1 1 1 1 1 0 0\n",
	} {
		file := filepath.Join(t.TempDir(), "said")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Run(t.Context(), "", "mount", "--bind", file, over); err != nil {
			t.Fatal(err)
		}
	}
	r := &reached{host: h}
	var err error
	if r.platform, err = dut.ByName("linux"); err != nil {
		t.Fatal(err)
	}
	if err := r.whose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 2, 4}; !slices.Equal(r.cpus, want) {
		t.Errorf("CPUs %v, want %v", r.cpus, want)
	}
	if _, err := telemetry.ReadCPUs(t.Context(), h, r.cpus); err != nil {
		t.Error(err)
	}
}
