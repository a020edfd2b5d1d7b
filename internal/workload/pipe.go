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
		}{{j.source, tarTool}, {j.destination, tarTool}, {j.destination, zstdTool}, {j.destination, bashTool}, {j.clientEnd(), bashTool}} {
			if _, err := need.at.find(ctx, need.tool); err != nil {
				return nil, err
			}
		}
		return byPipe.begin(ctx, j)
	},
}

// The links of the chain beside SSH. The shell is one that knows when a link
// before the last has failed.
var (
	tarTool  = Tool{Name: "tar", Of: "the archiver", Package: "tar"}
	zstdTool = Tool{Name: "zstd", Of: "the compressor", Package: "zstd"}
	bashTool = Tool{Name: "bash", Of: "the shell", Package: "bash"}
)

var byPipe = copying{
	tools: sshTools, port: sshPort, start: startSSH, copy: copyByPipe, check: checkArchive,
	versions: []version{sshVersion,
		{func(j *job) End { return j.source }, "tar", "tar --version"},
		{func(j *job) End { return j.destination }, "zstd", "zstd --version"},
	},
}

func copyByPipe(ctx context.Context, c *copier) error {
	line := pipeline(c.files, c.job.server)
	argv := slices.Concat([]string{"bash", "-o", "pipefail", "-c", line, "ssh"}, sshOptions(c), []string{c.at.Addr().String()})
	_, err := c.client(ctx, "", argv...)
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
func checkArchive(ctx context.Context, f *files) error {
	said, err := f.job.destination.Host.Run(ctx, "", "bash", "-o", "pipefail", "-c", unpack, f.to+"/"+archive)
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
