//go:build !linux

package sandbox

import "os"

// Tests is a *testing.M.
type Tests interface{ Run() int }

// Main is a TestMain, after the functions that play a role where the program's arguments
// ask for one.
func Main(m Tests, roles ...func()) {
	for _, play := range roles {
		play()
	}
	os.Exit(Run(m))
}

// Run runs the tests: there are sandboxes on Linux alone.
func Run(m Tests) int { return m.Run() }
