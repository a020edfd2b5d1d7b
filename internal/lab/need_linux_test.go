package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a lab needs is missed by its name, and in one line that says what to do.
func TestLacking(t *testing.T) {
	const all, first = "CapEff:\t000001ffffffffff\n", "         0          0 4294967295\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing is known":  {nil, ""},
		"all":               {map[string]string{"proc/self/status": "Name:\tweir\n" + all, "proc/self/uid_map": first}, ""},
		"no NET_ADMIN":      {map[string]string{"proc/self/status": "CapEff:\t000001ffffffefff\n"}, "lacks CAP_NET_ADMIN"},
		"no NET_RAW":        {map[string]string{"proc/self/status": "CapEff:\t000001ffffffdfff\n"}, "--cap-add NET_RAW"},
		"no SYS_ADMIN":      {map[string]string{"proc/self/status": "CapEff:\t000001ffffdfffff\n"}, "lacks CAP_SYS_ADMIN"},
		"no SYS_NICE":       {map[string]string{"proc/self/status": "CapEff:\t000001ffff7fffff\n"}, "lacks CAP_SYS_NICE"},
		"no KILL":           {map[string]string{"proc/self/status": "CapEff:\t000001ffffffffdf\n"}, "lacks CAP_KILL"},
		"users of its own":  {map[string]string{"proc/self/uid_map": "0 1000 1\n"}, "user namespace"},
		"kernel's threads":  {map[string]string{"proc/1/comm": "systemd\n", "proc/2/comm": "kthreadd\n", "proc/sys/net/x": ""}, ""},
		"a container":       {map[string]string{"proc/1/comm": "weir\n", "proc/2/comm": "sh\n"}, "--pid host"},
		"alone in one":      {map[string]string{"proc/1/comm": "weir\n"}, "--pid host"},
		"few tasks":         {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/pids.max": "70", "sys/fs/cgroup/a/pids.current": "60"}, "10 more processes and threads"},
		"none left":         {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/pids.max": "9", "sys/fs/cgroup/pids.current": "12"}, "0 more processes"},
		"many tasks":        {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/pids.max": "700", "sys/fs/cgroup/a/pids.current": "60"}, ""},
		"no limit":          {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/pids.max": "max", "sys/fs/cgroup/a/pids.current": "60"}, ""},
		"cgroups version 1": {map[string]string{"proc/self/cgroup": "8:pids:/a\n0::/\n", "sys/fs/cgroup/pids/a/pids.max": "20", "sys/fs/cgroup/pids/a/pids.current": "1"}, "19 more processes"},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			file = filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		if err := errors.Join(lacking(root, append(rights, rightsOfMachines...)), container(root)); err != nil {
			got = err.Error()
		}
		if got == "" != (c.want == "") || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
