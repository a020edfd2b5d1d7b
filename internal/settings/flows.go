package settings

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// What decides which queue a frame comes to: its fields that are hashed, and the table
// that has a queue for each hash; and then which CPU that queue interrupts.

// The values of a table that has a queue for each hash.
const (
	// DefaultSpread is entry i for queue i modulo their number, over all queues, as the
	// kernel has it. To set it is to leave the table to the kernel again.
	DefaultSpread = "default"
	tableSpread   = "table" // any other, entry by entry: ethtool cannot write it
)

// ParseSpread reads what ethtool -x says. "equal 4" is entry i for queue i modulo 4,
// "weight 3 1" has as many entries for each queue, in their order, as ethtool -X writes
// for these weights; "" is no table.
func ParseSpread(text string) string {
	var table []int
	queues := 0
	for line := range strings.Lines(text) {
		if said := ringsOf.FindStringSubmatch(line); said != nil {
			queues, _ = strconv.Atoi(said[1]) // 0 where it is too large a number
		}
		at, entries, ok := strings.Cut(line, ":")
		if _, err := strconv.Atoi(strings.TrimSpace(at)); err != nil || !ok {
			continue
		}
		for _, entry := range strings.Fields(entries) {
			queue, err := strconv.Atoi(entry)
			if err != nil || queue < 0 || queue >= mostQueues {
				return ""
			}
			table = append(table, queue)
		}
	}
	if len(table) == 0 {
		return ""
	}
	return spreadOf(table, queues)
}

// ringsOf is how ethtool -x says how many queues receive.
var ringsOf = regexp.MustCompile(`with (\d+) RX ring`)

// mostQueues is how many queues a port can have.
const mostQueues = 4096

// spreadOf names a table of a port with so many queues.
func spreadOf(table []int, queues int) string {
	shares := make([]int, slices.Max(table)+1)
	for _, queue := range table {
		shares[queue]++
	}
	equal := func(n int) bool {
		for i, queue := range table {
			if queue != i%n {
				return false
			}
		}
		return true
	}
	switch {
	case queues > 0 && equal(queues):
		return DefaultSpread
	case equal(len(shares)):
		return fmt.Sprintf("equal %d", len(shares))
	case slices.IsSorted(table): // ethtool gives each queue its weight's part, one after the other
		return "weight " + strings.Trim(fmt.Sprint(shares), "[]")
	}
	return tableSpread + " " + strings.Trim(fmt.Sprint(table), "[]")
}

// CanSpread reports whether ethtool can set a value of a Spread.
func CanSpread(value string) bool { return !strings.HasPrefix(value, tableSpread) }

func readSpread(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := ethtool(ctx, h, "-x", s.Device)
	spread := ParseSpread(text)
	if err == nil && spread == "" {
		err = fmt.Errorf("%s has no table of queues: %w", s.Device, ErrNone)
	}
	return spread, err
}

// ErrNone is what a device has none of, or does not tell.
var ErrNone = errors.New("its driver has none")

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
		err = fmt.Errorf("%s does not say which fields of %s it hashes: %w", s.Device, s.Name, ErrNone)
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
