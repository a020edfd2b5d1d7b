// Package sandbox runs tests where no other test run and no weir of a user sees them:
// a process with a mount and a network namespace of its own. /run, /dev/shm and /var/tmp
// are private and empty there, and the only interface is lo, so that names of network
// namespaces, links, ports and files never meet those of somebody else. When the tests
// have ended it lists what they left behind, and ends what still runs.
//
// It hides no processes: weir finds the kernel's NAPI threads by their process IDs, and
// those of another PID namespace cannot be seen.
//
// Without root there is no sandbox, and the tests run as they are.
package sandbox
