package testenv

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// Leftovers lists what a run of weir may leave on this machine, a line each:
// network namespaces named weir-*, links of this namespace named weir*, files
// under /run/weir and /var/lib/weir, folders of files that were transferred, processes named weir
// and those that have something to do with such a folder. Nothing, after
// everything is cleaned up.
func Leftovers() []string {
	var links []string
	if all, err := net.Interfaces(); err == nil {
		for _, l := range all {
			links = append(links, l.Name)
		}
	}
	return leftovers("/", links)
}

// leftovers looks below root, which has the /run and /proc of a machine with
// the given links. What cannot be read is not there.
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
	for _, folder := range []string{"run/weir", "var/lib/weir"} {
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
	commands, _ := filepath.Glob(filepath.Join(root, "proc/[0-9]*/comm"))
	for _, path := range commands {
		if name, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(name)) == "weir" {
			found = append(found, fmt.Sprintf("process weir, pid %s", filepath.Base(filepath.Dir(path))))
		}
	}
	for _, path := range commands {
		pid := filepath.Dir(path)
		argv, err := os.ReadFile(filepath.Join(pid, "cmdline"))
		if err != nil {
			continue
		}
		for _, folder := range []string{"/run/weir/", "/dev/shm/weir-", "/var/tmp/weir-"} {
			if strings.Contains(string(argv), folder) {
				found = append(found, fmt.Sprintf("process of a lab, pid %s: %s", filepath.Base(pid), strings.ReplaceAll(strings.TrimRight(string(argv), "\x00"), "\x00", " ")))
				break
			}
		}
	}
	return found
}
