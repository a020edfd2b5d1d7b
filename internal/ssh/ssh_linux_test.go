package ssh

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"weir/internal/testenv"
)

// Under sudo the client has the groups of the user that called it, and none of root's.
func TestGroupsUnderSudo(t *testing.T) {
	testenv.NeedRoot(t)
	const user = "daemon" // a system has it, with groups of its own or none
	group := func(option string) string {
		said, err := exec.Command("id", option, user).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(said))
	}
	old, err := os.Getgroups()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setgroups([]int{0, 4}); err != nil { // as root has at a login
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setgroups(old); err != nil {
			t.Error(err)
		}
	})
	folder := t.TempDir()
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil { // the user is to find it
		t.Fatal(err)
	}
	client := filepath.Join(folder, "client")
	if err := os.WriteFile(client, []byte("#!/bin/sh\nexec sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Program, client)
	t.Setenv("SUDO_UID", group("-u"))
	t.Setenv("SUDO_GID", group("-g"))
	h, err := Dial(t.Context(), "ssh://r1", folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	said, err := h.Run(t.Context(), "", "id", "-G")
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Fields(said), strings.Fields(group("-G"))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the client has the groups %v, and %s has %v", got, user, want)
	}
}

// What would have a host key pass that is not known holds neither by the configuration nor by
// options of WEIR_SSH.
func TestHostKeysAreLookedAt(t *testing.T) {
	testenv.NeedTool(t, "ssh")
	folder := t.TempDir()
	config, client := filepath.Join(folder, "config"), filepath.Join(folder, "ssh")
	asked := "Host *\nStrictHostKeyChecking no\nNoHostAuthenticationForLocalhost yes\nVerifyHostKeyDNS yes\n"
	if err := os.WriteFile(config, []byte(asked), 0o600); err != nil {
		t.Fatal(err)
	}
	own, err := exec.LookPath("ssh")
	if err != nil {
		t.Fatal(err)
	}
	said := filepath.Join(folder, "said") // by ssh, which says what it would do, and does nothing
	if err := os.WriteFile(client, []byte("#!/bin/sh\n"+own+" -G \"$@\" >"+said+"\nexec sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Program, client+" -F "+config+" -o StrictHostKeyChecking=no -o NoHostAuthenticationForLocalhost=yes -o VerifyHostKeyDNS=yes")
	h, err := Dial(t.Context(), "ssh://localhost", folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	text, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"stricthostkeychecking true", "nohostauthenticationforlocalhost no", "verifyhostkeydns false"} {
		if !slices.Contains(strings.Split(string(text), "\n"), want) {
			t.Errorf("no %q in what ssh has:\n%s", want, text)
		}
	}
}
