package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"weir/internal/processes"
	"weir/internal/tail"
)

// Kernels says which of Debian's suites has which kernel, by the version without its
// last number.
var Kernels = []struct{ Version, Suite string }{
	{"6.1", "bookworm"},
	{"6.12", "bookworm-backports"},
	{"7.2", "sid"},
}

// programsSuite is where all but the kernel comes from: machines that are compared
// differ in their kernels alone.
const programsSuite = "bookworm"

// programPackages have what runs in the machine, and usr-is-merged keeps a Perl out
// that merges folders.
var programPackages = []string{"busybox-static", "conntrack", "dash", "ethtool", "iproute2", "iptables", "kmod", "libc-bin", "nftables", "ppp", "pppoe", "procps", "usr-is-merged", "util-linux"}

// archive is where Debian's packages come from, unless the environment says otherwise.
const (
	archive       = "http://deb.debian.org/debian"
	archiveSaying = "WEIR_DEBIAN"
	keyring       = "/usr/share/keyrings/debian-archive-keyring.gpg"
)

// KernelNames are the versions of Debian's kernels.
func KernelNames() (out []string) {
	for _, k := range Kernels {
		out = append(out, k.Version)
	}
	return out
}

// suiteOf is the suite that has a kernel.
func suiteOf(version string) (string, error) {
	for _, k := range Kernels {
		if k.Version == version {
			return k.Suite, nil
		}
	}
	return "", fmt.Errorf("there is no kernel %q of Debian's that is known here; there are: %s", version, strings.Join(KernelNames(), ", "))
}

// suite is one of Debian's, with lists of its own: those of this machine stay as they
// are, and what is installed here makes no difference.
type suite struct {
	name, folder string
	options      []string
}

// openSuite reads the lists of a suite into a folder.
func openSuite(ctx context.Context, name, folder string) (*suite, error) {
	s := &suite{name: name, folder: filepath.Join(folder, name)}
	for _, part := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(s.folder, part), 0o755); err != nil {
			return nil, err
		}
	}
	from := os.Getenv(archiveSaying)
	if from == "" {
		from = archive
	}
	for file, text := range map[string]string{
		"sources": fmt.Sprintf("deb [arch=amd64 signed-by=%s] %s %s main\n", keyring, from, name),
		"status":  "",
	} {
		if err := os.WriteFile(filepath.Join(s.folder, file), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	for option, value := range map[string]string{
		"Dir::Etc::sourcelist": s.folder + "/sources", "Dir::Etc::sourceparts": "/dev/null",
		"Dir::Etc::preferences": "/dev/null", "Dir::Etc::preferencesparts": "/dev/null",
		"Dir::State::lists": s.folder + "/lists", "Dir::State::status": s.folder + "/status",
		"Dir::State::extended_states": s.folder + "/extended", "Dir::Cache": s.folder + "/cache",
		"APT::Architecture": "amd64", "APT::Architectures::": "amd64", "APT::Sandbox::User": "root",
		"Acquire::Languages": "none", "Debug::NoLocking": "1", "APT::Update::Error-Mode": "any",
	} {
		s.options = append(s.options, "-o", option+"="+value)
	}
	_, err := s.run(ctx, "apt-get", "-q", "update")
	return s, err
}

// run runs one of apt's programs.
func (s *suite) run(ctx context.Context, program string, args ...string) (string, error) {
	return run(ctx, program, append(slices.Clone(s.options), args...)...)
}

// run runs a program, and says in an error what it said last.
func run(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	var out strings.Builder
	said := &tail.Tail{}
	cmd.Stdout, cmd.Stderr = &out, said
	err := processes.Run(cmd)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("there is no %s here: a machine of Debian's packages is made with apt-get and dpkg-deb, so on Debian or Ubuntu", program)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", program, err, strings.Join(tail.Last(said.String(), 4), "\n"))
	}
	return out.String(), nil
}

// ofKernel finds the package of a kernel's that linux-image-amd64 stands for.
var ofKernel = regexp.MustCompile(`(?m)^Depends:.*\b(linux-image-([0-9]+\.[0-9]+)\.[^ ,]+-amd64)`)

// kernelPackage is the package of the newest kernel of a suite, which has to be of a
// version.
func (s *suite) kernelPackage(ctx context.Context, version string) (string, error) {
	text, err := s.run(ctx, "apt-cache", "show", "--no-all-versions", "linux-image-amd64")
	if err != nil {
		return "", err
	}
	return kernelIn(text, version, s.name)
}

func kernelIn(text, version, suite string) (string, error) {
	m := ofKernel.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("the suite %s of Debian does not say which kernel its linux-image-amd64 is", suite)
	}
	if m[2] != version {
		return "", fmt.Errorf("the suite %s of Debian has Linux %s by now, and no longer %s: give the kernel by its files, {kernel: vmlinuz, initramfs: initrd.img}", suite, m[2], version)
	}
	return m[1], nil
}

// fetch downloads packages, with those that they need if all is so, and unpacks them
// into a folder.
func (s *suite) fetch(ctx context.Context, into string, all bool, packages ...string) error {
	archives := filepath.Join(s.folder, "cache/archives")
	if all {
		if _, err := s.run(ctx, "apt-get", append([]string{"-q", "-y", "--no-install-recommends", "--download-only", "install"}, packages...)...); err != nil {
			return err
		}
	} else {
		cmd := append([]string{"-c", `cd "$1" && shift && exec apt-get "$@"`, "sh", archives}, s.options...)
		if _, err := run(ctx, "sh", append(append(cmd, "-q", "download"), packages...)...); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(archives, "*.deb"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if _, err := run(ctx, "dpkg-deb", "-x", file, into); err != nil {
			return err
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}
