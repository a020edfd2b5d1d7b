package lab

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/campaign"
	"weir/internal/plan"
	"weir/internal/testenv"
	"weir/internal/vm"
)

// openMachine boots the machine of a plan, of which a test looks at the inside, too.
func openMachine(t *testing.T, text string) (*portsLab, campaign.Lab) {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "qemu-system-x86_64", "apt-get", "dpkg-deb", "ip", "ethtool")
	testenv.LikeArchive(t, "http://deb.debian.org/debian/dists/bookworm/Release")
	p, err := plan.Parse("vm.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	l, err := newMachine(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	opened, done, err := assembled(t.Context(), l.assemble)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := done(); err != nil {
			t.Error(err)
		}
	})
	return l, opened
}

// asked is what a line of shell says at the machine, whose first two ports are $0 and $1.
func (l *portsLab) asked(t *testing.T, line string) string {
	t.Helper()
	said, err := l.dut.host.Run(t.Context(), "", "sh", "-c", line, l.dut.dut.Ports[0].DUT, l.dut.dut.Ports[1].DUT)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// machineState is how all is set at a machine that a test changes there, and the MTU of
// the tester's ports.
func (l *portsLab) machineState(t *testing.T) string {
	t.Helper()
	out := l.asked(t, `for p in $0 $1; do
	for o in k g l x a; do ethtool -$o $p 2>&1; done
done
tc qdisc show
grep . /sys/class/net/*/mtu /sys/class/net/*/queues/rx-*/rps_cpus /proc/irq/*/smp_affinity_list /proc/sys/net/core/netdev_budget /proc/sys/kernel/randomize_va_space
cut -d' ' -f1,3 /proc/modules`)
	for _, port := range l.bed.TestPorts() {
		mtu, err := l.bed.HostOf(port.Tester).ReadFile(t.Context(), "/sys/class/net/"+port.Tester+"/mtu")
		if err != nil {
			t.Fatal(err)
		}
		out += mtu
	}
	return out
}

// machineTuning is a setting of a machine, and how it can be seen there.
type machineTuning struct {
	name, value string
	read        string   // a line of shell
	want        string   // in what that says, for each port
	cards       []string // that have it; nil: all
}

// machineTunings is the table of them.
var machineTunings = []machineTuning{
	{"gro", "off", "ethtool -k $0; ethtool -k $1", "generic-receive-offload: off\n", nil},
	{"lro", "off", "ethtool -k $0; ethtool -k $1", "rx-gro-hw: off\n", []string{"virtio-net-pci"}},
	{"lro", "on", "ethtool -k $0; ethtool -k $1", "large-receive-offload: on\n", []string{"vmxnet3"}},
	{"tso", "off", "ethtool -k $0; ethtool -k $1", "tcp-segmentation-offload: off\n", nil},
	{"ring", "rx 256 tx 128", "for p in $0 $1; do echo $(ethtool -g $p | grep ^[RT]X:); done", "RX: 256 TX: 128\n", []string{"virtio-net-pci", "e1000e", "igb"}},
	{"ring", "rx 512", "for p in $0 $1; do echo $(ethtool -g $p | grep ^RX:); done", "RX: 512\n", []string{"vmxnet3"}},
	{"queues", "1", "ethtool -l $0; ethtool -l $1", "Combined:\t1\n", []string{"virtio-net-pci", "igb"}},
	{"irq", "1", "for p in $0 $1; do d=/sys/class/net/$p/device; [ -d $d/msi_irqs ] || d=$d/..; for i in $(ls $d/msi_irqs); do cat /proc/irq/$i/smp_affinity_list; done | sort -u; done", "1\n", nil},
	{"rps", "1", "cat /sys/class/net/$0/queues/rx-0/rps_cpus; cat /sys/class/net/$1/queues/rx-0/rps_cpus", "2\n", nil},
	{"flow_control", "off", "for p in $0 $1; do echo $(ethtool -a $p | grep ^[RT]X:); done", "RX: off TX: off\n", []string{"e1000e", "igb"}},
	{"mtu", "9000", "cat /sys/class/net/$0/mtu /sys/class/net/$1/mtu", "9000\n", nil},
	{"qdisc", "pfifo limit 500", "tc qdisc show dev $0; tc qdisc show dev $1", "limit 500p\n", nil},
	{"conntrack", "1000", "for p in $0 $1; do sysctl net.netfilter.nf_conntrack_max; done", "= 1000\n", []string{"virtio-net-pci"}},
	{"sysctl net.core.netdev_budget", "64", "for p in $0 $1; do sysctl net.core.netdev_budget; done", "= 64\n", []string{"virtio-net-pci"}},
	{"sysctl kernel.randomize_va_space", "1", "for p in $0 $1; do sysctl kernel.randomize_va_space; done", "= 1\n", []string{"virtio-net-pci"}},
}

// machineRefusals say what a card cannot be set to, and why.
var machineRefusals = []struct {
	card, name, value, want string
}{
	{"virtio-net-pci", "flow_control", "on", "Operation not supported; its driver has none: leave the level out, or take another card"},
	{"virtio-net-pci", "queues", "3", "port 0 can have 2 at most (combined): take fewer"},
	{"virtio-net-pci", "ring", "512", "port 0 can have 256 at most (tx): take fewer, or one number for each: rx 1024 tx 256"},
	{"e1000e", "lro", "on", "its driver has it off for good"},
	{"e1000e", "queues", "1", "its driver has no such setting"},
	{"igb", "lro", "on", "its driver has it off for good"},
	{"vmxnet3", "flow_control", "on", "its driver has none: leave the level out, or take another card"},
}

// What virtual links have not, a machine with virtio_net has: each is set, can be seen
// there, forwards each frame, and is taken back to the letter. WEIR_TEST_NIC has the
// machine have another card (make test-drivers).
func TestMachineTunings(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	card := cmp.Or(os.Getenv("WEIR_TEST_NIC"), vm.VirtioNet)
	l, opened := openMachine(t, "testbed: {kind: vm, kernel: {debian: 6.12}, cpus: 2, memory: 320, nic: "+card+"}\n"+
		"traffic: {sizes: [64], flows: 64}\nmethods: [{method: throughput}]\n")
	if combined := l.asked(t, "ethtool -l $0 || :"); card == vm.VirtioNet && !strings.HasSuffix(strings.TrimSpace(combined), "Combined:\t2") {
		t.Errorf("a machine with 2 CPUs has the queues\n%s", combined)
	}
	for _, c := range machineRefusals {
		if c.card != card {
			continue
		}
		err := opened.Cannot(t.Context(), weir.ConditionOf(weir.Tuning{Name: c.name, Value: c.value}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: it does not say %q: %v", c.name, c.value, c.want, err)
		}
	}
	before := l.machineState(t)
	for _, c := range machineTunings {
		if c.cards == nil || slices.Contains(c.cards, card) {
			t.Run(c.name+" "+c.value, func(t *testing.T) { l.tune(t, opened, c, before) })
		}
	}
	if card != vm.VirtioNet {
		return
	}
	t.Run("its clock jumps", func(t *testing.T) { l.jump(t, opened) })
	t.Run("it has been overloaded", func(t *testing.T) { l.overload(t, opened) })
}

// tune sets a machine, looks at it, sends frames through it, and takes back what was set.
func (l *portsLab) tune(t *testing.T, opened campaign.Lab, c machineTuning, before string) {
	condition := weir.ConditionOf(weir.Tuning{Name: c.name, Value: c.value})
	if err := opened.Cannot(t.Context(), condition); err != nil {
		t.Fatal(err)
	}
	back, err := opened.Apply(t.Context(), condition)
	if err != nil {
		t.Fatal(err)
	}
	if said := l.asked(t, c.read); strings.Count(said, c.want) != len(l.dut.dut.Ports) {
		t.Errorf("%s says\n%s\nand not %q for each port", c.read, said, c.want)
	}
	// An emulated card drops frames while its machine has no CPU: of several trials one loses none.
	var r weir.TrialResult
	for range testenv.Longer {
		if r, err = opened.Measure(t.Context(), allOf(l.plan.Traffic[0])); err != nil {
			t.Fatal(err)
		}
		if r.Offered > 0 && r.Received == r.Offered {
			break
		}
	}
	if r.Offered == 0 || r.Received != r.Offered || r.Ledger.Unexplained != 0 {
		t.Errorf("%d of %d frames came through: %v", r.Received, r.Offered, r.Ledger)
	}
	if err := back(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := l.machineState(t); now != before {
		t.Errorf("undone it differs: %s", gocmp.Diff(before, now))
	}
}

// overload sends more than the machine forwards, again and again, and then little: a queue
// that was full is read on.
func (l *portsLab) overload(t *testing.T, opened campaign.Lab) {
	for range 3 {
		r, err := opened.Measure(t.Context(), weir.Trial{Traffic: l.plan.Traffic[0], Intended: 300_000, Duration: time.Second, Waits: weir.Waits{Residual: 2 * time.Second}})
		if err != nil || r.Received == 0 || r.Received == r.Offered {
			t.Errorf("under overload %d of %d frames came through: %v", r.Received, r.Offered, err)
		}
		r, err = opened.Measure(t.Context(), allOf(l.plan.Traffic[0]))
		if err != nil || r.Offered == 0 || r.Received != r.Offered {
			t.Errorf("after overload %d of %d frames came through: %v, %v", r.Received, r.Offered, r.Ledger, err)
		}
	}
}

// jump sets the machine's clock a day on while frames go through it.
func (l *portsLab) jump(t *testing.T, opened campaign.Lab) {
	const set = `date -s @$(($(date +%s) + `
	l.asked(t, "(sleep 1; "+set+"86400))) </dev/null >/dev/null 2>&1 &")
	began := time.Now().Unix()
	r, err := opened.Measure(t.Context(), weir.Trial{Traffic: l.plan.Traffic[0], Intended: few / 2, Duration: 2 * time.Second, Waits: weir.Waits{Residual: never}})
	if err != nil || r.Offered == 0 || r.Received != r.Offered || r.Ledger.Unexplained != 0 {
		t.Errorf("%d of %d frames came through: %v, %v", r.Received, r.Offered, r.Ledger, err)
	}
	testenv.Await(t, "its clock has jumped", func() bool {
		now, err := strconv.ParseInt(strings.TrimSpace(l.asked(t, "date +%s")), 10, 64)
		return err == nil && now > began+80_000
	})
	l.asked(t, set+"-86400))")
}
