package netif

import (
	"net"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir/internal/testenv"
)

func TestThreadsByQueue(t *testing.T) {
	for name, tt := range map[string]struct {
		serving map[int]uint32
		want    [][]int
	}{
		"made from the last one on": {map[int]uint32{10: 8195, 11: 8194, 12: 8193}, [][]int{{12}, {11}, {10}}},
		"made one by one":           {map[int]uint32{10: 99, 11: 100, 12: 101}, [][]int{{10}, {11}, {12}}},
		"none says what it serves":  {map[int]uint32{10: 0, 11: 0, 12: 0}, [][]int{{10}, {11}, {12}}},
		"as many send":              {map[int]uint32{10: 0, 11: 8194, 12: 0, 13: 8193}, [][]int{{13, 12}, {11, 10}}},
		"one sends for all":         {map[int]uint32{10: 99, 11: 100, 12: 0}, [][]int{{10}, {11}, {12}}},
	} {
		if diff := cmp.Diff(tt.want, byQueue(tt.serving)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Two namespaces, as of two users, have ports of the same name: what one does to the
// threads of its port leaves those of the other one's alone.
func TestPortsOfTheSameName(t *testing.T) {
	testenv.NeedRoot(t)
	const port, queues = "same0", 2
	var threads [2][]int
	var napis []uint32
	for i := range threads {
		here, there := linked(t, false)
		if err := Veth(End{here, port, nil}, End{there, port, nil}, queues, 1500); err != nil {
			t.Fatal(err)
		}
		do(t, here, func() (err error) {
			if threads[i], err = ThreadNAPI(port, []int{i % runtime.NumCPU()}); err != nil {
				return err
			}
			ids, err := NAPIs(port)
			napis = append(napis, ids...)
			return err
		})
	}
	for i := range threads {
		for _, tid := range threads[i] {
			if cpus, err := Affinity(tid); err != nil || !slices.Equal(cpus, []int{i % runtime.NumCPU()}) {
				t.Errorf("a thread of port %d may use the CPUs %v, %v", i, cpus, err)
			}
		}
	}
	all := slices.Concat(threads[0], threads[1])
	slices.Sort(all)
	if all = slices.Compact(all); len(all) != 2*queues || len(threads[0]) != queues {
		t.Errorf("two ports of %d queues have the threads %v", queues, threads)
	}
	slices.Sort(napis)
	if napis = slices.Compact(napis); len(napis) != 2*queues || napis[0] == 0 {
		t.Errorf("they serve the instances %v", napis)
	}
	liar := exec.Command("sh", "-c", `printf %s "$0" >/proc/self/comm; echo ready; read -r until`, napiPrefix+port+"-7")
	liar.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	in, err := liar.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer liar.Wait() // which fails, as it has nothing to read
	defer in.Close()
	out, err := liar.StdoutPipe()
	if err == nil {
		err = liar.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, len("ready")))
	}
	if err != nil {
		t.Fatal(err)
	}
	named, err := namedNAPIThreads(port) // as before Linux 6.8: of all namespaces
	for _, tid := range all {
		if _, found := named[tid]; err != nil || !found {
			t.Errorf("by name there are the threads %v, %v, without %d", named, err, tid)
		}
	}
	if _, found := named[liar.Process.Pid]; found {
		t.Error("a process that is called like a thread of the kernel is taken for one")
	}
	if Prefer([]int{liar.Process.Pid}) == nil || Pin(liar.Process.Pid, []int{0}) == nil {
		t.Error("a process of another user is given priority, or bound")
	}
}

// A connection over a port is named, and none between two addresses of this machine, which any
// user makes without it.
func TestConnected(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	near, far := linked(t, true)
	ip(t, near, "link set lo up; link set near0 up; address add 198.18.0.1/24 dev near0; address add 198.18.0.7/24 dev near0")
	ip(t, far, "link set far0 up; address add 198.18.0.2/24 dev far0")
	var at net.Listener
	do(t, near, func() (err error) { at, err = net.Listen("tcp", "198.18.0.1:0"); return err })
	defer at.Close()
	connected := func() (said string) {
		do(t, near, func() (err error) { said, err = Connected("near0"); return err })
		return said
	}
	for _, c := range []struct {
		from *Namespace
		own  string
		want string
	}{
		{near, "198.18.0.1:0", ""}, {near, "198.18.0.7:0", ""}, {far, "198.18.0.2:0", at.Addr().String() + " - 198.18.0.2:"},
	} {
		var one net.Conn
		do(t, c.from, func() (err error) {
			own, err := net.ResolveTCPAddr("tcp", c.own)
			if err != nil {
				return err
			}
			one, err = (&net.Dialer{LocalAddr: own}).Dial("tcp", at.Addr().String())
			return err
		})
		if got := connected(); !strings.HasPrefix(got, c.want) || got != "" && c.want == "" {
			t.Errorf("from %s: %q, want %q", c.own, got, c.want)
		}
		one.Close()
	}
}
