package testbed

import (
	"context"

	"weir"
	"weir/internal/settings"
)

// addEnds makes end hosts of the namespaces that the ports are in. Their programs run
// where the tester would work.
func (p *Ports) addEnds(ctx context.Context) error {
	if err := makeFolders(func(f folders) error {
		p.folders = f
		return p.entry().renew(ctx)
	}); err != nil {
		return err
	}
	for i, name := range endNames {
		port := p.ports[i]
		if p.local { // a virtual link has no card that cuts streams into frames: the DUT's end would get whole pieces
			if _, err := p.undo.Set(ctx, p.of(port.Tester).host, settings.Setting{Kind: settings.Feature, Device: port.Tester, Name: "tcp-segmentation-offload"}, "off"); err != nil {
				return err
			}
		}
		p.ends = append(p.ends, &EndHost{
			Port: port, name: name, ns: p.of(port.Tester).ns, cpus: [2][]int{p.cpus.Generator, p.cpus.Receiver}[i],
		})
	}
	return nil
}

// Ends are the end hosts, that at the first port before the other; none where a tester
// sends.
func (p *Ports) Ends() []*EndHost {
	for i, e := range p.ends {
		e.Port = p.ports[i] // by now it is known who is behind it
	}
	return p.ends
}

// Folders are below which an end host may keep files. They go with the lab, also after
// its process was killed.
func (p *Ports) Folders(e *EndHost) map[weir.Storage]string { return p.folders.of(e) }
