package processes

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// spared is how far this process stands back when memory runs out (oom_score_adj of
// proc(5)): not for ever, as one that takes all of the memory itself is to be ended. Tests take less,
// as below 0 takes CAP_SYS_RESOURCE.
var spared = -900

// inherited is how it was before Spare; "": Spare has changed nothing.
var inherited struct {
	sync.Mutex
	adj string
}

// Spare has the kernel end other processes first when memory runs out, from now on: who fills
// it would have this one ended otherwise, which uses more than many small ones each do, and
// has changed the machine. Where this process may not, all is as it was.
func Spare() {
	inherited.Lock()
	defer inherited.Unlock()
	text, err := os.ReadFile("/proc/self/oom_score_adj")
	was := strings.TrimSpace(string(text))
	if n, wrong := strconv.Atoi(was); err != nil || wrong != nil || n <= spared {
		return
	}
	if setAdj("self", strconv.Itoa(spared)) == nil {
		inherited.adj = was
	}
}

// unsparedAdj is the environment variable by which weir's own programs, which are spared with the
// one that started them, know how that was before.
const unsparedAdj = "WEIR_OOM_ADJ"

// unspared returns how programs are to be chosen; "": as this process is.
func unspared() string {
	inherited.Lock()
	defer inherited.Unlock()
	if inherited.adj != "" {
		return inherited.adj
	}
	was := os.Getenv(unsparedAdj)
	if n, err := strconv.Atoi(was); err != nil || n <= spared {
		return ""
	}
	return was
}

// Start starts a program, which the kernel chooses as it would have chosen this process before
// Spare; weir's own program is spared with it. This process stands back no further than that one
// while it starts: what a program reads of itself first, and what it starts at once, is right too.
func Start(cmd *exec.Cmd) error {
	starting.Lock()
	defer starting.Unlock()
	was := unspared()
	if was == "" {
		return cmd.Start()
	}
	if isOwn(cmd.Path) {
		cmd.Env = append(cmd.Environ(), unsparedAdj+"="+was)
		return cmd.Start()
	}
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		return err
	}
	if err := setAdj("self", was); err != nil {
		return err
	}
	err = cmd.Start()
	setAdj("self", strings.TrimSpace(string(own))) // one that may not go back is no worse than before Spare
	return err
}

// starting is held while a program starts, so that it inherits what is meant for it.
var starting sync.Mutex

// isOwn reports whether a program is this process's own.
func isOwn(path string) bool {
	own, err := os.Stat("/proc/self/exe")
	is, gone := os.Stat(path)
	return err == nil && gone == nil && os.SameFile(is, own)
}

func setAdj(pid, to string) error {
	return os.WriteFile("/proc/"+pid+"/oom_score_adj", []byte(to), 0)
}
