package workload

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/endhost"
)

// pipe packs files at the source, sends them by SSH as they are, and compresses
// them at the destination: a backup of what would have no room as a copy.
var pipe = program{
	Info: Info{Name: "pipe", Summary: "files packed by tar, sent by OpenSSH and compressed by zstd at the destination", Files: true, Tools: slices.Concat(sshTools, []Tool{tarTool, zstdTool, bashTool})},
	begin: func(ctx context.Context, j *job) (*session, error) {
		for _, need := range []struct {
			at   End
			tool Tool
		}{{j.source, tarTool}, {j.destination, tarTool}, {j.destination, zstdTool}, {j.destination, bashTool}, {j.asking(), bashTool}} {
			if _, err := need.at.find(ctx, need.tool); err != nil {
				return nil, err
			}
		}
		return j.copied(ctx, sshTools, j.startPipe, j.checkArchive)
	},
}

// The links of the chain beside SSH. The shell is one that knows when a link
// before the last has failed.
var (
	tarTool  = Tool{Name: "tar", Of: "the archiver", Package: "tar"}
	zstdTool = Tool{Name: "zstd", Of: "the compressor", Package: "zstd"}
	bashTool = Tool{Name: "bash", Of: "the shell", Package: "bash"}
)

// pipeCopier is the way to the other end, and what is sent along it.
type pipeCopier struct {
	*sshLink
	line string
}

func (j *job) startPipe(ctx context.Context, f *files) (copier, error) {
	link, err := j.startSSH(ctx)
	if err != nil {
		return nil, err
	}
	return pipeCopier{link, pipeline(f, j.server)}, nil
}

func (p pipeCopier) copyFiles(ctx context.Context) error {
	argv := slices.Concat([]string{"bash", "-o", "pipefail", "-c", p.line, "ssh"}, p.options(), []string{p.address.String()})
	_, err := p.job.asking().Host.Run(ctx, "", argv...)
	return err
}

// archive is the name of what arrives.
const archive = "files.tar.zst"

// pipeline is what the client runs; the arguments are those of ssh. The links of
// the chain that are at the server are one word for ssh.
func pipeline(f *files, server weir.Side) string {
	pack := fmt.Sprintf("tar -C '%s' -cf - .", f.from)
	compress := fmt.Sprintf("zstd -q -1 > '%s/%s'", f.to, archive)
	if server == weir.Source {
		return fmt.Sprintf(`ssh "$@" "%s" | %s`, pack, compress)
	}
	return fmt.Sprintf(`%s | ssh "$@" "%s"`, pack, compress)
}

// unpack prints the name, the length and the hash of each file of an archive.
// There may be no room for the files themselves beside it.
const unpack = `zstd -q -d -c "$0" | tar -xf - --to-command='printf "%s %s " "$TAR_FILENAME" "$TAR_SIZE"; sha256sum'`

// checkArchive is nil when the archive at the destination has all files that
// were sent.
func (j *job) checkArchive(ctx context.Context, f *files) error {
	said, err := j.destination.Host.Run(ctx, "", "bash", "-o", "pipefail", "-c", unpack, f.to+"/"+archive)
	if err != nil {
		return fmt.Errorf("unpack what arrived: %w", err)
	}
	return compared(f.sent, unpacked(said))
}

// unpacked are the files that unpack prints.
func unpacked(said string) []endhost.File {
	var out []endhost.File
	for line := range strings.Lines(said) {
		w := strings.Fields(line)
		if len(w) < 3 {
			continue
		}
		octets, err := strconv.ParseInt(w[1], 10, 64)
		if err != nil {
			continue
		}
		out = append(out, endhost.File{Name: strings.TrimPrefix(w[0], "./"), Octets: octets, SHA256: w[2]})
	}
	return out
}

// version is that of all links of the chain.
func (p pipeCopier) version(ctx context.Context) (string, error) {
	ssh, err := p.sshLink.version(ctx)
	if err != nil {
		return "", err
	}
	others, err := versionsOf(ctx, asked{p.job.source, "tar", "tar --version"}, asked{p.job.destination, "zstd", "zstd --version"})
	return ssh + ", " + others, err
}
