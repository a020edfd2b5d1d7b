package telemetry

import "testing"

const kallsyms = `0000000000000000 A fixed_percpu_data
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 t ip_forward
ffffffff81000300 T ip_output
ffffffff82000000 D some_data
ffffffffc0000000 t nft_do_chain	[nf_tables]
ffffffffc0100000 t bpf_prog_6deef7357e7b4530_forward	[bpf]
ffffffffc0100200 t bpf_prog_1122334455667788	[bpf]
`

func TestSymbols(t *testing.T) {
	s, err := parseSymbols(kallsyms)
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[uint64]string{
		0x1000:             "0x1000",
		0xffffffff81000000: "_stext",
		0xffffffff810000ff: "_stext",
		0xffffffff81000100: "ip_forward",
		0xffffffff81000304: "ip_output",
		0xffffffffc0000123: "nft_do_chain",
		0xffffffffc0100001: "bpf:forward",
		0xffffffffc0100200: "bpf:1122334455667788",
	} {
		if got := s.name(address); got != want {
			t.Errorf("%#x is %s, want %s", address, got, want)
		}
	}
	for _, bad := range []string{"", "0000000000000000 T ip_forward\n", "ffffffff82000000 D some_data\n", "nonsense T x\n"} {
		if _, err := parseSymbols(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
