package workload

import (
	"math"
	"testing"

	"weir"
)

// FuzzReports has all read that programs of end hosts may say: iperf, iperf3,
// netperf, curl, smbclient.
func FuzzReports(f *testing.F) {
	f.Add(`{"start": {"test_start": {"protocol": "TCP"}}, "end": {"sum_sent": {"bytes": 5, "seconds": 1}, "sum_received": {"bytes": 5, "seconds": 1}}}`)
	f.Add("20260101000000,10.0.0.1,5001,10.0.0.2,40000,3,0.0-1.0,1000,8000\n")
	f.Add("THROUGHPUT=5\nELAPSED_TIME=1\nTHROUGHPUT_UNITS=10^6bits/s\n")
	f.Add("NT_STATUS_LOGON_FAILURE\nsession setup failed\n")
	f.Add("* Re-using existing connection\n< HTTP/1.1 404\n* Connection #0 left intact\n")
	f.Fuzz(func(t *testing.T, said string) {
		whole := func(name string, found weir.Transferred, err error) {
			if g := found.Goodput(); err == nil && (math.IsNaN(g) || math.IsInf(g, 0) || g < 0) {
				t.Errorf("%s: a goodput of %v, of %q", name, g, said)
			}
		}
		found, err := readIperf(said, 2)
		whole("iperf", found, err)
		if r, err := readIperf3(said); err == nil {
			for _, server := range []weir.Side{weir.Source, weir.Destination} {
				found, err := r.transferred(server)
				whole("iperf3", found, err)
			}
		}
		for _, test := range []string{"TCP_STREAM", "TCP_RR", "TCP_CRR", "UDP_STREAM"} {
			found, err := readNetperf(said, test, weir.Destination, 1)
			whole("netperf "+test, found, err)
		}
		_ = curlRefusal(said)
		_ = curlConnected(said, 3)
		_ = smbRefusal(said)
		_ = unpacked(said)
		_ = lastLines(said)
	})
}
