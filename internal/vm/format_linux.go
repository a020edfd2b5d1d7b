package vm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// formats are those of images besides the raw one, by how they begin, with whether weir boots
// them: others may lead to further files.
var formats = []struct {
	begin, name string
	boots       bool
}{
	{"QFI\xfb", "qcow2", true}, {"<<< ", "vdi", true}, {"vhdxfile", "vhdx", true},
	{"KDMV", "vmdk", false}, {"COWD", "vmdk", false}, {"# Disk DescriptorFile", "vmdk", false}, {"conectix", "vpc", false}, {"QED\x00", "qed", false},
}

// formatOf is the format of an image, which the name of its file says: raw unless it ends with
// that of another one. What the image itself says has to agree: a guest may have written that
// to the first sector of a raw disk. It must not lead to further files.
func formatOf(image *os.File) (string, error) {
	head := make([]byte, 512)
	n, err := image.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	head = head[:n]
	named := strings.ToLower(strings.TrimPrefix(filepath.Ext(image.Name()), "."))
	is := "raw"
	for _, f := range formats {
		if bytes.HasPrefix(head, []byte(f.begin)) {
			is = f.name
		}
	}
	for _, f := range formats {
		switch {
		case f.name == named && is != named:
			return "", fmt.Errorf("%s does not begin as an image of the format %s, which its name says: name it after what it is (qemu-img info)", image.Name(), named)
		case f.name == is && (is != named || !f.boots):
			return "", fmt.Errorf("%s begins as an image of the format %s: where it is one, change it into one that weir boots, whose name says what it is: qemu-img convert -O qcow2 %s box.qcow2", image.Name(), is, image.Name())
		}
	}
	if is == "qcow2" {
		return is, alone(image.Name(), head)
	}
	return is, nil
}

// alone is an error where a qcow2 image leads to further files (QEMU, docs/interop/qcow2.txt:
// backing_file_offset, and the bit of an external data file in incompatible_features).
func alone(name string, head []byte) error {
	const backing, features, external = 8, 72, 1 << 2
	if len(head) < 104 {
		return fmt.Errorf("%s ends within its header", name)
	}
	switch {
	case binary.BigEndian.Uint64(head[backing:]) != 0:
	case binary.BigEndian.Uint32(head[4:]) >= 3 && binary.BigEndian.Uint64(head[features:])&external != 0:
	default:
		return nil
	}
	return fmt.Errorf("%s leads to a further file, which is not opened: make it one that is whole: qemu-img convert -O qcow2 %s whole.qcow2", name, name)
}
