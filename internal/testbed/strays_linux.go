package testbed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
)

// space is a network namespace, for those who look for it after its process is gone:
// numbers of inodes are used again, cookies never.
type space struct {
	Inode  uint64 `json:"inode"`
	Cookie uint64 `json:"cookie"`
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
	s.Cookie, err = unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_NETNS_COOKIE)
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

// strayRounds is how often processes are looked for: one that is killed may have
// started another one before.
const strayRounds = 50

// endStrays kills the processes that commands of a lab have left in its namespaces:
// with them the namespaces would live on.
func endStrays(spaces []space) error {
	if len(spaces) == 0 {
		return nil
	}
	for range strayRounds {
		pids, err := inside(spaces)
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("end process %d, which a command of the lab has left: %w", pid, err)
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	return errors.New("processes that commands of the lab have left do not end")
}

// inside are the processes in the namespaces, but for this one.
func inside(spaces []space) (pids []int, err error) {
	files, err := filepath.Glob("/proc/[0-9]*/ns/net")
	if err != nil {
		return nil, err
	}
	wanted := map[uint64]uint64{} // cookies by inode
	for _, s := range spaces {
		wanted[s.Inode] = s.Cookie
	}
	same := map[uint64]bool{} // of the inodes that were looked at: the namespace has the cookie
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(file))))
		if err != nil || pid == os.Getpid() {
			continue
		}
		ino, err := inode(file)
		if err != nil {
			continue // it has ended
		}
		cookie, hit := wanted[ino]
		if !hit {
			continue
		}
		if _, known := same[ino]; !known {
			is, err := cookieAt(file)
			if err != nil {
				continue // likewise
			}
			same[ino] = is == cookie
		}
		if same[ino] {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// cookieAt is that of the namespace that a file stands for.
func cookieAt(file string) (uint64, error) {
	ns, err := netif.OpenNamespace(file)
	if err != nil {
		return 0, err
	}
	defer ns.Close()
	var s space
	err = ns.Do(func() (err error) { s, err = spaceHere(); return err })
	return s.Cookie, err
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
