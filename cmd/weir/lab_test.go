//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/testenv/sandbox"
	"weir/internal/testenv/wires"
)

// labScript is the environment variable that has TestLabScripts run one script here.
const labScript = "WEIR_TEST_LAB_SCRIPT"

// TestLabScripts runs the whole program in labs of network namespaces. Each script has a
// process of its own in a sandbox of its own, so that they can run beside each other.
func TestLabScripts(t *testing.T) {
	if script := os.Getenv(labScript); script != "" {
		runLabScript(t, script)
		return
	}
	t.Parallel()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	scripts, err := filepath.Glob("testdata/lab/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	// Each of these shows more of what another one shows: ends, far, and those of ssh.
	long := []string{"ends-other", "far-clocks", "restart", "ssh-cut", "ssh-logins", "ssh-marks"}
	tools := map[string][]string{
		"ports":      {"tshark"},
		"far-clocks": {"ptp4l", "pmc"},
		"witness":    {"snmpd"},
		"ssh-logins": {"bsd-csh", "tcsh", "fish", "bash", "mksh", "original-awk"},
	}
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if slices.Contains(long, name) {
				testenv.Long(t)
			}
			testenv.NeedTool(t, tools[name]...)
			runInSandbox(t, script)
		})
	}
}

// runInSandbox has a process of its own run one script, and shows what that prints where
// it fails.
func runInSandbox(t *testing.T, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLabScripts$", "-test.v", "-test.timeout=0",
		fmt.Sprintf("-test.short=%v", testing.Short()))
	if end, limited := t.Deadline(); limited { // it ends before this process does
		cmd.Args[3] = fmt.Sprintf("-test.timeout=%v", max(time.Until(end)-30*time.Second, time.Second))
	}
	cmd.Env = append(os.Environ(), labScript+"="+script)
	cmd.WaitDelay = 10 * time.Second // of what it leaves, and has its output open
	box, err := sandbox.Prepare(cmd)
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // the kernel ends the process when the thread ends that started it
	defer runtime.UnlockOSThread()
	out, err := cmd.CombinedOutput()
	if err := box.Close(); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// runLabScript runs a script in this process.
func runLabScript(t *testing.T, script string) {
	// Whatever it measures, nothing of it is seen on an interface of the sandbox.
	watch, err := wires.Begin()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if ours, err := watch.End(); err != nil || len(ours) > 0 {
			t.Errorf("seen on other interfaces: %v (%v)", ours, err)
		}
	})
	run := t.TempDir()
	t.Setenv("WEIR_RUN", run) // for what follows
	t.Cleanup(func() {
		if _, err := testbed.Down(context.Background(), "", true); err != nil {
			t.Error(err)
		}
	})
	files := map[string]string{"BOX": "../../examples/box/box.sh", "MACHINE": "testdata/machine.sh", "MACHINES": "testdata/machines.sh"}
	for name, path := range files {
		if files[name], err = filepath.Abs(path); err != nil {
			t.Fatal(err)
		}
	}
	var receives receiver
	on := func(do func(in, []string)) func(*testscript.TestScript, bool, []string) {
		return func(ts *testscript.TestScript, _ bool, args []string) { do(in{t, ts}, args) }
	}
	testscript.RunT(once{t}, testscript.Params{
		Files: []string{script},
		Setup: func(e *testscript.Env) error {
			for name, path := range files {
				e.Setenv(name, path)
			}
			e.Setenv("WEIR_STORE", filepath.Join(e.WorkDir, "data", "weir.db"))
			e.Setenv("WEIR_RUN", run)
			e.Setenv(sandbox.Mark, os.Getenv(sandbox.Mark)) // as all processes of a sandbox have it
			e.Setenv(sandbox.GoesFirst, "no")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"newest": on(newest), "zero": on(zero), "killed": on(killed), "interrupted": on(interrupted),
			"nothingleft": on(nothingLeft), "withagent": on(withAgent),
			"receiving": on(receives.begin), "collect": on(receives.collect), "slain": on(receives.slay),
		},
	})
}

// once is a test that runs one script, which is that test.
type once struct{ *testing.T }

func (o once) Run(_ string, f func(testscript.T)) { f(o) }
func (o once) Parallel()                          {}
func (o once) Verbose() bool                      { return testing.Verbose() }

// in is a command of a script: what fails in it fails the script.
type in struct {
	*testing.T
	ts *testscript.TestScript
}

func (i in) Fatalf(format string, args ...any) { i.ts.Fatalf(format, args...) }

