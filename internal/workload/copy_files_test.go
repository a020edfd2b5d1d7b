package workload

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/endhost"
)

// twoFiles are files that need not be there.
var twoFiles = &files{from: "/src", to: "/dst", names: []string{"000001", "000002"}}

// What clients are told, with the server at the destination and at the source.
func TestClientArguments(t *testing.T) {
	v4, v6 := netip.MustParseAddrPort("198.19.0.2:8730"), netip.MustParseAddrPort("[2001:2::2]:8730")
	curl := "silent\nshow-error\nfail-with-body\nfail-early\nnoproxy = \"*\"\nconnect-timeout = 60\nuser = \"weir:secret\"\nwrite-out = \"connections: %{num_connects}\\n\"\n"
	for _, c := range []struct{ name, got, want string }{
		{"curl sends", curlConfig(twoFiles, weir.Destination, "weir:secret", "http://198.19.0.2:8730"), curl +
			"url = \"http://198.19.0.2:8730/000001\"\nupload-file = \"/src/000001\"\n" +
			"url = \"http://198.19.0.2:8730/000002\"\nupload-file = \"/src/000002\"\n"},
		{"curl fetches", curlConfig(twoFiles, weir.Source, "weir:secret", "http://[2001:2::2]:8730"), curl +
			"url = \"http://[2001:2::2]:8730/000001\"\noutput = \"/dst/000001\"\n" +
			"url = \"http://[2001:2::2]:8730/000002\"\noutput = \"/dst/000002\"\n"},
		{"sftp sends", sftpBatch(twoFiles, weir.Destination), "put \"/src/000001\" \"/dst/000001\"\nput \"/src/000002\" \"/dst/000002\"\n"},
		{"sftp fetches", sftpBatch(twoFiles, weir.Source), "get \"/src/000001\" \"/dst/000001\"\nget \"/src/000002\" \"/dst/000002\"\n"},
		{"the pipe sends", pipeline(twoFiles, weir.Destination), `tar -C '/src' -cf - . | ssh "$@" "zstd -q -1 > '/dst/files.tar.zst'"`},
		{"the pipe fetches", pipeline(twoFiles, weir.Source), `ssh "$@" "tar -C '/src' -cf - ." | zstd -q -1 > '/dst/files.tar.zst'`},
		{"rsync sends", strings.Join(rsyncCommand(twoFiles, weir.Destination, v4), " "),
			"env -u RSYNC_PROXY -u RSYNC_CONNECT_PROG rsync --recursive --whole-file --no-compress --password-file=- --contimeout=10 /src/ rsync://weir@198.19.0.2:8730/files/"},
		{"rsync fetches", strings.Join(rsyncCommand(twoFiles, weir.Source, v6), " "),
			"env -u RSYNC_PROXY -u RSYNC_CONNECT_PROG rsync --recursive --whole-file --no-compress --password-file=- --contimeout=10 rsync://weir@[2001:2::2]:8730/files/ /dst/"},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestCurlSays(t *testing.T) {
	for _, c := range []struct{ said, refused, fault string }{
		{"connections: 1\nconnections: 0\nconnections: 0\n", "", ""},
		{"connections: 1\nconnections: 1\n", "", "2 connections"},
		{"", "", "0 connections"},
		{"connections: 1\nwrite /dst/000002: no space left on device\nconnections: 0\n", "write /dst/000002: no space left on device", ""},
		{"connections: many\n", "", "many"},
	} {
		if got := curlRefusal(c.said); got != c.refused {
			t.Errorf("%q: refused with %q, want %q", c.said, got, c.refused)
		}
		if err := curlConnected(c.said, 1); (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q: got %v, want an error with %q", c.said, err, c.fault)
		}
	}
}

func TestUnpacked(t *testing.T) {
	const said = `./000002 2000000 49f0e6d1dd3bd2d0a4a0bd9b2cbd3a2ab4c3f15d0cd6ac5bd4b5bd3c8a2d6f29  -
./000001 0 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  -
./000003 many hash  -
`
	want := []endhost.File{
		{Name: "000002", Octets: 2_000_000, SHA256: "49f0e6d1dd3bd2d0a4a0bd9b2cbd3a2ab4c3f15d0cd6ac5bd4b5bd3c8a2d6f29"},
		{Name: "000001", SHA256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	}
	if diff := cmp.Diff(want, unpacked(said)); diff != "" {
		t.Error(diff)
	}
}

// The first lines of real programs.
func TestNumbered(t *testing.T) {
	for _, c := range []struct{ name, said, want string }{
		{"curl", "curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1 OpenSSL/3.0.19\nRelease-Date: 2023-02-20", "curl 7.88.1"},
		{"rsync", "rsync  version 3.2.7  protocol version 31\nCopyright (C) 1996-2022", "rsync 3.2.7"},
		{"rsync", "rsync  version v3.2.7  protocol version 31", "rsync 3.2.7"},
		{"tar", "tar (GNU tar) 1.34\nCopyright (C) 2021", "tar 1.34"},
		{"zstd", "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***", "zstd 1.5.4"},
		{"busybox", "no number at all", "busybox"},
	} {
		if got := numbered(c.name, c.said); got != c.want {
			t.Errorf("%q: got %q, want %q", c.said, got, c.want)
		}
	}
}
