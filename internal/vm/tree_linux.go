package vm

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// programs are what the machine has beside busybox, whose unshare would run its own tc and
// ip, and not these.
var programs = []string{
	"bin/busybox", "bin/dash", "bin/kmod", "bin/ip", "sbin/tc", "bin/ss", "sbin/bridge", "sbin/ethtool", "usr/sbin/ethtool",
	"usr/sbin/nft", "usr/sbin/conntrack", "usr/sbin/xtables-nft-multi", "usr/sbin/xtables-legacy-multi",
	"usr/bin/getconf", "usr/bin/unshare", "bin/ps", "usr/bin/ps", "sbin/sysctl", "usr/sbin/sysctl",
	"usr/sbin/pppd", "usr/sbin/pppoe-server", "usr/sbin/pppoe",
}

// plugins are folders of libraries that programs load when they run.
var plugins = []string{"usr/lib/x86_64-linux-gnu/xtables", "usr/lib/pppd/*"}

// names are other names of programs.
var names = []struct{ name, target string }{
	{"bin/sh", "dash"}, {"sbin/modprobe", "../bin/kmod"}, {"sbin/insmod", "../bin/kmod"}, {"sbin/lsmod", "../bin/kmod"},
	{"usr/sbin/iptables", "xtables-nft-multi"}, {"usr/sbin/iptables-restore", "xtables-nft-multi"}, {"usr/sbin/iptables-save", "xtables-nft-multi"},
	{"usr/sbin/ip6tables", "xtables-nft-multi"}, {"usr/sbin/ip6tables-restore", "xtables-nft-multi"}, {"usr/sbin/ip6tables-save", "xtables-nft-multi"},
}

