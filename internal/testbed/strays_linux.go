package testbed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
)

// space is a network namespace, for those who look for it after its process is gone:
// numbers of inodes are used again, cookies only after the machine has started anew.
type space struct {
	Inode  uint64 `json:"inode"`
	Cookie uint64 `json:"cookie"`
	Boot   string `json:"boot"` // of the machine
}

// spaceHere is that of the calling thread.
func spaceHere() (s space, err error) {
	if s.Inode, err = inode("/proc/thread-self/ns/net"); err != nil {
		return s, err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return s, err
	}
	defer unix.Close(fd)
	if s.Cookie, err = unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_NETNS_COOKIE); err != nil {
		return s, err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	s.Boot = strings.TrimSpace(string(boot))
	return s, err
}

func inode(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, errors.New(path + " has no inode")
	}
	return stat.Ino, nil
}

// mark is what programs in the labs of a process have in their environment, and
// all that they start.
func mark(pid int) string { return "WEIR_LAB_OF=" + strconv.Itoa(pid) }

// marked reports whether a process has the mark: what else lives in a namespace of a
// lab is a user's, who has entered it. One that is becoming another program (execve) has
// no environment for a moment.
func marked(pid int, mark string) bool {
	const moments = 60 // a second in all: it may have no CPU for as long
	for i := range moments {
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || len(environment) > 0 {
			return err == nil && slices.Contains(strings.Split(string(environment), "\x00"), mark)
		}
		time.Sleep(time.Duration(i) * time.Millisecond / 2)
	}
	return false
}

// strayPatience is how long processes have to end: one that is killed may have started
// another one before, have much memory to give back, or get no CPU for that.
const strayPatience = time.Minute

// endStrays kills what commands of a process's labs have left in these namespaces:
// with them the namespaces would live on.
func endStrays(spaces []space, of int) error {
	if len(spaces) == 0 {
		return nil
	}
	for end := time.Now().Add(strayPatience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		pids, err := inside(spaces, mark(of))
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("end process %d, which a command of the lab has left: %w", pid, err)
			}
		}
	}
	return errors.New("processes that commands of the lab have left do not end")
}

// inside are the processes with a mark in the namespaces.
func inside(spaces []space, mark string) (pids []int, err error) {
	files, err := filepath.Glob("/proc/[0-9]*/ns/net")
	if err != nil {
		return nil, err
	}
	wanted := map[uint64]space{} // by inode
	for _, s := range spaces {
		wanted[s.Inode] = s
	}
	same := map[uint64]bool{} // of the inodes that were looked at: it is that namespace
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(file))))
		if err != nil {
			continue
		}
		ino, err := inode(file)
		if err != nil {
			continue // it has ended
		}
		space, hit := wanted[ino]
		if !hit {
			continue
		}
		if _, known := same[ino]; !known {
			is, err := spaceAt(file)
			if err != nil {
				continue // likewise
			}
			same[ino] = is == space
		}
		if same[ino] && marked(pid, mark) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// spaceAt is the namespace that a file stands for.
func spaceAt(file string) (s space, err error) {
	ns, err := netif.OpenNamespace(file)
	if err != nil {
		return s, err
	}
	defer ns.Close()
	err = ns.Do(func() (err error) { s, err = spaceHere(); return err })
	return s, err
}

// inhabited are the namespaces in which programs of others may run.
func (l *Netns) inhabited() (out []space, err error) {
	all := append([]*netif.Namespace{l.dut}, l.beside...)
	for _, e := range l.ends {
		all = append(all, e.ns)
	}
	for _, ns := range all {
		if err := ns.Do(func() error {
			s, err := spaceHere()
			out = append(out, s)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}
