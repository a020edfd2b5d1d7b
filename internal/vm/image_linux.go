package vm

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"weir/internal/infile"
	"weir/internal/locks"
	"weir/internal/outfile"
)

// System is what a machine boots: a kernel of Debian's by its version, a disk image, or
// a kernel and an initramfs by their files.
type System struct {
	Debian            string
	Image             string
	Kernel, Initramfs string
	Append            string // to the command line of the kernel
	Package           string // that the kernel is from, where Image made it
}

// String is what it is, for people.
func (s System) String() string {
	if s.Append != "" {
		plain := s
		plain.Append = ""
		return plain.String() + ", " + s.Append
	}
	switch {
	case s.Debian != "":
		return "Debian's kernel " + s.Debian
	case s.Image != "":
		return s.Image
	case s.Package != "":
		return s.Package
	}
	return s.Kernel + " with " + s.Initramfs
}

// Short is a name for it that can be part of a file's: "debian-6.12", "box.qcow2".
func (s System) Short() string {
	if s.Debian != "" {
		return "debian-" + s.Debian
	}
	return filepath.Base(cmp.Or(s.Image, s.Kernel))
}

// built is what a folder of the cache holds, beside the two files.
type built struct {
	Package string // of the kernel
	Version string // of the kernel, as uname -r says it
}

// The files of such a folder.
const (
	kernelFile    = "vmlinuz"
	initramfsFile = "initramfs"
	builtFile     = "built.json"
)

// Image finds the kernel and the initramfs of a system of Debian's in the cache folder,
// or makes them there of Debian's packages, which takes a minute and 150 MB from the
// archive. What is there is there as a whole. Other systems are returned as they are, if
// their files can be read.
func Image(ctx context.Context, s System, cache string) (out System, err error) {
	defer func() { out.Append = s.Append }()
	if s.Debian == "" {
		return s, s.Readable()
	}
	suite, err := suiteOf(s.Debian)
	if err != nil {
		return s, err
	}
	folder := filepath.Join(cache, "debian-"+s.Debian+"-"+recipe())
	unlock, err := lock(ctx, cache)
	if err != nil {
		return s, err
	}
	defer unlock()
	if _, err := os.Stat(folder); err == nil {
		return found(folder)
	}
	if err := build(ctx, s.Debian, suite, cache, folder); err != nil {
		if text := err.Error(); errors.Is(err, syscall.ENOSPC) || strings.Contains(text, "No space left") || strings.Contains(text, "enough free space") {
			err = fmt.Errorf("there is no room in %s, where it takes 1 GB for a while and 55 MB for good; make room, or name another folder (XDG_CACHE_HOME): %w", cache, err)
		}
		return s, fmt.Errorf("make a machine with Debian's kernel %s: %w", s.Debian, err)
	}
	return found(folder)
}

// found is the system in a folder of the cache.
func found(folder string) (System, error) {
	var b built
	data, err := os.ReadFile(filepath.Join(folder, builtFile))
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	if err != nil {
		return System{}, fmt.Errorf("the machine in %s is not whole: %w; remove the folder, and it is made anew", folder, err)
	}
	return System{Kernel: filepath.Join(folder, kernelFile), Initramfs: filepath.Join(folder, initramfsFile), Package: b.Package}, nil
}

// Readable says which file of a system's cannot be read; nil: all can.
func (s System) Readable() error {
	for _, file := range []string{s.Image, s.Kernel, s.Initramfs} {
		if file == "" {
			continue
		}
		f, err := infile.OpenDisk(file)
		if err != nil {
			return fmt.Errorf("the machine cannot boot: %w", err)
		}
		f.Close()
	}
	return nil
}

// recipe is a short name of how machines are made: another weir may make others.
func recipe() string {
	sum := sha256.Sum256(fmt.Append(nil, programsSuite, programPackages, programs, plugins, moduleFolders, drivers, others, initScript, ShellScript))
	return fmt.Sprintf("%x", sum[:4])
}

// lockFile is a file of the cache that its owner alone may open, and so lock.
const lockFile = "lock"

// makingLimit is how long another one may make a machine: it takes a minute, and ten where
// the archive is far and the CPUs are busy.
const makingLimit = 30 * time.Minute

// unfinished begins the names of folders of the cache that are being made.
const unfinished = "new-"

