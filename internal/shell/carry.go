package shell

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"weir"
	"weir/internal/settings"
)

// Cargo is a program of this machine that is to run at a host.
type Cargo struct {
	File     string   // of this machine
	From     string   // where it is read in place of File, which a newer one may have replaced; "": there
	OS, Arch string   // what it is built for, as Go calls that: "linux", "amd64"; "": there is one for each, named for it
	Proof    []string // arguments with which it says what it is: version
	Is       string   // how that begins: "weir 0.1.0 "
	Other    *Cargo   // what hosts of another system get in its place; nil: this program, built for them
}

// machines are what uname(1) calls architectures.
var machines = map[string]string{
	"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64", "riscv64": "riscv64", "ppc64le": "ppc64le", "s390x": "s390x",
	"i686": "386", "i386": "386", "armv7l": "arm", "armv6l": "arm", "loongarch64": "loong64", "mips64": "mips64",
}

// folders are where a program may be put, the first of them that has room.
const folders = "/tmp /var/tmp /root"

// carryLimit is how long copying may take.
const carryLimit = 5 * time.Minute

// Carry copies a program to the host, in a folder of its own, and returns how it is called
// there. remove removes it; it goes, too, when the connection is lost or the host closed.
// A host of another system or architecture gets the file that is named for that
// (weir-linux-arm64, weir-agent-freebsd-amd64), beside it or in ../lib/weir, where packages
// have them. The error says what to do.
func (h *Host) Carry(ctx context.Context, c Cargo) (path string, remove func() error, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, carryLimit, fmt.Errorf("%s: copying %s there took longer than %v", h.name, filepath.Base(c.File), carryLimit))
	defer cancel()
	c, file, err := h.fitting(ctx, c)
	if err != nil {
		return "", nil, err
	}
	about, err := file.Stat()
	if err != nil {
		return "", nil, err
	}
	folder, remove, err := h.folder(ctx, about.Size())
	if err != nil {
		return "", nil, err
	}
	path = folder + "/" + filepath.Base(c.File)
	if err = h.copy(ctx, io.NewSectionReader(file, 0, about.Size()), path); err == nil {
		err = h.prove(ctx, c, path)
	}
	if err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return path, remove, nil
}

// heldFiles are the programs that this process has carried, by their paths. They stay open: a
// campaign ends with the programs that it began with, whatever is installed meanwhile.
var heldFiles = struct {
	sync.Mutex
	by map[string]*os.File
}{by: map[string]*os.File{}}

// hold opens the first of some files that is there.
func hold(paths ...string) (file *os.File, err error) {
	heldFiles.Lock()
	defer heldFiles.Unlock()
	for _, path := range paths {
		if file = heldFiles.by[path]; file != nil {
			return file, nil
		}
		if file, err = os.Open(path); err == nil {
			heldFiles.by[path] = file
			return file, nil
		}
	}
	return nil, err
}

// fitting is the program for the host, and the file of it that is built for that.
func (h *Host) fitting(ctx context.Context, c Cargo) (Cargo, *os.File, error) {
	said, err := h.Run(ctx, "", "uname", "-sm")
	if err != nil {
		return c, nil, err
	}
	system, machine, _ := strings.Cut(strings.ToLower(strings.TrimSpace(said)), " ")
	if machine == "evbarm" { // NetBSD calls all of Arm's so, and tells them apart by the processor
		if said, err = h.Run(ctx, "", "uname", "-p"); err != nil {
			return c, nil, err
		}
		machine = strings.TrimSpace(said)
	}
	arch := machines[machine]
	if arch == "" {
		arch = machine
	}
	if system == c.OS && arch == c.Arch {
		file, err := hold(cmp.Or(c.From, c.File))
		return c, file, err
	}
	if system != c.OS && c.Other != nil {
		c = *c.Other
	}
	folder, name := filepath.Dir(c.File), fmt.Sprintf("%s-%s-%s", filepath.Base(c.File), system, arch)
	file, err := hold(filepath.Join(folder, name), filepath.Join(folder, "../lib/weir", name))
	switch {
	case err == nil:
		return c, file, nil
	case !errors.Is(err, fs.ErrNotExist):
		return c, nil, err
	case c.OS == "":
		return c, nil, fmt.Errorf("there is no %s in %s or %s: in weir's sources make agents builds it (AGENTS=%s/%s)", name, folder, filepath.Join(folder, "../lib/weir"), system, arch)
	}
	return c, nil, fmt.Errorf("%s is a machine of %s/%s, and this %s is built for %s/%s: in weir's sources make far builds one for it (FAR=%s); put that into %s, as %s",
		h.name, system, arch, filepath.Base(c.File), c.OS, c.Arch, arch, folder, name)
}

