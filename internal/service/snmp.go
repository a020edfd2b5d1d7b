package service

import (
	"context"
	"fmt"
	"net/netip"
)

// SNMPConfig says who may query an SNMP agent.
type SNMPConfig struct {
	Local     netip.Addr // IPv4, where it listens, UDP port 161
	Manager   netip.Addr // IPv4, who may query it
	Community string     // without spaces
}

// SNMPAgent is snmpd of Net-SNMP.
type SNMPAgent struct {
	*Service
}

// StartSNMPAgent starts an SNMP agent. It answers a moment later: who queries it
// waits for that. The error is a *weir.UnsupportedError when it is not
// installed.
func StartSNMPAgent(ctx context.Context, at Place, c SNMPConfig) (*SNMPAgent, error) {
	s, err := Start(ctx, at, Program{
		Name: "snmpd", Of: "the SNMP agent of Net-SNMP", Source: "snmpd", Files: map[string]string{"config": snmpConfig(c)},
		Argv: func(folder string) []string {
			return []string{"-f", "-Le", "-C", "-c", folder + "/config"}
		},
		// What it remembers from one start to the next.
		Env: func(folder string) []string { return []string{"SNMP_PERSISTENT_DIR=" + folder} },
	})
	if err != nil {
		return nil, err
	}
	return &SNMPAgent{s}, nil
}

// snmpConfig is a configuration file. The manager sees all that is standard,
// and changes nothing.
func snmpConfig(c SNMPConfig) string {
	return fmt.Sprintf("agentAddress udp:%v:161\nrocommunity %s %v .1.3.6.1.2.1\n", c.Local, c.Community, c.Manager)
}
