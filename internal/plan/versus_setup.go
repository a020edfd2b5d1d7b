package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// SetUp is the command line of an arm: itself, or that for a file. One that stays in
// the foreground and does nothing leaves the forwarding to the kernel.
func SetUp(arm string, foreground bool) (string, error) {
	switch {
	case strings.TrimSpace(arm) == "" && foreground:
		return "exec sleep infinity", nil
	case strings.TrimSpace(arm) == "":
		return "true", nil
	}
	info, err := os.Stat(arm)
	if err != nil || !info.Mode().IsRegular() {
		if filepath.Ext(arm) == ".nft" && !strings.ContainsAny(arm, " \t\n") {
			return "", fmt.Errorf("there is no rule set %s: give a file that is there, or a command", arm)
		}
		return arm, nil
	}
	path, err := filepath.Abs(arm)
	if err != nil {
		return "", err
	}
	quoted := "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	switch {
	case filepath.Ext(path) == ".nft":
		return "nft -f " + quoted, nil
	case info.Mode()&0o111 != 0:
		return quoted, nil
	}
	return "sh " + quoted, nil
}
