package lab

import (
	"testing"
	"time"
)

// The CPU time of a program is that of all it has started, whatever their names are.
func TestFamilyCPU(t *testing.T) {
	const stats = `1 (init) S 0 1 1 0 -1 0 0 0 0 0 900 900 0 0 20 0 1 0 1
7 (pppoe-server) S 1 7 7 0 -1 0 0 0 0 0 10 1 0 0 20 0 1 0 1
8 (a (b) c) S 7 7 7 0 -1 0 0 0 0 0 20 2 0 0 20 0 1 0 1
9 (pppoe) S 8 7 7 0 -1 0 0 0 0 0 40 4 0 0 20 0 1 0 1
12 (sh) S 1 7 7 0 -1 0 0 0 0 0 80 8 0 0 20 0 1 0 1
`
	if took, err := familyCPU(stats, 7); err != nil || took != 770*time.Millisecond {
		t.Errorf("%v, %v", took, err)
	}
	if _, err := familyCPU("7 (cut) S 1", 7); err == nil {
		t.Error("a line that is cut is taken for one")
	}
}