// libraryFolders are where Debian has libraries.
var libraryFolders = []string{"lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "lib64"}

// moduleFolders are those of the kernel's modules, below kernel, that a router may
// need, and that the kernel then loads by itself.
var moduleFolders = []string{"net/netfilter", "net/ipv4", "net/ipv6", "net/sched", "net/bridge", "net/8021q", "net/core"}

// drivers are the modules without which there is no machine: init loads them.
var drivers = []string{"virtio_pci", "virtio_console", "virtio_net"}

// others are modules of other folders that are there when they are asked for; those of
// crc32c are so by name alone, by libcrc32c.
var others = []string{"crc32c_generic", "crc32c_intel", "veth", "ifb", "dummy", "bonding", "vrf", "wireguard", "macvlan", "vxlan", "vmxnet3", "e1000e", "igb", "pppoe", "ppp_async", "ppp_synctty"}

// tree collects the files of an initramfs.
type tree struct {
	root  string // where Debian's packages were unpacked
	out   cpio
	known map[string]bool
}

// fill writes all of it.
func (t *tree) fill(version string) error {
	for _, name := range []string{"proc", "sys", "dev", "run", "tmp", "root", "busybox", "var", "etc", "etc/iproute2", "etc/ppp"} {
		t.folder(name)
	}
	t.out.device("dev/console", 0o600, 5, 1)
	t.out.add("var/run", modeLink|0o777, []byte("/run"))
	for _, p := range programs {
		err := t.program(p)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // packages have them at one of two places
			return err
		}
	}
	for _, n := range names {
		t.link(n.name, n.target)
	}
	for _, folder := range plugins {
		files, err := filepath.Glob(filepath.Join(t.root, folder, "*.so"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := t.program(strings.TrimPrefix(file, t.root+"/")); err != nil {
				return err
			}
		}
	}
	for _, needed := range []string{"bin/busybox", "bin/dash", "bin/kmod", "bin/ip", "usr/sbin/nft"} {
		if !t.known[needed] {
			return fmt.Errorf("the packages of Debian have no %s", needed)
		}
	}
	if err := t.modules(version); err != nil {
		return err
	}
	t.out.add("init", modeFile|0o755, []byte(initScript))
	t.out.add("shells", modeFile|0o755, []byte(ShellScript))
	return t.out.end()
}

// folder adds a folder, and those that it is in.
func (t *tree) folder(name string) {
	if name == "." || t.known[name] {
		return
	}
	t.folder(filepath.Dir(name))
	t.known[name] = true
	t.out.add(name, modeFolder|0o755, nil)
}

// link adds a link, and the folder that it is in.
func (t *tree) link(name, target string) {
	t.folder(filepath.Dir(name))
	t.out.add(name, modeLink|0o777, []byte(target))
}

// file adds a file as it is, with the folder that it is in.
func (t *tree) file(name string) error {
	if t.known[name] {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(t.root, name)) // where a link leads, too
	if err != nil {
		return err
	}
	t.folder(filepath.Dir(name))
	t.known[name] = true
	t.out.add(name, modeFile|0o755, data)
	return nil
}

// program adds a program or library with the libraries that it needs.
func (t *tree) program(name string) error {
	if t.known[name] {
		return nil
	}
	if err := t.file(name); err != nil {
		return err
	}
	f, err := elf.Open(filepath.Join(t.root, name))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	needed, err := f.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			loader := make([]byte, p.Filesz)
			if _, err := p.ReadAt(loader, 0); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := t.loader(strings.Trim(string(loader), "/\x00")); err != nil {
				return err
			}
		}
	}
	for _, library := range needed {
		if err := t.library(library); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// loader adds the dynamic linker, by the name that programs have it by. Debian has a
// link there that leads from the root.
func (t *tree) loader(name string) error {
	if t.known[name] {
		return nil
	}
	target, err := os.Readlink(filepath.Join(t.root, name))
	if err != nil {
		return err
	}
	t.known[name] = true
	t.link(name, target)
	return t.file(strings.TrimPrefix(target, "/"))
}

func (t *tree) library(name string) error {
	for _, folder := range libraryFolders {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(filepath.Join(t.root, path)); err == nil {
			return t.program(path)
		}
	}
	if strings.HasPrefix(name, "ld-linux") {
		return nil // the loader itself
	}
	return fmt.Errorf("the packages of Debian lack the library %s", name)
}

// modules adds those modules of the kernel that a router may need, with those that they
// need, and what modprobe(8) has to know.
func (t *tree) modules(version string) error {
	folder := filepath.Join("lib/modules", version)
	known, err := os.ReadFile(filepath.Join(t.root, folder, "modules.dep"))
	if err != nil {
		return err
	}
	builtin, err := os.ReadFile(filepath.Join(t.root, folder, "modules.builtin"))
	if err != nil {
		return err
	}
	for _, name := range drivers {
		has := func(line string) bool { return moduleName(line) == name }
		if !slices.ContainsFunc(strings.Split(string(known)+string(builtin), "\n"), has) {
			return fmt.Errorf("the kernel %s has no module %s", version, name)
		}
	}
	for _, file := range wantedModules(string(known)) {
		if err := t.file(filepath.Join(folder, file)); err != nil {
			return err
		}
	}
	lists, err := filepath.Glob(filepath.Join(t.root, folder, "modules.*"))
	for _, list := range lists {
		if err := t.file(strings.TrimPrefix(list, t.root+"/")); err != nil {
			return err
		}
	}
	return err
}

// moduleName is the name of a module by the file that a line begins with.
func moduleName(line string) string {
	file, _, _ := strings.Cut(line, ":")
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	return strings.ReplaceAll(name, "-", "_")
}

// wantedModules are the files of the modules that are to be there, from modules.dep.
func wantedModules(dep string) (out []string) {
	for line := range strings.Lines(dep) {
		file, needs, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		in := slices.ContainsFunc(moduleFolders, func(f string) bool { return strings.HasPrefix(file, "kernel/"+f+"/") })
		if !in && !slices.Contains(drivers, moduleName(file)) && !slices.Contains(others, moduleName(file)) {
			continue
		}
		out = append(append(out, file), strings.Fields(needs)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