// withAgent copies weir to a folder, and builds there what it carries to a DUT of this
// system: withagent FOLDER. With the name of another system it is the program for end hosts
// of that, but built for this one: withagent FOLDER freebsd-amd64.
func withAgent(i in, args []string) {
	ts := i.ts
	folder := ts.MkAbs(args[0])
	self, err := os.Executable()
	ts.Check(err)
	ts.Check(os.MkdirAll(folder, 0o755))
	program, err := os.ReadFile(self)
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(folder, "weir"), program, 0o755))
	system, tags := runtime.GOOS+"-"+runtime.GOARCH, ""
	if len(args) > 1 {
		system, tags = args[1], "ends"
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-tags", tags, "-o", filepath.Join(folder, "weir-agent-"+system), "../agent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		ts.Fatalf("go build: %v: %s", err, said)
	}
}

// newest names the youngest lab: newest A sets A, A_T0, A_T1 and A_D0MAC.
func newest(i in, args []string) {
	labs, err := testbed.Labs()
	i.ts.Check(err)
	if len(labs) == 0 {
		i.Fatalf("there is no lab")
	}
	e := labs[len(labs)-1]
	i.ts.Setenv(args[0], e.ID)
	i.ts.Setenv(args[0]+"_T0", e.Ports[0].Tester)
	i.ts.Setenv(args[0]+"_T1", e.Ports[1].Tester)
	i.ts.Setenv(args[0]+"_D0MAC", e.Ports[0].DUTMAC)
}

// number is that of a key of a JSON object in a file.
func (i in) number(file, key string) float64 {
	var o map[string]any
	i.ts.Check(json.Unmarshal([]byte(i.ts.ReadFile(file)), &o))
	n, ok := o[key].(float64)
	if !ok {
		i.Fatalf("%s of %s is %v", key, file, o[key])
	}
	return n
}

// zero demands that numbers are 0: zero FILE KEY...
func zero(i in, args []string) {
	for _, k := range args[1:] {
		if n := i.number(args[0], k); n != 0 {
			i.Fatalf("%s is %v", k, n)
		}
	}
}

// A receiver is a weir recv in the background.
type receiver struct {
	cmd         *exec.Cmd
	out         bytes.Buffer
	space, port string  // where it receives
	before      float64 // how many frames had come there
}

// begin receives at a port of a lab's tester: receiving LAB PORT [FLAG...]. It is attached
// then, and with --cpu its threads are placed.
func (r *receiver) begin(i in, args []string) {
	*r = receiver{port: args[1]}
	labs, err := testbed.Labs()
	i.ts.Check(err)
	for _, e := range labs {
		if e.ID == args[0] {
			r.space = e.Tester
		}
	}
	r.before = r.came(i)
	argv := append([]string{"weir", "lab", "shell", "tester", "--lab", args[0], "--", "weir", "recv", "--dev", r.port, "--seconds", "100000", "--format", "json"}, args[2:]...)
	said, err := os.Create(i.ts.MkAbs("receiving"))
	i.ts.Check(err)
	defer said.Close()
	r.cmd = command(i.ts, argv)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, said
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	i.ts.Check(r.cmd.Start())
	testenv.Await(i, "weir recv receives at "+r.port, func() bool { return contains(said.Name(), "receiving at") })
}

// contains reports whether a file has a text.
func contains(file, text string) bool {
	all, err := os.ReadFile(file)
	return err == nil && bytes.Contains(all, []byte(text))
}

// came is how many frames have come to the port.
func (r *receiver) came(i in) float64 { return frames(i, r.space, r.port) }

// collect ends it when all frames of sends have come, of which none may be missing:
// collect FILE SENT-FILE...
func (r *receiver) collect(i in, args []string) {
	sent := 0.
	for _, file := range args[1:] {
		sent += i.number(file, "sent")
	}
	testenv.Await(i, fmt.Sprintf("%v frames have come to %s", sent, r.port), func() bool { return r.came(i) >= r.before+sent })
	r.interrupt(i)
	if r.cmd.Wait(); r.out.Len() == 0 {
		i.Fatalf("weir recv said nothing: %v", r.cmd.ProcessState)
	}
	i.ts.Check(os.WriteFile(i.ts.MkAbs(args[0]), r.out.Bytes(), 0o644))
	if received := i.number(args[0], "received"); received != sent || sent == 0 {
		i.Fatalf("%v frames were sent, and %v received", sent, received)
	}
}

