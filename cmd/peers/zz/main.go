package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"weir/internal/netif"
	"weir/internal/xdp"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}
func main() {
	sec := flag.Float64("s", 1, "")
	settle := flag.Float64("w", 0.5, "")
	cpu := flag.String("cpu", "0", "")
	pre := flag.String("pre", "", "")
	hook := flag.String("hook", "", "")
	cap := flag.Bool("cap", false, "")
	flag.Parse()
	ns, err := netif.NewNamespace()
	must(err)
	a := netif.End{Namespace: ns, Name: fmt.Sprintf("wz%da", os.Getpid())}
	b := netif.End{Namespace: ns, Name: fmt.Sprintf("wz%db", os.Getpid())}
	must(netif.Veth(a, b, 2, 1500))
	var sink *xdp.Sink
	run := func(s string) {
		s = strings.ReplaceAll(s, "DEV", a.Name)
		s = strings.ReplaceAll(s, "SNK", b.Name)
		c := exec.Command("sh", "-c", s)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		must(ns.Do(c.Run))
	}
	if *pre != "" {
		run(*pre)
	}
	if !*cap {
		must(ns.Do(func() error {
			i, err := netif.Index(b.Name)
			must(err)
			sink, err = xdp.NewSink(i)
			must(err)
			_, err = netif.ThreadNAPI(b.Name, []int{1})
			return err
		}))
	}
	sh := strings.ReplaceAll(strings.Join(flag.Args(), " "), "DEV", a.Name)
	sh = strings.ReplaceAll(sh, "SNK", b.Name)
	c := exec.Command("sh", "-c", "exec "+sh)
	in, _ := c.StdinPipe()
	defer in.Close()
	f, _ := os.Create("/tmp/peers.log")
	c.Stdout, c.Stderr = f, f
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWPID}
	must(ns.Do(func() error {
		if *cpu != "" {
			n := []int{0}
			if *cpu == "1" {
				n = []int{1}
			}
			if *cpu == "01" {
				n = []int{0, 1}
			}
			must(netif.Pin(0, n))
		}
		defer netif.Pin(0, []int{0, 1})
		return c.Start()
	}))
	if *hook != "" {
		time.Sleep(1500 * time.Millisecond)
		run(*hook)
	}
	if *cap {
		time.Sleep(time.Duration(*sec * 1e9))
		c.Process.Signal(syscall.SIGINT)
		time.Sleep(time.Second)
		c.Process.Kill()
		return
	}
	end := time.Now().Add(8 * time.Second)
	for {
		n, _ := sink.Count()
		if n > 20 || time.Now().After(end) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(time.Duration(*settle * 1e9))
	var cnt [3]uint64
	var tm [3]time.Time
	for i := range cnt {
		cnt[i], _ = sink.Count()
		tm[i] = time.Now()
		time.Sleep(time.Duration(*sec / 2 * 1e9))
	}
	c.Process.Signal(syscall.SIGINT)
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		fmt.Println("exit", err)
	case <-time.After(3 * time.Second):
		fmt.Println("kill")
		c.Process.Kill(); <-done
	}
	fmt.Printf("RATE %.0f k (%.0f k, %.0f k)\n", float64(cnt[2]-cnt[0])/tm[2].Sub(tm[0]).Seconds()/1e3, float64(cnt[1]-cnt[0])/tm[1].Sub(tm[0]).Seconds()/1e3, float64(cnt[2]-cnt[1])/tm[2].Sub(tm[1]).Seconds()/1e3)
	ns.Do(func() error {
		x, _ := netif.ReadCounters(a.Name)
		y, _ := netif.ReadCounters(b.Name)
		for k, v := range x {
			if v > 0 {
				fmt.Print(" a.", k, "=", v)
			}
		}
		for k, v := range y {
			if v > 0 {
				fmt.Print(" b.", k, "=", v)
			}
		}
		fmt.Println()
		return nil
	})
	run("ip -s link show dev DEV | tail -4; ip link show dev DEV | head -1; ls /var/run/dpdk 2>/dev/null")
	ns.Close()
}
