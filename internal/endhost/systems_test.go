package endhost

import (
	"go/build"
	"testing"
)

// What is said of a system is what is built for it.
func TestSystems(t *testing.T) {
	for name, s := range Systems {
		for file, want := range map[string]bool{
			"roles_files.go": s.Files, "roles_no_files.go": !s.Files,
			"fragments_dontfrag.go": s.Whole, "fragments_none.go": !s.Whole,
			"kernel_other.go": true, "kernel.go": true, "kernel_linux.go": false,
		} {
			at := build.Default
			at.GOOS, at.GOARCH = name, "amd64"
			if got, err := at.MatchFile(".", file); got != want || err != nil {
				t.Errorf("%s is built for %s: %v, %v", file, name, got, err)
			}
		}
	}
}
