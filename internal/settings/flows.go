package settings

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// What decides which queue a frame comes to: its fields that are hashed, and the table
// that has a queue for each hash; and then which CPU that queue interrupts.

// ParseSpread reads what ethtool -x says: how the table shares frames out to queues.
// "equal 4" is as equally as can be, over the first four; "" is no table.
func ParseSpread(text string) string {
	var shares []int
	for line := range strings.Lines(text) {
		at, entries, ok := strings.Cut(line, ":")
		if _, err := strconv.Atoi(strings.TrimSpace(at)); err != nil || !ok {
			continue
		}
		for _, entry := range strings.Fields(entries) {
			queue, err := strconv.Atoi(entry)
			if err != nil || queue < 0 || queue >= mostQueues {
				return ""
			}
			for len(shares) <= queue {
				shares = append(shares, 0)
			}
			shares[queue]++
		}
	}
	switch {
	case len(shares) == 0:
		return ""
	case slices.Max(shares)-slices.Min(shares) <= 1:
		return EqualSpread(len(shares))
	}
	return "weight " + strings.Trim(fmt.Sprint(shares), "[]")
}

// mostQueues is how many queues a port can have.
const mostQueues = 4096

// EqualSpread is the value of a setting that shares frames out to so many queues.
func EqualSpread(queues int) string { return fmt.Sprintf("equal %d", queues) }

func readSpread(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := ethtool(ctx, h, "-x", s.Device)
	spread := ParseSpread(text)
	if err == nil && spread == "" {
		err = fmt.Errorf("%s has no table of queues", s.Device)
	}
	return spread, err
}

func setSpread(s Setting, v string) Command {
	return command(append([]string{"ethtool", "-X", s.Device}, strings.Fields(v)...)...)
}

// hashed are the fields of a frame that ports can hash, as ethtool -n names them, and
// the letters that -N takes for them.
var hashed = []struct{ field, letter string }{
	{"L2DA", "m"}, {"VLAN tag", "v"}, {"L3 proto", "t"}, {"IP SA", "s"}, {"IP DA", "d"}, {"L4 bytes 0 & 1", "f"}, {"L4 bytes 2 & 3", "n"},
}

// ParseHash reads what ethtool -n says of the fields that are hashed: "sdfn"; "" is none.
func ParseHash(text string) (letters string) {
	for _, f := range hashed {
		if slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, f.field) }) {
			letters += f.letter
		}
	}
	return letters
}

func readHash(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := ethtool(ctx, h, "-n", s.Device, "rx-flow-hash", s.Name)
	letters := ParseHash(text)
	if err == nil && letters == "" {
		err = fmt.Errorf("%s does not say which fields of %s it hashes", s.Device, s.Name)
	}
	return letters, err
}

// Interrupt is one that a device has for itself.
type Interrupt struct {
	Number string
	Name   string // that its driver gave it: "eth1-TxRx-0"; "" where nobody knows
}

// Interrupts are those that a port's device has for itself, or the one that this is a
// part of (virtio); none where it has none.
func Interrupts(ctx context.Context, h weir.Host, port string) ([]Interrupt, error) {
	for _, device := range []string{"/device", "/device/.."} {
		said, err := h.Run(ctx, "", "ls", "/sys/class/net/"+port+device+"/msi_irqs")
		if numbers := strings.Fields(said); err == nil && len(numbers) > 0 {
			return named(ctx, h, numbers)
		}
	}
	return nil, ctx.Err()
}

func named(ctx context.Context, h weir.Host, numbers []string) (all []Interrupt, err error) {
	text, err := h.ReadFile(ctx, "/proc/interrupts")
	for _, n := range numbers {
		one := Interrupt{Number: n}
		if fields := strings.Fields(Field(text, n)); len(fields) > 0 {
			one.Name = fields[len(fields)-1]
		}
		all = append(all, one)
	}
	return all, err
}

// receives is how drivers name the interrupts of queues that receive.
var receives = regexp.MustCompile(`(?i)(rx|rxtx|input|comp)[-.]?(\d+)$`)

// Queue is the number of the receive queue that an interrupt is of; ok is false for
// those of link changes, of sending and the like.
func (i Interrupt) Queue() (queue int, ok bool) {
	name, _, _ := strings.Cut(i.Name, "@") // behind it, mlx5 has the device
	found := receives.FindStringSubmatch(name)
	if found == nil {
		return 0, false
	}
	queue, err := strconv.Atoi(found[2])
	return queue, err == nil
}
