// Package layers holds what keeps the tree in order: who may import whom, and
// the rules of the house that a program can check. It is tests alone.
package layers

// anything, in a list of imports, allows every package of weir's.
const anything = "*"

// layers says which packages of weir's a package may import: a line for
// each package, and a package without a line is a violation. Tests may import
// what they need.
var layers = []struct{ importer, allowed string }{
	{"weir", ""},
	{"weir/frame", "weir weir/fib weir/internal/infile"},
	{"weir/search", "weir"},
	{"weir/sweep", "weir"},
	{"weir/fib", "weir"},
	{"weir/internal/claim", "weir weir/fib weir/frame weir/stats"},
	{"weir/internal/losses", "weir weir/frame"},
	{"weir/internal/method", "weir weir/frame weir/search weir/sweep weir/internal/claim weir/internal/losses weir/internal/warning weir/stats"},
	{"weir/internal/schema", ""},
	{"weir/internal/plan", "weir weir/internal/schema weir/fib weir/frame weir/internal/claim weir/internal/dut weir/internal/method weir/internal/sim weir/internal/visible"},
	{"weir/internal/sim", "weir weir/frame weir/internal/schema"},
	{"weir/internal/campaign", "weir weir/frame weir/stats weir/internal/claim weir/internal/method weir/internal/plan weir/internal/proof weir/internal/warning"},
	{"weir/stats", "weir"},
	{"weir/internal/warning", "weir"},
	{"weir/internal/proof", "weir weir/stats weir/internal/claim weir/internal/method weir/internal/result weir/internal/warning"},
	{"weir/internal/importer", "weir weir/internal/infile"},
	{"weir/internal/history", "weir"},
	{"weir/internal/uplink", ""},
	{"weir/internal/visible", ""},
	{"weir/internal/infile", ""},
	{"weir/internal/outfile", ""},
	{"weir/internal/processes", "weir"},
	{"weir/internal/settings", "weir weir/internal/outfile weir/internal/processes"},
	{"weir/internal/audit", "weir weir/internal/processes weir/internal/settings weir/internal/uplink"},
	{"weir/internal/netif", "weir weir/internal/processes weir/internal/settings weir/internal/uplink"},
	{"weir/internal/xdp", "weir weir/frame"},
	{"weir/internal/tester", "weir weir/frame weir/internal/netif weir/internal/settings weir/internal/xdp"},
	{"weir/internal/testbed", "weir weir/internal/locks weir/internal/netif weir/internal/outfile weir/internal/processes weir/internal/settings weir/internal/tail"},
	{"weir/internal/packages", ""},
	{"weir/internal/tail", ""},
	{"weir/internal/locks", ""},
	{"weir/internal/shell", "weir weir/internal/settings weir/internal/tail"},
	{"weir/internal/ssh", "weir/internal/packages weir/internal/processes weir/internal/shell weir/internal/tail"},
	{"weir/internal/vm", "weir/internal/infile weir/internal/locks weir/internal/outfile weir/internal/packages weir/internal/processes weir/internal/shell weir/internal/tail"},
	{"weir/internal/wiring", "weir weir/frame weir/internal/netif"},
	{"weir/internal/dut", "weir weir/internal/settings"},
	{"weir/internal/telemetry", "weir weir/internal/processes"},
	{"weir/internal/service", "weir weir/internal/settings"},
	{"weir/internal/workload", "weir weir/internal/agent weir/internal/service weir/internal/endhost"},
	{"weir/internal/endhost", "weir weir/frame weir/internal/agent weir/internal/netif weir/internal/pppoe weir/internal/xdp"},
	{"weir/internal/agent", "weir weir/fib weir/internal/processes weir/internal/service weir/internal/snmp"},
	{"weir/internal/remote", "weir weir/internal/agent weir/internal/netif weir/internal/settings weir/internal/telemetry weir/internal/testbed weir/internal/tester weir/internal/wiring"},
	{"weir/internal/snmp", "weir"},
	{"weir/internal/pppoe", ""},
	{"weir/internal/sqlite", "weir weir/internal/infile weir/internal/outfile"},
	{"weir/internal/chart", "weir"},
	{"weir/internal/document", "weir/internal/chart"},
	{"weir/internal/result", "weir weir/stats weir/internal/claim weir/internal/method weir/internal/warning"},
	{"weir/internal/figures", "weir weir/internal/result weir/internal/claim weir/frame weir/stats weir/internal/visible weir/internal/chart weir/internal/document weir/internal/method weir/internal/proof weir/internal/warning"},
	{"weir/internal/report", "weir weir/internal/result weir/internal/claim weir/internal/figures weir/stats weir/internal/visible weir/internal/chart weir/internal/document weir/internal/method weir/internal/proof weir/internal/warning"},
	{"weir/internal/tokens", "weir/internal/infile weir/internal/locks weir/internal/outfile"},
	{"weir/internal/jobs", "weir/internal/processes weir/internal/tail"},
	{"weir/docs", ""},
	{"weir/internal/serve", "weir weir/docs weir/internal/plan weir/stats weir/internal/infile weir/internal/outfile weir/internal/jobs weir/internal/sqlite weir/internal/tokens weir/internal/report weir/internal/result weir/internal/figures weir/internal/visible weir/internal/chart weir/internal/document weir/internal/proof"},
	{"weir/internal/testenv", ""},
	{"weir/internal/testenv/samples", "weir weir/internal/claim"},
	{"weir/internal/testenv/sandbox", "weir/internal/testenv"},
	{"weir/internal/testenv/wires", "weir/frame"},
	{"weir/internal/lab", "weir weir/fib weir/frame weir/internal/agent weir/internal/audit weir/internal/campaign weir/internal/dut weir/internal/endhost weir/internal/method weir/internal/netif weir/internal/packages weir/internal/plan weir/internal/processes weir/internal/remote weir/internal/service weir/internal/settings weir/internal/shell weir/internal/sim weir/internal/snmp weir/internal/ssh weir/internal/telemetry weir/internal/testbed weir/internal/tester weir/internal/vm weir/internal/wiring weir/internal/workload weir/internal/xdp"},
	{"weir/cmd/agent", "weir weir/internal/agent weir/internal/endhost"},
	{"weir/cmd/weir", anything},
	{"weir/tools/disturb", ""},
	{"weir/tools/module", ""},
	{"weir/tools/peers", anything},
	{"weir/tools/truth", anything},
	{"weir/tools/typecheck", ""},
	{"weir/tools/verify", ""},
}

