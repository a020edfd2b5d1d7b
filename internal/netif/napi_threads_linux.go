package netif

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink/nl"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"weir/internal/processes"
)

// NAPIThreads are the process IDs of the kernel threads that serve the queues of a
// port of the calling thread's namespace, in the order in which the kernel made
// them; none where these run in softirq.
func NAPIThreads(name string) ([]int, error) {
	serving, err := napiThreads(name)
	return slices.Sorted(maps.Keys(serving)), err
}

// NAPIs are the instances of NAPI that the kernel threads of a port of the calling
// thread's namespace serve, in the order of its queues. They hold while the port is up.
func NAPIs(name string) ([]uint32, error) {
	serving, err := napiThreads(name)
	all := slices.Sorted(maps.Values(serving))
	return slices.DeleteFunc(all, func(id uint32) bool { return id == 0 }), err
}

// napiThreads are the threads of a port, by the instance of NAPI that each serves; 0 is
// one that only sends, which has no number. Before Linux 6.8 the kernel does not say which
// they are: there they are found by the name of the port, which has to be unique on the
// machine. It never says that of those without a number, which hardware alone has.
func napiThreads(name string) (serving map[int]uint32, err error) {
	index, err := Index(name)
	if err != nil {
		return nil, err
	}
	serving, err = askNAPIThreads(index)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP):
		return namedNAPIThreads(name)
	case err != nil:
		return nil, fmt.Errorf("ask which threads serve %s: %w", name, err)
	}
	// In a container with processes of its own the number is another one's.
	maps.DeleteFunc(serving, func(pid int, _ uint32) bool { return !strings.HasPrefix(kernelThread(pid), napiPrefix) })
	virtual, err := Virtual(name)
	if err != nil || virtual {
		return serving, err
	}
	named, err := namedNAPIThreads(name)
	for pid, id := range named {
		if _, found := serving[pid]; !found && id == 0 {
			serving[pid] = 0
		}
	}
	return serving, err
}

// napiPrefix begins the names of these threads, "napi/<port>-<id>". The port may have
// another name by now, and the id is 0 of a thread that was there before its port was up
// (Linux 6.18).
const napiPrefix = "napi/"

// kernelThread is the name of a thread of the kernel's own; "" where it has ended, or is a
// process, which calls itself as it likes.
func kernelThread(pid int) string {
	s, err := processes.ReadOwn(pid)
	if err != nil || !s.OfKernel() {
		return ""
	}
	return s.Name
}

// askNAPIThreads asks the kernel for the threads of a port, and which instance each serves.
func askNAPIThreads(index int) (map[int]uint32, error) {
	const (
		command      = 11 // NETDEV_CMD_NAPI_GET of linux/netdev.h
		ifindex      = 1  // NETDEV_A_NAPI_IFINDEX
		id, threadID = 2, 4
	)
	family, err := netdevFamily()
	if err != nil {
		return nil, err
	}
	request := nl.NewNetlinkRequest(int(family), unix.NLM_F_DUMP)
	request.AddRawData(genericHeader(command))
	request.AddRawData(nl.NewRtAttr(ifindex, nl.Uint32Attr(uint32(index))).Serialize())
	answers, err := dump(request)
	if err != nil {
		return nil, err
	}
	serving := make(map[int]uint32)
	for _, a := range answers {
		said, err := nl.ParseRouteAttr(a[nl.SizeofGenlmsg:])
		if err != nil {
			return nil, err
		}
		words := make(map[uint16]uint32)
		for _, s := range said {
			if len(s.Value) == 4 {
				words[s.Attr.Type] = binary.NativeEndian.Uint32(s.Value)
			}
		}
		if pid, ok := words[threadID]; ok {
			serving[int(pid)] = words[id]
		}
	}
	return serving, nil
}

// netdevFamily asks the kernel for the number of the family "netdev" of generic netlink.
func netdevFamily() (uint16, error) {
	request := nl.NewNetlinkRequest(nl.GENL_ID_CTRL, 0)
	request.AddRawData(genericHeader(nl.GENL_CTRL_CMD_GETFAMILY))
	request.AddRawData(nl.NewRtAttr(nl.GENL_CTRL_ATTR_FAMILY_NAME, nl.ZeroTerminated("netdev")).Serialize())
	answers, err := request.Execute(unix.NETLINK_GENERIC, 0)
	if err != nil {
		return 0, err
	}
	for _, a := range answers {
		attributes, err := nl.ParseRouteAttr(a[nl.SizeofGenlmsg:])
		if err != nil {
			return 0, err
		}
		for _, attribute := range attributes {
			if attribute.Attr.Type == nl.GENL_CTRL_ATTR_FAMILY_ID && len(attribute.Value) == 2 {
				return binary.NativeEndian.Uint16(attribute.Value), nil
			}
		}
	}
	return 0, unix.ENOENT
}

// genericHeader begins a message of generic netlink. The library's own has two octets and
// reads four.
func genericHeader(command byte) []byte { return []byte{command, 1, 0, 0} }

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
func namedNAPIThreads(name string) (map[int]uint32, error) {
	comms, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	serving := make(map[int]uint32)
	for _, file := range comms {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		number, found := strings.CutPrefix(kernelThread(pid), napiPrefix+name+"-")
		if id, err := strconv.ParseUint(number, 10, 32); found && err == nil {
			serving[pid] = uint32(id)
		}
	}
	return serving, nil
}
