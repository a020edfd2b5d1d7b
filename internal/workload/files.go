package workload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"weir"
	"weir/internal/endhost"
)

// files are those of a transfer: what is to be sent, and where it is to arrive.
type files struct {
	from, to string   // the folders at the source and the destination
	names    []string // below each of them
	octets   uint64   // of all of them
	sent     []endhost.File
	disks    []weir.DiskRate // what the storage of each side did alone, before
	oneDisk  bool            // whether both sides have the same
	job      *job
}

// createFiles makes the files of a job at its source, and an empty folder at its
// destination. It refuses what one of them has no room for, and measures the
// storage of both before.
func (j *job) createFiles(ctx context.Context) (_ *files, err error) {
	switch {
	case j.Files <= 0:
		return nil, errors.New("a file transfer needs a number of files")
	case j.FileSize <= 0:
		return nil, errors.New("a file transfer needs the size of its files")
	case j.FileSize > math.MaxInt64/4/int64(j.Files):
		return nil, fmt.Errorf("%d files of %d octets are more than there can be", j.Files, j.FileSize)
	}
	roots := [2]string{j.source.Folders[j.Storage], j.destination.Folders[j.Storage]}
	for i, e := range []End{j.source, j.destination} {
		if roots[i] == "" {
			return nil, fmt.Errorf("%s has no folder for files on the storage %q", e.Host.Name(), j.Storage)
		}
	}
	one, err := j.room(ctx, roots)
	if err != nil {
		return nil, err
	}
	disks, err := j.disks(ctx, roots)
	if err != nil {
		return nil, err
	}
	f := &files{octets: uint64(j.Files) * uint64(j.FileSize), disks: disks, oneDisk: one, job: j}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.remove(context.WithoutCancel(ctx)))
		}
	}()
	var sent, empty endhost.Files
	settings := endhost.MakeFiles{Root: roots[0], Files: j.Files, Size: j.FileSize, Seed: j.Seed}
	if err := j.play(ctx, j.source, "files-make", settings, &sent); err != nil {
		return nil, err
	}
	f.from, f.sent = sent.Folder, sent.Files
	for _, file := range sent.Files {
		f.names = append(f.names, file.Name)
	}
	if err := j.play(ctx, j.destination, "files-make", endhost.MakeFiles{Root: roots[1]}, &empty); err != nil {
		return nil, err
	}
	f.to = empty.Folder
	return f, nil
}

// dropCaches writes the files at the source to their disk and removes them from
// memory, so that a transfer reads them from the disk.
func (f *files) dropCaches(ctx context.Context) error {
	if f.job.Storage != weir.Disk {
		return nil
	}
	f.job.pausing.Store(true) // they may have to be written first
	defer f.job.pausing.Store(false)
	return f.job.play(ctx, f.job.source, "files-forget", endhost.InFolder{Folder: f.from}, nil)
}

// syncArrived waits until all that arrived is on the disk: a transfer to a disk ends
// then, and not before.
func (f *files) syncArrived(ctx context.Context) error {
	if f.job.Storage != weir.Disk {
		return nil
	}
	f.job.pausing.Store(true)
	defer f.job.pausing.Store(false)
	return f.job.play(ctx, f.job.destination, "files-sync", endhost.InFolder{Folder: f.to}, nil)
}

// check is nil when all files that were sent have arrived as they were.
func (f *files) check(ctx context.Context) error {
	var found endhost.Files
	if err := f.job.play(ctx, f.job.destination, "files-check", endhost.InFolder{Folder: f.to}, &found); err != nil {
		return err
	}
	return compared(f.sent, found.Files)
}

// compared is nil when each file that was sent is among those that arrived.
// The error names the first that is not.
func compared(sent, arrived []endhost.File) error {
	at := map[string]endhost.File{}
	for _, file := range arrived {
		at[file.Name] = file
	}
	var missing, short, other []string
	for _, want := range sent {
		switch got, ok := at[want.Name]; {
		case !ok:
			missing = append(missing, want.Name)
		case got.Octets != want.Octets:
			short = append(short, fmt.Sprintf("%s has %d octets instead of %d", want.Name, got.Octets, want.Octets))
		case got.SHA256 != want.SHA256:
			other = append(other, want.Name)
		}
	}
	var wrong []string
	if len(missing) > 0 {
		wrong = append(wrong, fmt.Sprintf("%d of %d files did not arrive, the first of them %s", len(missing), len(sent), missing[0]))
	}
	if len(short) > 0 {
		wrong = append(wrong, fmt.Sprintf("%d of %d files arrived with another length: %s", len(short), len(sent), short[0]))
	}
	if len(other) > 0 {
		wrong = append(wrong, fmt.Sprintf("%d of %d files arrived with another content, the first of them %s", len(other), len(sent), other[0]))
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// removeFolder removes a folder in which a program that is just ending may still make
// a file.
const removeFolder = `for try in 1 2 3 4 5 6 7 8 9; do rm -rf "$0" 2>/dev/null && exit; sleep 0.2; done; exec rm -rf "$0"`

// remove removes the files at both ends. It is no error that there are none.
func (f *files) remove(ctx context.Context) error {
	var wrong []error
	for _, place := range []struct {
		at     End
		folder *string
	}{{f.job.source, &f.from}, {f.job.destination, &f.to}} {
		if *place.folder == "" {
			continue
		}
		if _, err := place.at.Host.Run(ctx, "", "sh", "-c", removeFolder, path.Dir(*place.folder)); err != nil {
			wrong = append(wrong, fmt.Errorf("remove the files of a transfer: %w", err))
			continue
		}
		*place.folder = ""
	}
	return errors.Join(wrong...)
}
