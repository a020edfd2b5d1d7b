package plan

import "weir"

// restartable notes a DUT that cannot be started anew between runs as the plan says; n is
// where the runs are.
func (r *reader) restartable(n node, p *Plan) {
	e := p.Experiment
	if e == nil || e.Reset != weir.Reboot && e.Reset != weir.Power {
		return
	}
	at, said := n.find("reset")
	if !said {
		return
	}
	beds := []Testbed{p.Testbed}
	for _, l := range p.Levels {
		if l.Testbed != nil {
			beds = append(beds, *l.Testbed)
		}
	}
	for _, t := range beds {
		_, far := t.FarHosts()
		switch {
		case t.Kind == Sim:
			continue
		case t.Kind == NetNS:
			r.wrong(at, "the DUT is in the kernel of this machine, which would end with weir: take %s, or a DUT that is a machine of its own (testbed: {kind: vm}, or kind ports)", weir.Rebuild)
		case far:
			r.wrong(at, "the DUT cannot be started anew between runs where the tester's ports are on other machines: take %s", weir.Reapply)
		case e.Reset == weir.Reboot && !p.Told():
			r.wrong(at, "weir cannot have a DUT reboot that it cannot tell anything: take %s with a command that does it (dut: {reset_hook: [...]}), or say where it can be told things (dut: {host: \"ssh://root@r1\"})", weir.Power)
		case e.Reset == weir.Power && t.Kind == Ports && len(p.DUT.ResetHook) == 0:
			r.wrong(at, "which command takes the power of the box away for 10 s, and gives it back? dut: {reset_hook: [/usr/local/bin/power-cycle, port7]}, say")
		default:
			continue
		}
		return // once
	}
}
