package netif

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// NAPIThreads are the process IDs of the kernel threads that serve the queues of a
// port of the calling thread's namespace, in the order in which the kernel made
// them; none where these run in softirq. Before Linux 6.8 the kernel does not say
// which they are: there they are found by the name of the port, which has to be
// unique on the machine.
func NAPIThreads(name string) ([]int, error) {
	index, err := Index(name)
	if err != nil {
		return nil, err
	}
	threads, err := askNAPIThreads(index)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP):
		return namedNAPIThreads(name)
	case err != nil:
		return nil, fmt.Errorf("ask which threads serve %s: %w", name, err)
	}
	var found []int
	for _, pid := range threads {
		// In a container with processes of its own the number is another one's. The name says
		// no more: a port that was down and up again has threads called napi/PORT-0.
		if strings.HasPrefix(threadName(pid), napiPrefix) {
			found = append(found, pid)
		}
	}
	slices.Sort(found)
	return found, nil
}

// napiPrefix begins the names of these threads, "napi/<port>-<id>". The port may have
// another name by now.
const napiPrefix = "napi/"

// askNAPIThreads asks the kernel for the threads of a port.
func askNAPIThreads(index int) (threads []int, err error) {
	const (
		command  = 11 // NETDEV_CMD_NAPI_GET of linux/netdev.h
		ifindex  = 1  // NETDEV_A_NAPI_IFINDEX
		threadID = 4  // NETDEV_A_NAPI_PID
	)
	family, err := netlink.GenlFamilyGet("netdev")
	if err != nil {
		return nil, err
	}
	request := nl.NewNetlinkRequest(int(family.ID), unix.NLM_F_DUMP)
	request.AddRawData([]byte{command, byte(family.Version), 0, 0}) // nl.Genlmsg leaves the last two to chance
	request.AddRawData(nl.NewRtAttr(ifindex, nl.Uint32Attr(uint32(index))).Serialize())
	answers, err := dump(request)
	if err != nil {
		return nil, err
	}
	for _, a := range answers {
		said, err := nl.ParseRouteAttr(a[nl.SizeofGenlmsg:])
		if err != nil {
			return nil, err
		}
		for _, s := range said {
			if s.Attr.Type == threadID && len(s.Value) == 4 {
				threads = append(threads, int(binary.NativeEndian.Uint32(s.Value)))
			}
		}
	}
	return threads, nil
}

// dump is what the kernel answers to a request of generic netlink, until it says that
// this is all. The library's Execute ends with the first answer that does not say that
// others follow, and the answers of this family do not.
func dump(request *nl.NetlinkRequest) (answers [][]byte, err error) {
	socket, err := nl.GetNetlinkSocketAt(netns.None(), netns.None(), unix.NETLINK_GENERIC)
	if err != nil {
		return nil, err
	}
	defer socket.Close()
	if err := socket.Send(request); err != nil {
		return nil, err
	}
	for {
		messages, _, err := socket.Receive()
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			if m.Header.Type != unix.NLMSG_DONE && m.Header.Type != unix.NLMSG_ERROR {
				answers = append(answers, m.Data)
				continue
			}
			if len(m.Data) >= 4 {
				if code := int32(binary.NativeEndian.Uint32(m.Data)); code != 0 {
					return nil, unix.Errno(-code)
				}
			}
			return answers, nil
		}
	}
}

// namedNAPIThreads are the threads of all ports of the machine that have a name.
func namedNAPIThreads(name string) ([]int, error) {
	comms, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return nil, err
	}
	var found []int
	for _, file := range comms {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && strings.HasPrefix(threadName(pid), napiPrefix+name+"-") {
			found = append(found, pid)
		}
	}
	slices.Sort(found)
	return found, nil
}