// owners says which packages may import something that few should: a prefix of
// import paths, and the importers. Every third-party module has a line, and one
// without is a violation; of the standard library only what is named is held.
var owners = []struct{ prefix, importers string }{
	{"github.com/cilium/ebpf", "weir/internal/xdp"},
	{"github.com/vishvananda/", "weir/internal/netif"},
	{"golang.zx2c4.com/wireguard", "weir/internal/netif"},
	{"database/sql", "weir/internal/sqlite"},
	{"modernc.org/", "weir/internal/sqlite"},
	{"github.com/goccy/go-yaml", "weir/internal/plan"},
	{"github.com/spf13/", "weir/cmd/weir"},
	{"github.com/cpuguy83/go-md2man/", "weir/cmd/weir"},
	{"golang.org/x/term", "weir/cmd/weir"},
	{"github.com/osrg/gobgp/", "weir/internal/agent"},
	{"github.com/gosnmp/", "weir/internal/snmp"},
	{"github.com/gopacket/", "weir/frame weir/internal/wiring weir/tools/truth"},
	{"gonum.org/", "weir/stats weir/sweep"},
	{"golang.org/x/mod/", "weir/tools/module"},
	{"golang.org/x/net/", "weir/internal/agent"},
	{"github.com/danielgtaylor/huma/", "weir/internal/serve"},
	{"golang.org/x/sys", "weir/internal/agent weir/internal/xdp weir/internal/netif weir/internal/tester weir/internal/locks weir/internal/testbed weir/internal/wiring weir/internal/telemetry weir/internal/endhost weir/internal/remote weir/internal/testenv/wires weir/internal/testenv/sandbox weir/internal/lab weir/internal/sqlite weir/internal/vm weir/cmd/weir weir/tools/disturb weir/tools/peers"},
	{"os/exec", "weir/internal/agent weir/internal/jobs weir/internal/processes weir/internal/ssh weir/internal/vm weir/internal/testbed weir/internal/testenv weir/internal/testenv/sandbox weir/internal/lab weir/cmd/weir weir/tools/disturb weir/tools/peers weir/tools/truth weir/tools/typecheck weir/tools/verify"},
	{"reflect", ""},
	{"weir/internal/testenv", "weir/internal/testenv/sandbox weir/tools/truth"},
}

// vague are names that say nothing of what a package holds.
var vague = []string{"util", "utils", "common", "helper", "helpers", "manager", "managers", "types", "misc", "base"}

// maxLines is how long a file of code may be, unless it is generated or a
// table (NAME_table.go).
const maxLines = 600

// maxFunction is how long a function may be, but for a table.
const maxFunction = 80
