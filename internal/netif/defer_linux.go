package netif

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"time"
)

// Defer puts off the interrupts of a port of the calling thread's namespace:
// once an instance of its NAPI has run it does so again when a time has passed,
// on the CPU on which it ran last, and no frame that comes before that starts
// it. 0: each frame starts an instance that does not run.
func Defer(name string, every time.Duration) error {
	interrupts := 0 // how many are left out when there was nothing to do
	if every > 0 {
		interrupts = math.MaxInt32
	}
	for _, setting := range []struct {
		file  string
		value int64
	}{{"napi_defer_hard_irqs", int64(interrupts)}, {"gro_flush_timeout", every.Nanoseconds()}} {
		if err := os.WriteFile("/sys/class/net/"+name+"/"+setting.file, []byte(strconv.FormatInt(setting.value, 10)), 0o644); err != nil {
			return fmt.Errorf("have %s polled by a timer: %w", name, err)
		}
	}
	return nil
}
