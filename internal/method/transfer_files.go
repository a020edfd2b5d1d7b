package method

import (
	"time"

	"weir"
	"weir/internal/claim"
)

// Files of a transfer. The log of 2005 has 13 files of 1.9 GB, which is the book
// for these methods; by default there are as many, of a size that any machine
// has room for in its memory.
var (
	someFiles = Params{Trials: 1, Transfer: weir.Transfer{Files: 13, FileSize: 20e6, Storage: weir.Memory}}
	oneFile   = Params{Trials: 1, Transfer: weir.Transfer{Files: 1, FileSize: 8e6}}
	bigFiles  = Params{Transfer: weir.Transfer{Files: 13, FileSize: 1.9e9, Storage: weir.Disk}}
)

// ofFiles is a method that transfers files by a program of the same name. How
// long a trial takes is for the files to say.
func ofFiles(name, title, summary string) Method {
	return Method{
		Name: name, Title: title, Summary: summary, Check: claim.CheckFileTransfer, Earns: [][]string{{"file transfer"}},
		Defaults: someFiles, Quick: oneFile, Book: bigFiles,
		Application: true, Takes: []string{"files", "size", "storage"}, Measure: single(transfer{name, goodput}.run),
	}
}

// The methods that transfer files.
var (
	ftpFiles   = ofFiles("ftp", "FTP", "files by FTP")
	smbFiles   = ofFiles("smb", "SMB", "files by SMB, from or to a Samba server")
	httpFiles  = ofFiles("http", "HTTP", "files by HTTP")
	sftpFiles  = ofFiles("sftp", "SFTP", "files by SFTP, encrypted")
	rsyncFiles = ofFiles("rsync", "", "files by rsync")
	pipeFiles  = ofFiles("pipe", "", "files through a pipe of tar over SSH that compresses at the destination")
)

// What is assumed of a transfer of which nobody knows how fast it will be.
const (
	likelyRate  = 100e6           // bit/s where the links have no rate
	likelySpeed = 0.5             // of the rate of the links, where they have one
	likelyStart = 2 * time.Second // until the first octet moves
)

// lasts is how long a transfer of files is likely to take: an estimate for the
// eyes of people, after which nothing is cut off.
func (s *session) lasts(t weir.Transfer) time.Duration {
	rate := likelyRate
	if s.env.LinkRate > 0 {
		rate = likelySpeed * s.env.LinkRate
	}
	octets := float64(t.Files) * float64(t.FileSize)
	return likelyStart + time.Duration(8*octets/rate*float64(time.Second))
}
