// Package testenv says what a test needs of its machine: root, a tool, a
// kernel feature. A test that goes without is skipped with its reason; where
// WEIR_MUST_NOT_SKIP=1 is set, as `make test` does with root on Linux, it fails
// instead: every test that asks for something here is on the list of those that
// must not skip. It also lists what tests may have left behind.
//
// It sets nothing up and is for tests alone: no other code imports it.
package testenv

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The environment that steers the gates.
const (
	mustNotSkip = "WEIR_MUST_NOT_SKIP" // "1": a missing need fails the test
	network     = "WEIR_TEST_NETWORK"  // "host": tests have this machine's network, and not a private one
	noLab       = "WEIR_NO_LAB"        // "1": tests that need root are left out, as under the race detector
)

// Capabilities that a lab takes, by their bit (capabilities(7)).
var labCapabilities = []struct {
	name string
	bit  uint
}{
	{"CAP_NET_ADMIN", 12},
	{"CAP_NET_RAW", 13},
	{"CAP_SYS_ADMIN", 21},
}

// NeedRoot gates a test that builds a lab or loads BPF programs: it takes
// Linux, root and the capabilities that a container may have taken away.
func NeedRoot(t testing.TB) {
	t.Helper()
	if WithoutLab() {
		t.Skip("left to make verify (ARGS=race-lab): it needs root (" + noLab + "=1)")
	}
	if lacks := LacksRoot(); lacks != "" {
		skip(t, lacks)
	}
}

// LacksRoot returns what a lab needs of this process and does not have; "": nothing.
func LacksRoot() string {
	if runtime.GOOS != "linux" {
		return "needs Linux, this is " + runtime.GOOS
	}
	if os.Geteuid() != 0 {
		return "needs root"
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err.Error()
	}
	if missing := missingCapabilities(string(status)); len(missing) > 0 {
		return "needs " + strings.Join(missing, ", ") + ", which this root does not have"
	}
	return ""
}

// WithoutLab reports whether tests that need root are left out.
func WithoutLab() bool { return os.Getenv(noLab) == "1" }

// HostNetwork reports whether tests that take root have the network of this machine.
func HostNetwork() bool { return os.Getenv(network) == "host" }

// NeedTool gates a test that runs the named commands.
func NeedTool(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			skip(t, "needs "+name+": run scripts/setup test")
		}
	}
}

// LikeTool gates a test that runs a command which not every distribution has
// among its free packages. Where it is missing the test is skipped, everywhere,
// and named with the skipped ones.
func LikeTool(t testing.TB, name, source string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(reason(t, "would run "+name+" as well: install "+source))
	}
}

// LikeArchive gates a test that takes packages from an archive of Debian's. It is left to
// make verify, which lets it have this machine's network. Where nobody answers there the
// test is skipped, everywhere, and named with the skipped ones.
func LikeArchive(t testing.TB, url string) {
	t.Helper()
	if !HostNetwork() {
		t.Skip("left to make verify (ARGS=machines): it takes packages from Debian's archive (" + network + "=host)")
	}
	client := http.Client{Timeout: 10 * time.Second}
	answer, err := client.Head(url)
	if err == nil {
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return
		}
		err = errors.New(answer.Status)
	}
	t.Skip(reason(t, fmt.Sprintf("would make a machine of the packages of %s as well: %v", url, err)))
}

// NeedLiveFrames gates a test that sends live frames (BPF_PROG_RUN with
// BPF_F_TEST_XDP_LIVE_FRAMES, Linux 5.18). The probe comes from the package
// that speaks BPF and returns nil where the kernel has them.
func NeedLiveFrames(t testing.TB, probe func() error) {
	t.Helper()
	NeedRoot(t)
	if err := probe(); err != nil {
		skip(t, "needs live frames: "+err.Error())
	}
}

// Long gates a test that takes long and whose part another test of `make test` shows
// as well, on fewer levels or for a shorter time: `make test` runs with -short and leaves
// it to `make verify`.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("left to make verify: it takes long")
	}
}

// Await waits until a condition holds, and gives up after a time that no machine needs that
// gets on at all. What is the condition in words, for the message of a test that has waited
// in vain.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	const pause, limit = 5 * time.Millisecond, 10 * time.Minute
	for end := time.Now().Add(limit); !holds(); time.Sleep(pause) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// Longer yields how many times as long as the first one each attempt of a test is to take, a
// few of them. The test ends with the first attempt in which anything moved, and judges that
// or the last one: in a short one no program may have had a CPU.
func Longer(yield func(times time.Duration) bool) {
	const most = 32
	for times := time.Duration(1); times <= most && yield(times); times *= 2 {
	}
}

// skip ends the test for want of something, or fails it.
func skip(t testing.TB, why string) {
	t.Helper()
	if os.Getenv(mustNotSkip) == "1" {
		t.Fatal("this test must not be skipped here: " + reason(t, why))
	}
	t.Skip(reason(t, why))
}

func reason(t testing.TB, why string) string {
	return fmt.Sprintf("SKIP-REASON %s: %s", t.Name(), why)
}

// missingCapabilities are those of labCapabilities that a /proc/PID/status
// does not have in effect.
func missingCapabilities(status string) []string {
	var effective uint64
	for lines := bufio.NewScanner(strings.NewReader(status)); lines.Scan(); {
		if hex, ok := strings.CutPrefix(lines.Text(), "CapEff:"); ok {
			effective, _ = strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
		}
	}
	var missing []string
	for _, c := range labCapabilities {
		if effective&(1<<c.bit) == 0 {
			missing = append(missing, c.name)
		}
	}
	return missing
}
