package dut

// Rebooter is a Platform that can start its machine anew.
type Rebooter interface {
	// Reboot is the command that has the system start the machine anew. It returns before
	// it does, or is cut off.
	Reboot() []string
}

// linuxReboot leaves it to whoever is init. A shell that is init, as in the machine that
// package vm makes, heeds no signal: there the kernel is told.
const linuxReboot = `if [ -d /run/systemd/system ]; then systemctl reboot; elif [ "$(cat /proc/1/comm)" = sh ]; then reboot -f; else reboot; fi </dev/null >/dev/null 2>&1 &`

// Reboot works with any init.
func (linux) Reboot() []string { return []string{"sh", "-c", linuxReboot} }

// Reboot ends the daemons first, as shutdown(8) says.
func (bsd) Reboot() []string { return []string{"shutdown", "-r", "now"} }
