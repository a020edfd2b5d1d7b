package lab

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
)

// NeedRoot says that what is to do with a lab takes root.
func NeedRoot() error {
	if os.Geteuid() != 0 {
		return errors.New("a lab and its packet path need root: run weir through sudo, or measure the simulated router with --testbed sim")
	}
	return nil
}

// NeedLab says what it takes to make a lab and this process has not, before something fails
// half-way.
func NeedLab() error {
	if err := NeedRoot(); err != nil {
		return err
	}
	return lacking("/", rights)
}

// needMachines says what it takes besides to run machines.
func needMachines() error { return lacking("/", rightsOfMachines) }

// What a lab takes at once, of processes with their threads, and of open files.
const (
	leastTasks = 64
	leastFiles = 128
)

// right is a capability (capabilities(7)).
type right struct {
	bit         int
	name, takes string
}

// rights are those without which a lab cannot be made.
var rights = []right{
	{unix.CAP_NET_ADMIN, "CAP_NET_ADMIN", "links, routes and XDP programs"},
	{unix.CAP_NET_RAW, "CAP_NET_RAW", "packet sockets"},
	{unix.CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "network namespaces and BPF programs"},
	{unix.CAP_SYS_NICE, "CAP_SYS_NICE", "threads that come first on their CPUs"},
}

var rightsOfMachines = []right{
	{unix.CAP_SETUID, "CAP_SETUID", "QEMU, which runs as a user without rights"},
	{unix.CAP_SETGID, "CAP_SETGID", "QEMU, which runs as a user without rights"},
	{unix.CAP_KILL, "CAP_KILL", "ending QEMU, which runs as another user"},
}

// lacking is what root lacks here: one of the rights, the machine's own namespace of users, or room
// for threads and files. What cannot be asked is not lacking. root is the folder of proc and sys.
func lacking(root string, rights []right) error {
	status, _ := os.ReadFile(filepath.Join(root, "proc/self/status"))
	for line := range strings.Lines(string(status)) {
		text, effective := strings.CutPrefix(line, "CapEff:")
		mask, err := strconv.ParseUint(strings.TrimSpace(text), 16, 64)
		if !effective || err != nil {
			continue
		}
		for _, r := range rights {
			if mask>>r.bit&1 == 0 {
				return fmt.Errorf("weir lacks %s here, which it takes for %s: give it that (docker, podman: --cap-add %s)", r.name, r.takes, strings.TrimPrefix(r.name, "CAP_"))
			}
		}
	}
	if netif.MappedUsers(root) {
		return errors.New("weir is in a user namespace (unshare -r, a rootless container), whose root may load no BPF program: run it as root of the machine itself, or measure the simulated router with --testbed sim")
	}
	if free, where := freeTasks(root); free < leastTasks {
		return fmt.Errorf("weir may have %d more processes and threads, and takes up to %d: raise the limit of %s (systemd: TasksMax=, docker: --pids-limit)", free, leastTasks, where)
	}
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err == nil && files.Max < leastFiles {
		return fmt.Errorf("weir may have %d open files, and takes up to %d: raise the hard limit (ulimit -Hn %d)", files.Max, leastFiles, leastFiles)
	}
	return nil
}

// NeedSpaces says what it takes to make a lab in network namespaces and this process has not.
func NeedSpaces() error {
	if err := NeedLab(); err != nil {
		return err
	}
	return container("/")
}

// container is what a container keeps from root that a lab in network namespaces takes: the
// kernel's threads, which serve the ports of a DUT, and settings of the network.
func container(root string) error {
	_, processes := os.Stat(filepath.Join(root, "proc/1"))
	second, _ := os.ReadFile(filepath.Join(root, "proc/2/comm"))
	if processes == nil && strings.TrimSpace(string(second)) != "kthreadd" {
		return errors.New("weir does not see the kernel's threads here, which serve a DUT's ports: give it the processes of the machine (docker, podman: --pid host)")
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(filepath.Join(root, "proc/sys/net"), &fs); err == nil && fs.Flags&unix.ST_RDONLY != 0 {
		return errors.New("weir may not set the network of a lab, as /proc/sys is read-only here: podman has --security-opt unmask=ALL against that, docker --security-opt systempaths=unconfined")
	}
	return nil
}

// freeTasks is how many more processes and threads the cgroups of this process allow, and the
// file that says so (the controller pids of both versions of cgroups(7)).
func freeTasks(root string) (free int, where string) {
	free = math.MaxInt
	groups, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(groups)) { // NUMBER:CONTROLLERS:PATH
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 {
			continue
		}
		tops := []string{"sys/fs/cgroup/pids"}
		if f[0] == "0" {
			tops = []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}
		} else if f[1] != "pids" {
			continue
		}
		for _, top := range tops {
			for path := filepath.Join("/", f[2]); ; path = filepath.Dir(path) {
				file := filepath.Join(root, top, path, "pids.max")
				most, err := number(file)
				now, err2 := number(filepath.Join(filepath.Dir(file), "pids.current"))
				if err == nil && err2 == nil && most-now < free {
					free, where = max(0, most-now), file
				}
				if path == "/" {
					break
				}
			}
		}
	}
	return free, where
}

// number is the one that a file holds; "max" is none.
func number(file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}