// folder makes a folder with room for a file, where programs may run. A shell there holds it, and removes it when
// its standard input ends. awk compares, as there are shells that count to 2^31 alone.
func (h *Host) folder(ctx context.Context, size int64) (string, func() error, error) {
	const script = `for weir_in in ` + folders + `; do
	[ -d "$weir_in" ] && [ -w "$weir_in" ] || continue
	weir_free=$(df -Pk "$weir_in" 2>/dev/null | awk 'NR == 2 { print $4 }')
	if ! awk -v free="${weir_free:-0}" -v needs="$1" 'BEGIN { exit !(free + 0 >= needs + 0) }'; then echo "$weir_in has ${weir_free:-no} KiB free" >&2; continue; fi
	umask 077
	weir_folder=$(mktemp -d "$weir_in/weir.XXXXXXXX") || continue
	trap 'rm -rf "$weir_folder"' EXIT
	trap 'exit 1' HUP INT TERM PIPE
	echo '#!/bin/sh' >"$weir_folder/runs" && chmod 700 "$weir_folder/runs"
	if ! "$weir_folder/runs" 2>/dev/null; then echo "$weir_in lets no program run" >&2; rm -rf "$weir_folder"; continue; fi
	rm "$weir_folder/runs"
	echo "$weir_folder"
	cat >/dev/null
	exit 0
done
exit 1`
	needs := size>>10 + 1024
	p, err := h.Start(ctx, weir.Program{Argv: []string{"sh", "-c", script, "sh", fmt.Sprint(needs)}})
	if err != nil {
		return "", nil, err
	}
	remove := func() error {
		defer time.AfterFunc(quickLimit, func() { p.Stdout.Close() }).Stop()
		p.Stdin.Close()
		_, _ = io.Copy(io.Discard, p.Stdout)
		return p.Wait()
	}
	stop := context.AfterFunc(ctx, func() { p.Stdout.Close() })
	defer stop()
	line, err := bufio.NewReader(io.LimitReader(p.Stdout, mostSum)).ReadString('\n')
	if err == nil {
		return strings.TrimSpace(line), remove, nil
	}
	p.Stdin.Close()
	p.Stdout.Close() // what says more has nobody to say it to
	why := p.Wait()
	if ctx.Err() != nil {
		return "", nil, context.Cause(ctx)
	}
	return "", nil, fmt.Errorf("there is no folder (%s) with %d MiB of room, where programs may run, for this one at %s: make room there: %w", folders, needs>>10, h.name, why)
}

// sumScript copies what it is given, and says the checksum, by the program that there is
// for that: coreutils have the first, FreeBSD and OpenBSD the second, macOS the third, NetBSD
// and OpenBSD the last. Of these, only the first was run; the others are as their manuals
// have them.
const sumScript = `cat >"$1" && chmod 700 "$1" || exit
if command -v sha256sum >/dev/null; then sha256sum "$1"
elif command -v sha256 >/dev/null; then sha256 "$1"
elif command -v shasum >/dev/null; then shasum -a 256 "$1"
else cksum -a sha256 "$1"; fi`

// mostSum bounds what says a checksum, octets: a line with the name of a file.
const mostSum = 8 << 10

// copy copies a file, whole or not at all.
func (h *Host) copy(ctx context.Context, in io.Reader, path string) error {
	p, err := h.Start(ctx, weir.Program{Argv: []string{"sh", "-c", sumScript, "sh", path}})
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { p.Stdout.Close() })
	defer stop()
	sum := sha256.New()
	_, sent := io.Copy(io.MultiWriter(p.Stdin, sum), in)
	p.Stdin.Close()
	said, _ := io.ReadAll(io.LimitReader(p.Stdout, mostSum))
	if len(said) == mostSum {
		p.Stdout.Close() // what says more has nobody to say it to
	}
	err = p.Wait() // how it ended is lost where its output is closed before that
	p.Stdout.Close()
	if len(said) == mostSum {
		return fmt.Errorf("%s: what says the checksum of %s says more than %d octets", h.name, path, mostSum)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil { // it says more than that nobody read what was sent
		return fmt.Errorf("copy this program to %s: is the disk full? %w", path, err)
	}
	if sent != nil {
		return fmt.Errorf("%s: copy this program to %s: %w", h.name, path, sent)
	}
	if !strings.Contains(string(said), hex.EncodeToString(sum.Sum(nil))) { // each program has a form of its own
		return fmt.Errorf("%s: what came at %s is not what was sent: its checksum is another one", h.name, path)
	}
	return nil
}

// prove has the copy say what it is.
func (h *Host) prove(ctx context.Context, c Cargo, path string) error {
	said, err := h.Run(ctx, "", append([]string{path}, c.Proof...)...)
	if err != nil {
		return fmt.Errorf("%w (programs have to be allowed to run in %s there)", err, settings.Quoted(filepath.Dir(path)))
	}
	if said = strings.TrimSpace(said); !strings.HasPrefix(said+" ", c.Is) {
		return fmt.Errorf("%s: the copy there is %q and this is %q: both have to be of one version; build it anew", h.name, said, strings.TrimSpace(c.Is))
	}
	return nil
}
