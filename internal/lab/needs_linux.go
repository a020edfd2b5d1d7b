package lab

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"weir"
	"weir/internal/agent"
	"weir/internal/dut"
	"weir/internal/packages"
	"weir/internal/plan"
	"weir/internal/testbed"
)

// A Tool is a program that labs run, of a package of Debian and Ubuntu.
type Tool struct {
	Name, Package string
	Purpose       string // for which it is needed
	needed        func(plan.Plan) bool
	// Basic says that weir bench, versus and ports take it, and that its package starts nothing.
	Basic bool
}

// Tools is the table of them. Every lab needs the first.
var Tools = []Tool{
	{"ip", "iproute2", "every lab", func(plan.Plan) bool { return true }, true},
	{"tc", "iproute2", "policers of kind tbf, and queueing disciplines", func(p plan.Plan) bool {
		return p.DUT.Policer.Kind == "tbf" || tunedBy(p, "tc")
	}, true},
	{"nft", "nftables", "filters, firewalls, and policers of kind nft", func(p plan.Plan) bool {
		return p.DUT.Policer.Kind == "nft" || under(p, func(c weir.Condition) bool {
			return c.Filters() > 0 || c.Firewall().Kind != "" && c.Firewall().With != weir.IPTables
		})
	}, true},
	{"iptables", "iptables", "firewalls with iptables", filtersIPTables, false},
	{"ip6tables", "iptables", "firewalls with iptables", filtersIPTables, false},
	{"conntrack", "conntrack", "firewalls that remember connections", func(p plan.Plan) bool {
		return under(p, func(c weir.Condition) bool {
			return c.Firewall().Kind == weir.Stateful || c.Firewall().Kind == weir.NAT
		})
	}, true},
	{"ethtool", "ethtool", "settings of the ports' drivers", func(p plan.Plan) bool {
		return p.Testbed.Kind == plan.Ports && !p.Testbed.Hosted() || p.Testbed.Kind == plan.VM || tunedBy(p, "ethtool")
	}, true},
	{"ssh", "openssh-client", "hosts behind SSH", func(p plan.Plan) bool {
		_, far := p.Testbed.FarHosts()
		return p.DUT.Host != "" || far || p.Testbed.Hosted()
	}, false},
	{"pppd", "ppp", "sessions of the kernel's PPP", dialsKernel, false},
	{"pppoe-server", "pppoe", "sessions of the kernel's PPP", dialsKernel, false},
	{"bird", "bird2", "routes by BGP, and routing updates", learns, false},
	{"birdc", "bird2", "routes by BGP, and routing updates", learns, false},
	{"snmpd", "snmpd", "management queries", func(p plan.Plan) bool {
		return under(p, func(c weir.Condition) bool { return c.Management() })
	}, false},
}

// atTester are the tools that a tester needs whose DUT has a host of its own.
var atTester = []string{"ip", "ethtool", "ssh"}

// tunedBy reports whether a plan has tunings that a program sets.
func tunedBy(p plan.Plan, program string) bool {
	return under(p, func(c weir.Condition) bool {
		return slices.ContainsFunc(c.Tunings(), func(t weir.Tuning) bool { return slices.Contains(dut.Info(t).Needs, program) })
	})
}

// filtersIPTables reports whether a plan has firewalls that iptables sets.
func filtersIPTables(p plan.Plan) bool {
	return under(p, func(c weir.Condition) bool { return c.Firewall().Kind != "" && c.Firewall().With == weir.IPTables })
}

// dialsKernel reports whether a plan has sessions of PPPoE that are the kernel's.
func dialsKernel(p plan.Plan) bool {
	return under(p, func(c weir.Condition) bool { return c.Access().PPPoE == weir.KernelPPP })
}

// learns reports whether a plan needs a routing daemon.
func learns(p plan.Plan) bool {
	return under(p, func(c weir.Condition) bool {
		return c.Updates() || c.Routes().Count > 0 && c.Routes().Via == weir.ViaBGP
	})
}

// under reports whether some level of a plan is under such a condition.
func under(p plan.Plan, such func(weir.Condition) bool) bool {
	return slices.ContainsFunc(p.Parts(), func(part plan.Plan) bool {
		return slices.ContainsFunc(part.Levels, func(l plan.Level) bool { return such(l.Condition) })
	})
}

// Present reports whether a tool is installed. BusyBox's of that name does not have what labs
// ask for (ip -json).
func (t Tool) Present() bool {
	places := []string{t.Name}
	for _, folder := range testbed.SystemFolders {
		places = append(places, filepath.Join(folder, t.Name))
	}
	return slices.ContainsFunc(places, func(place string) bool {
		path, err := exec.LookPath(place)
		if err != nil {
			return false
		}
		program, err := filepath.EvalSymlinks(path)
		return err != nil || filepath.Base(program) != "busybox"
	})
}

// netnsLacks says what of a plan's lab this machine does not have: one line for
// each thing.
func netnsLacks(p plan.Plan) error {
	var errs []error
	if _, err := testbed.PlaceCPUs(runtime.NumCPU(), p.Testbed.CPUs); err != nil {
		errs = append(errs, weir.Wrong("testbed.cpus: %v;", err).Advise("take others, or leave them out, and weir chooses"))
	}
	errs = append(errs, toolsLacking(p)...)
	errs = append(errs, checkCaptures(p))
	if os.Geteuid() == 0 && under(p, func(c weir.Condition) bool { return c.NAPI() == weir.BusyPoll }) {
		errs = append(errs, agent.CanPoll())
	}
	if dialsKernel(p) {
		errs = append(errs, kernelPPP())
	}
	return errors.Join(errs...)
}

// toolsLacking are the programs that a plan needs and that are not here.
func toolsLacking(p plan.Plan) (errs []error) {
	if hook := p.DUT.ResetHook; len(hook) > 0 {
		if _, err := exec.LookPath(hook[0]); err != nil {
			errs = append(errs, weir.Wrong("dut.reset_hook: %q cannot be run (%s)", hook[0], reason(err)).Advise("give the path of a program that is here"))
		}
	}
	var lacking []string
	for _, t := range Tools {
		if p.IsCommanded() && !slices.Contains(atTester, t.Name) {
			continue // it is the DUT that has to have it
		}
		if t.needed(p) && !t.Present() && !slices.Contains(lacking, t.Package) {
			lacking = append(lacking, t.Package)
			errs = append(errs, weir.Wrong("there is no %s here, which the plan needs for %s", t.Name, t.Purpose).Advise("%s", packages.Advice(t.Package)))
		}
	}
	return errs
}

// reason is why a program was not found, without its name.
func reason(err error) string {
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return strings.TrimPrefix(err.Error(), "exec: ")
}
