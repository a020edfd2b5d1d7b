package testenv

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Leftovers lists what a run of weir may leave on this machine, a line each:
// network namespaces named weir-*, links of this namespace named weir*, files
// under /run/weir and /var/lib/weir, and folders of files that were transferred. Nothing,
// after everything is cleaned up.
func Leftovers() []string {
	var links []string
	if all, err := net.Interfaces(); err == nil {
		for _, l := range all {
			links = append(links, l.Name)
		}
	}
	return leftovers("/", links)
}

// leftovers looks below root, which has the /run of a machine with the given links. What cannot be read is not there.
func leftovers(root string, links []string) []string {
	var found []string
	namespaces, _ := os.ReadDir(filepath.Join(root, "run/netns"))
	for _, n := range namespaces {
		if strings.HasPrefix(n.Name(), "weir-") {
			found = append(found, "namespace "+n.Name())
		}
	}
	for _, name := range links {
		if strings.HasPrefix(name, "weir") {
			found = append(found, "link "+name)
		}
	}
	for _, folder := range []string{"run/weir", "run/weir-ports", "var/lib/weir"} {
		_ = filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				found = append(found, "file "+path)
			}
			return nil
		})
	}
	for _, pattern := range []string{"dev/shm/weir-*", "var/tmp/weir-*"} {
		folders, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, path := range folders {
			found = append(found, "folder "+path)
		}
	}
	return found
}

// ProcessesWith returns the living processes that have a setting (NAME=VALUE) in the
// environment that they were started with, or one that goes on after it with a dot.
func ProcessesWith(setting string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environment, err := os.ReadFile(file)
		has := func(one string) bool { return one == setting || strings.HasPrefix(one, setting+".") }
		if err != nil || !slices.ContainsFunc(strings.Split(string(environment), "\x00"), has) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
