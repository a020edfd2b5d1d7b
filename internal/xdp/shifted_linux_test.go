package xdp

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"weir/internal/testenv"
)

// shifting is the environment variable that makes TestNow the program in a time namespace.
const shifting = "WEIR_TEST_NOW"

// The clock is that of BPF programs, also where a time namespace shifts that of processes.
func TestNow(t *testing.T) {
	if os.Getenv(shifting) != "" {
		fmt.Println(int64(Now()))
		os.Exit(0)
	}
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "unshare")
	cmd := exec.Command("unshare", "--time", "--monotonic", "100000", "--fork", os.Args[0], "-test.run=^TestNow$")
	cmd.Env = append(os.Environ(), shifting+"=1")
	before := Now()
	said, err := cmd.Output()
	after := Now()
	at, wrong := strconv.ParseInt(string(said[:max(len(said)-1, 0)]), 10, 64)
	if err != nil || wrong != nil || time.Duration(at) < before || time.Duration(at) > after {
		t.Errorf("between %v and %v it was %v there: %v, %v", before, after, time.Duration(at), err, wrong)
	}
}

func TestShiftOf(t *testing.T) {
	for said, want := range map[string]time.Duration{
		"monotonic           0         0\nboottime            0         0\n": 0,
		"monotonic        -100 500000000\nboottime           10         0\n": -100*time.Second + time.Second/2,
		"boottime           10         0\n":                                  0,
	} {
		if got := shiftOf(said); got != want {
			t.Errorf("%q shifts by %v, want %v", said, got, want)
		}
	}
}
