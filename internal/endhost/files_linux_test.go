package endhost

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// played is what a role tells when it is opened, by its name and settings.
func played[T any](t *testing.T, name string, settings any) T {
	t.Helper()
	raw, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	role, err := Roles[name](t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	told, _ := role.Value.(T)
	return told
}

func TestMakeFiles(t *testing.T) {
	root := filepath.Join(t.TempDir(), "not", "there")
	want := MakeFiles{Root: root, Files: 3, Size: chunk + 12345, Seed: 7}
	made := played[Files](t, "files-make", want)
	if len(made.Files) != 3 || filepath.Dir(filepath.Dir(made.Folder)) != root {
		t.Fatalf("made %+v", made)
	}
	if found := played[Files](t, "files-check", InFolder{made.Folder}); !slices.Equal(found.Files, made.Files) {
		t.Errorf("found %+v, made %+v", found, made)
	}
	again := played[Files](t, "files-make", want)
	if again.Folder == made.Folder || !slices.Equal(again.Files, made.Files) {
		t.Error("the same seed has made other files, or in the same folder")
	}
	want.Seed = 8
	if other := played[Files](t, "files-make", want); other.Files[0].SHA256 == made.Files[0].SHA256 {
		t.Error("another seed has made the same file")
	}
	if made.Files[0].SHA256 == made.Files[1].SHA256 {
		t.Error("two files have the same content")
	}
	for i, file := range made.Files {
		data, err := os.ReadFile(filepath.Join(made.Folder, file.Name))
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(data)) != want.Size || file.Octets != want.Size {
			t.Errorf("%s has %d octets, and says %d", file.Name, len(data), file.Octets)
		}
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
		w.Close()
		if packed.Len() < len(data) {
			t.Errorf("file %d compresses to %d octets of %d", i, packed.Len(), len(data))
		}
	}
	// One octet is changed.
	name := filepath.Join(made.Folder, made.Files[1].Name)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[1000]++
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if found := played[Files](t, "files-check", InFolder{made.Folder}); found.Files[1].SHA256 == made.Files[1].SHA256 || found.Files[2] != made.Files[2] {
		t.Errorf("a changed file was not found: %+v", found)
	}
}

// What could not be made whole is not left in part.
func TestMakeFilesBreaksOff(t *testing.T) {
	root := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := makeFiles(ctx, MakeFiles{Root: root, Files: 2, Size: 10}); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// inMemory is how many pages of a file are in memory.
func inMemory(t *testing.T, name string) (pages int) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(data)
	seen := make([]byte, (len(data)+os.Getpagesize()-1)/os.Getpagesize())
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)), uintptr(unsafe.Pointer(&seen[0]))); errno != 0 {
		t.Fatal(errno)
	}
	for _, page := range seen {
		pages += int(page & 1)
	}
	return pages
}

func TestForgetFiles(t *testing.T) {
	root := t.TempDir()
	room := played[Room](t, "files-room", AtRoot{root})
	made := played[Files](t, "files-make", MakeFiles{Root: root, Files: 2, Size: 2 << 20})
	played[any](t, "files-sync", InFolder{made.Folder})
	name := filepath.Join(made.Folder, made.Files[1].Name)
	if inMemory(t, name) == 0 {
		t.Error("a file that was just made is not in memory: this test shows nothing")
	}
	played[any](t, "files-forget", InFolder{made.Folder})
	if pages := inMemory(t, name); pages > 0 && !room.InMemory { // what is nowhere else stays
		t.Errorf("%d pages of it are still in memory", pages)
	}
}

func TestFilesRoom(t *testing.T) {
	memory := played[Room](t, "files-room", AtRoot{"/dev/shm/not/there"})
	proc := played[Room](t, "files-room", AtRoot{"/proc/self"})
	if memory.Machine == "" || memory.Machine != proc.Machine || memory.Device == proc.Device {
		t.Errorf("%+v and %+v are not two file systems of one machine", memory, proc)
	}
	if !memory.InMemory || memory.Free == 0 || memory.Available == 0 {
		t.Errorf("/dev/shm is %+v", memory)
	}
	if proc.InMemory {
		t.Errorf("/proc is %+v", proc)
	}
}

func TestAvailable(t *testing.T) {
	if n, err := available(strings.NewReader("MemTotal:  9 kB\nMemFree:  2 kB\nMemAvailable:    3 kB\n")); err != nil || n != 3<<10 {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := available(strings.NewReader("MemTotal: 9 kB\n")); err == nil {
		t.Error("without the line there is no error")
	}
}

func TestTimeDisk(t *testing.T) {
	root := t.TempDir()
	for _, octets := range []int64{1, block + 1, (ahead + 3) * block} {
		found := played[DiskTimes](t, "disk", TimeDisk{Root: root, Octets: octets, Limit: 1e9})
		if found.Read <= 0 || found.Write <= 0 {
			t.Errorf("%d octets: %+v", octets, found)
		}
	}
	// Without time one block is moved still.
	if found := played[DiskTimes](t, "disk", TimeDisk{Root: root, Octets: 1 << 40}); found.Read <= 0 || found.Write <= 0 {
		t.Errorf("without time: %+v", found)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := timeDisk(t.Context(), TimeDisk{Root: "/nowhere"}); err == nil {
		t.Error("no octets are no error")
	}
}