// lock keeps other processes from the cache folder, which it makes, and removes what
// killed ones have left half made.
func lock(ctx context.Context, cache string) (unlock func(), err error) {
	if err := makeOwn(cache); err != nil {
		return nil, fmt.Errorf("make the folder for machines: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(cache, lockFile), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := locks.Wait(ctx, f, makingLimit); err != nil {
		f.Close()
		return nil, fmt.Errorf("wait for who else makes machines in %s: %w", cache, err)
	}
	left, err := filepath.Glob(filepath.Join(cache, unfinished+"*"))
	for _, folder := range left {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// build makes the folder of a system.
func build(ctx context.Context, version, suiteName, cache, folder string) (err error) {
	work, err := os.MkdirTemp(cache, unfinished)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	root, done := filepath.Join(work, "root"), filepath.Join(work, "done")
	for _, f := range []string{root, done} {
		if err := os.Mkdir(f, 0o755); err != nil {
			return err
		}
	}
	own, err := openSuite(ctx, programsSuite, work)
	if err != nil {
		return err
	}
	if err := own.fetch(ctx, root, true, programPackages...); err != nil {
		return err
	}
	kernels := own
	if suiteName != programsSuite {
		if kernels, err = openSuite(ctx, suiteName, work); err != nil {
			return err
		}
	}
	b, err := kernels.kernel(ctx, version, filepath.Join(work, "kernel"), root, filepath.Join(done, kernelFile))
	if err != nil {
		return err
	}
	if err := pack(root, b.Version, filepath.Join(done, initramfsFile)); err != nil {
		return err
	}
	said, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(done, builtFile), said, 0o644); err != nil {
		return err
	}
	if err := os.Rename(done, folder); err != nil {
		return err
	}
	return older(cache, version, folder)
}

// older removes what other weirs have made of a version: machines that run do not need
// it any more.
func older(cache, version, folder string) (err error) {
	all, err := filepath.Glob(filepath.Join(cache, "debian-"+version+"-*"))
	for _, other := range all {
		if other != folder {
			err = errors.Join(err, os.RemoveAll(other))
		}
	}
	return err
}

// kernel fetches a suite's kernel, puts its modules into root and the kernel itself into
// a file.
func (s *suite) kernel(ctx context.Context, version, at, root, file string) (b built, err error) {
	if b.Package, err = s.kernelPackage(ctx, version); err != nil {
		return b, err
	}
	said, err := s.run(ctx, "apt-cache", "show", b.Package)
	if err != nil {
		return b, err
	}
	if err := s.fetch(ctx, at, false, append(partsIn(said, b.Package), b.Package)...); err != nil {
		return b, err
	}
	folders, err := globs(at, "lib/modules/*", "usr/lib/modules/*")
	if err != nil {
		return b, err
	}
	b.Version = filepath.Base(folders[0])
	kernels, err := globs(at, "boot/vmlinuz-*", "usr/lib/modules/*/vmlinuz")
	if err != nil {
		return b, err
	}
	if err := os.Rename(kernels[0], file); err != nil {
		return b, err
	}
	if err := os.MkdirAll(filepath.Join(root, "lib/modules"), 0o755); err != nil {
		return b, err
	}
	if err := os.Rename(folders[0], filepath.Join(root, "lib/modules", b.Version)); err != nil {
		return b, err
	}
	_, err = run(ctx, "chroot", root, "/sbin/depmod", b.Version)
	return b, err
}

// partsIn are the packages that a kernel's package is split into: newer ones are.
func partsIn(text, pkg string) (out []string) {
	own := strings.TrimPrefix(pkg, "linux-image")
	for line := range strings.Lines(text) {
		depends, ok := strings.CutPrefix(line, "Depends:")
		if !ok {
			continue
		}
		for one := range strings.SplitSeq(depends, ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(one), " ")
			if strings.HasPrefix(name, "linux-") && strings.HasSuffix(name, own) {
				out = append(out, name)
			}
		}
		break
	}
	return out
}

// globs are the files below a folder of the first of the patterns that finds some.
func globs(folder string, patterns ...string) ([]string, error) {
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(folder, p))
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, fmt.Errorf("the packages of Debian have no %s", strings.Join(patterns, ", nor "))
}

// pack writes the initramfs.
func pack(root, version, file string) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	t := &tree{root: root, out: cpio{w: w}, known: map[string]bool{}}
	if err := t.fill(version); err != nil {
		return err
	}
	return w.Flush()
}

// makeOwn makes a folder that nobody else writes to, or puts another one in the place of: root
// runs programs that lie in it.
func makeOwn(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := outfile.OnlyOurs(folder); err != nil {
		return fmt.Errorf("%w, and root runs what lies in %s: name another folder (XDG_CACHE_HOME)", err, folder)
	}
	return nil
}

// CacheFolder is where machines are kept: below XDG_CACHE_HOME or, for root without
// that, below /var/cache.
func CacheFolder() (string, error) {
	if os.Getenv("XDG_CACHE_HOME") == "" && os.Geteuid() == 0 {
		return "/var/cache/weir", nil
	}
	folder, err := os.UserCacheDir()
	return filepath.Join(folder, "weir"), err
}