// interrupt interrupts weir recv alone, and not the shell that runs it, too: that would pass the
// signal on after a while, and a second one ends a program before it has said what it knows.
func (r *receiver) interrupt(i in) {
	var children []string
	testenv.Await(i, "weir recv runs", func() bool {
		children = nil
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", r.cmd.Process.Pid)) // of each thread
		for _, file := range files {
			text, _ := os.ReadFile(file) // none of a thread that has ended: another one has its children
			children = append(children, strings.Fields(string(text))...)
		}
		return len(children) == 1
	})
	child, err := strconv.Atoi(children[0])
	i.ts.Check(err)
	i.ts.Check(syscall.Kill(child, syscall.SIGINT))
}

// slay kills it.
func (r *receiver) slay(i in, _ []string) {
	i.ts.Check(syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)) // its shell and what that runs
	r.cmd.Wait()
}

// frames is how many frames have come to a port of a network namespace, or to all of them.
func frames(i in, space, port string) (sum float64) {
	text, err := exec.Command("nsenter", "--net="+space, "cat", "/proc/net/dev").Output()
	if err != nil {
		return 0 // it is not there yet
	}
	for line := range strings.Lines(string(text)) {
		name, numbers, ok := strings.Cut(strings.TrimSpace(line), ":")
		if fields := strings.Fields(numbers); ok && len(fields) > 1 && (port == "" || port == name) {
			n, err := strconv.ParseFloat(fields[1], 64)
			i.ts.Check(err)
			sum += n
		}
	}
	return sum
}

// command is one of a script, whose PATH has the program under test.
func command(ts *testscript.TestScript, argv []string) *exec.Cmd {
	path := argv[0]
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, argv[0])); err == nil {
			path = found
			break
		}
	}
	cmd := exec.Command(path, argv[1:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = []string{sandbox.Mark + "=" + os.Getenv(sandbox.Mark), sandbox.GoesFirst + "=no", "PATH=" + ts.Getenv("PATH"), "WEIR_STORE=" + ts.Getenv("WEIR_STORE"), "WEIR_RUN=" + ts.Getenv("WEIR_RUN"), "HOME=" + ts.Getenv("HOME")}
	return cmd
}

// killed starts a command, and kills it when frames are under way in its lab.
func killed(i in, args []string) {
	cmd := command(i.ts, args)
	i.ts.Check(cmd.Start())
	underWay(i, cmd)
	i.ts.Check(cmd.Process.Signal(syscall.SIGKILL))
	cmd.Wait()
}

// interrupted starts a command, interrupts it as a terminal does when it has said
// something on standard error and frames are under way in its lab, and keeps what it
// says: interrupted WHAT STDOUT STDERR COMMAND... It has to end by itself, with the exit
// code for that.
func interrupted(i in, args []string) {
	cmd := command(i.ts, args[3:])
	var out bytes.Buffer
	said, err := os.Create(i.ts.MkAbs(args[2]))
	i.ts.Check(err)
	defer said.Close()
	cmd.Stdout, cmd.Stderr = &out, said
	i.ts.Check(cmd.Start())
	testenv.Await(i, "it says "+args[0], func() bool { return contains(said.Name(), args[0]) })
	underWay(i, cmd)
	i.ts.Check(cmd.Process.Signal(os.Interrupt))
	if cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		i.Fatalf("it ended with %v: %s", cmd.ProcessState, &out)
	}
	i.ts.Check(os.WriteFile(i.ts.MkAbs(args[1]), out.Bytes(), 0o644))
}

// underWay waits until the DUT of a command's lab has received frames of a test.
func underWay(i in, cmd *exec.Cmd) {
	const many = 1000 // of which what a lab sends itself is none
	testenv.Await(i, "a lab measures", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		i.ts.Check(err)
		if bytes.Contains(stat, []byte(") Z ")) {
			cmd.Wait()
			i.Fatalf("%s ended before its lab measured: %v: %v %v", cmd.Args, cmd.ProcessState, cmd.Stdout, said(cmd))
		}
		labs, err := testbed.Labs()
		i.ts.Check(err)
		return len(labs) > 0 && labs[0].Running && frames(i, labs[0].DUT, "") > many
	})
}

// said is what a command whose standard error is a file has written there.
func said(cmd *exec.Cmd) string {
	file, ok := cmd.Stderr.(*os.File)
	if !ok {
		return ""
	}
	text, _ := os.ReadFile(file.Name())
	return string(text)
}

// nothingLeft waits until no namespace, port, file and process is there that the script
// has made. The kernel takes a moment to remove them.
func nothingLeft(i in, _ []string) {
	if left := sandbox.AwaitNothing(); len(left) > 0 {
		i.Fatalf("left behind: %s", strings.Join(left, "; "))
	}
}
