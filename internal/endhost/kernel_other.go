//go:build unix && !linux

package endhost

import "time"

// sleep sleeps.
func sleep(d time.Duration) { time.Sleep(d) }
