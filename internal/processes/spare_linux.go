package processes

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
)

// spared is how far this process stands back when memory runs out (oom_score_adj of
// proc(5)): not for ever, as one that takes all of the memory itself is to be ended.
const spared = -900

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

// Unspare has the kernel choose a program that this process has just started as it would have
// chosen this one before Spare. It is no error that it has ended.
func Unspare(pid int) error {
	inherited.Lock()
	was := inherited.adj
	inherited.Unlock()
	if was == "" {
		return nil
	}
	if err := setAdj(strconv.Itoa(pid), was); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func setAdj(pid, to string) error {
	return os.WriteFile("/proc/"+pid+"/oom_score_adj", []byte(to), 0)
}
