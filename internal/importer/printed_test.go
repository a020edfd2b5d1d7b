package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weir"
)

const (
	iperf3Text = `Connecting to host 127.0.0.1, port 5391
[  5] local 127.0.0.1 port 36164 connected to 127.0.0.1 port 5391
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   261 MBytes  2.19 Gbits/sec   12   4.37 MBytes       
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-1.00   sec   261 MBytes  2.19 Gbits/sec   12             sender
[  5]   0.00-1.04   sec   259 MBytes  2.08 Gbits/sec                  receiver

iperf Done.
`
	iperf3Reverse = `Connecting to host ::1, port 5391
Reverse mode, remote host ::1 is sending
[  5] local ::1 port 36192 connected to ::1 port 5391
[  7] local ::1 port 36208 connected to ::1 port 5391
[SUM]   0.00-1.00   sec   304 MBytes  2.54 Gbits/sec                  
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-1.02   sec   146 MBytes  1.21 Gbits/sec   14             sender
[  5]   0.00-1.00   sec   146 MBytes  1.22 Gbits/sec                  receiver
[SUM]   0.00-1.02   sec   305 MBytes  2.52 Gbits/sec   21             sender
[SUM]   0.00-1.00   sec   304 MBytes  2.53 Gbits/sec                  receiver
`
	iperf3Both = `Connecting to host 127.0.0.1, port 5391
[  5][TX-C]   0.00-1.00   sec   261 MBytes  2.19 Gbits/sec   12             sender
[  5][TX-C]   0.00-1.04   sec   259 MBytes  2.00 Gbits/sec                  receiver
[  7][RX-C]   0.00-1.00   sec   261 MBytes  1.19 Gbits/sec   12             sender
[  7][RX-C]   0.00-1.04   sec   259 MBytes  1.00 Gbits/sec                  receiver
`
	iperf3UDP = `Connecting to host 127.0.0.1, port 5391
[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-1.00   sec  1.19 MBytes  9.95 Mbits/sec  38  
[  5]   0.00-1.00   sec  1.19 MBytes  9.95 Mbits/sec  0.000 ms  0/40 (0%)  sender
[  5]   0.00-1.02   sec  1.19 MBytes  9.73 Mbits/sec  2.166 ms  10/40 (25%)  receiver
`
	iperf2Text = `------------------------------------------------------------
Client connecting to 127.0.0.1, TCP port 5392
[  1] local 127.0.0.1 port 54546 connected with 127.0.0.1 port 5392 (icwnd/mss/irtt=319/32741/40)
[ ID] Interval       Transfer     Bandwidth
[  1] 0.0000-0.5000 sec  94.4 MBytes  1.58 Gbits/sec
[  1] 0.5000-1.0000 sec  43.9 MBytes   736 Mbits/sec
[  1] 0.0000-1.0443 sec   138 MBytes  1.11 Gbits/sec
`
	iperf2Streams = `Client connecting to 127.0.0.1, TCP port 5392 with pid 29486 (2 flows)
[ ID] Interval            Transfer    Bandwidth       Write/Err  Rtry     Cwnd/RTT(var)        NetPwr
[  1] 0.0000-1.0186 sec   172 MBytes  1.42 Gbits/sec  1377/0         21      767K/2036(3783) us  87032
[  2] 0.0000-1.0255 sec   237 MBytes  1.94 Gbits/sec  1893/0          7     1406K/1121(2028) us  215844
[SUM] 0.0000-1.0057 sec   409 MBytes  3.41 Gbits/sec  3270/0        28
`
	iperf2UDP = `Client connecting to 127.0.0.1, UDP port 5393
[  1] local 127.0.0.1 port 44832 connected with 127.0.0.1 port 5393
[  1] 0.0000-1.0280 sec   134 KBytes  1.06 Mbits/sec
[  1] Sent 94 datagrams
[  1] Server Report:
[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams
[  1] 0.0000-1.0280 sec   134 KBytes  1.05 Mbits/sec   0.011 ms 9/90 (10%)
`
	iperf2Server = `Server listening on TCP port 5001
[  1] local 127.0.0.1 port 5001 connected with 127.0.0.1 port 1
[  1] 0.0000-1.0000 sec  1 MBytes  100 MBytes/sec
[  2] local 127.0.0.1 port 5001 connected with 127.0.0.1 port 2
[  2] 0.0000-1.0000 sec  1 MBytes  8.00 Mbits/sec
`
	netperfTCP = `MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 AF_INET : demo
Recv   Send    Send                          
Socket Socket  Message  Elapsed              
Size   Size    Size     Time     Throughput  
bytes  bytes   bytes    secs.    10^6bits/sec  

131072  16384  16384    10.00    35207.22   
`
	netperfVerbose = netperfTCP + `
Alignment      Offset         Bytes    Bytes       Sends   Bytes    Recvs
Local  Remote  Local  Remote  Xfered   Per                 Per
Send   Recv    Send   Recv             Send (avg)          Recv (avg)
    8       8      0       0 4.401e+10  16384.00   2686101   23106.36 1904592

Maximum
Segment
Size (bytes)
 32741
`
	netperfUDP = `MIGRATED UDP STREAM TEST from ::0 (::) port 0 AF_INET6 to ::1 () port 0 AF_INET6
Socket  Message  Elapsed      Messages                
Size    Size     Time         Okay Errors   Throughput
bytes   bytes    secs            #      #   10^6bits/sec

212992   65507   10.00      253452      0    13282.09
212992           10.00      202762           10625.67
`
	netperfRR = `MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 AF_INET
Local /Remote
Socket Size   Request  Resp.   Elapsed  Trans.
Send   Recv   Size     Size    Time     Rate         
bytes  Bytes  bytes    bytes   secs.    per sec   

16384  131072 1        1       10.00    25533.39   
16384  131072
`
	netperfPairs = `OMNI Send TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 AF_INET
THROUGHPUT=9412.37
THROUGHPUT_UNITS=10^6bits/s
ELAPSED_TIME=10.00
PROTOCOL=TCP
`
	xdpTerse = `Dropping packets on eth0 (ifindex 5; driver veth)
eth0                                    0 rx/s                  0 err/s
eth0                            1,234,567 rx/s                  0 err/s
eth0                            1,234,569 rx/s                  0 err/s
eth0                                    0 rx/s                  0 err/s
`
	xdpRedirect = `Redirecting from eth0 (ifindex 5; driver veth) to eth1 (ifindex 6; driver veth)
eth0->eth1                      1,234,567 rx/s            234,567 err,drop/s      1,000,000 xmit/s
`
	trexTables = `Global Statistics

connection   : localhost, Port 4501                  total_tx_L2  : 20.65 Gbps
Port Statistics

   port    |         0         |         1         |       total       
-----------+-------------------+-------------------+------------------
speed      |           10 Gb/s |           10 Gb/s |                   
Tx pps     |       10.00 Mpps  |       10.00 Mpps  |       20.00 Mpps  
Rx pps     |        9.00 Mpps  |        9.00 Mpps  |       18.00 Mpps  
opackets   |          10000000 |          10000000 |          20000000 
ipackets   |           9000000 |           9000000 |          18000000 
`
	trexServer = `-Per port stats table 
      ports |               0 |               1 
 -----------------------------------------------------------------------------------------
   opackets |            1000 |            1000 
     obytes |           64000 |           64000 
   ipackets |             990 |             990 
-Global stats enabled 
`
	csitOldText = `{"version": "0.1.0", "test": {"test-id": "tests.vpp.perf.ip4.64b-2t1c-cps-ndrpdr", "test-type": "NDRPDR", "execution": {"status": "PASS"},
 "results": {"throughput": {"unit": "cps", "ndr": {"value": {"lower": 1207514.4, "upper": 1210544.6}}, "pdr": {"value": {"lower": 1225809.7, "upper": 1231969.5}}}}},
 "metadata": {"sut-version": "21.01-release"}}`
	flentText = `{"metadata": {"NAME": "rrul", "LENGTH": 60, "TIME": "2022-01-01T00:00:00Z", "SERIES_META": {"up": {"UNITS": "Gbits/s"}}}, "version": 4, "x_values": [0, 0.2, 0.4],
 "results": {"TCP download": [null, 930.0, 932.0], "Ping (ms) ICMP": [0.3, 12.1, 13.0], "up": [1, null, 3], "never": [null, null, null], "qdisc": [4, 4, 4]}}`
)

const ipgenChart = `rfc2544 tolerable error rate: 0.0000%

framesize|0M  100M 200M 300M 400M 500M 600M 700M 800M 900M 1Gbps
---------+----+----+----+----+----+----+----+----+----+----+
      64 |#########################                           493.08Mbps,  733754/ 1488095pps,  49.31%
     128 |################################################    962.29Mbps,  812743/  844594pps,  96.23%

framesize|0   |100k|200k|300k|400k|500k|600k|700k|800k|900k|1.0m|1.1m|1.2m|1.3m|1.4m|1.5m pps
      64 |#####################################                                       733754/ 1488095pps,  49.31%
`

// ipgenSecond is a line of ipgen -L: the second port sends, the first one receives.
func ipgenSecond(sent, received int) string {
	return fmt.Sprintf(`{"apiversion":"1.2","time":1.0,"statistics":[{"interface":"em0","packetsize":46,"TXpps":0,"RXpps":%d},{"interface":"em1","packetsize":46,"TXpps":%d,"RXpps":0}]}`+"\n", received, sent)
}

// TestPrinted holds what is read of what programs print for people, and of the data of some
// that draw charts: value, unit and loss of each result.
func TestPrinted(t *testing.T) {
	type read struct {
		claim string
		value float64
		unit  string
		loss  float64
	}
	for _, c := range []struct {
		name, text, format string
		want               []read
	}{
		{"iperf3", iperf3Text, "iperf", []read{{"TCP goodput", 2.08e9, "bit/s", 0}}},
		{"iperf3, appended", iperf3Text + iperf3Text, "iperf", []read{{"TCP goodput", 2.08e9, "bit/s", 0}, {"TCP goodput", 2.08e9, "bit/s", 0}}},
		{"iperf3 in UTF-8 with a mark", "\ufeff" + strings.ReplaceAll(iperf3Text, "\n", "\r\n"), "iperf", []read{{"TCP goodput", 2.08e9, "bit/s", 0}}},
		{"iperf3 -R -P 2", iperf3Reverse, "iperf", []read{{"TCP goodput", 2.53e9, "bit/s", 0}}},
		{"iperf3 --bidir", iperf3Both, "iperf", []read{{"TCP goodput", 1e9, "bit/s", 0}, {"TCP goodput", 2e9, "bit/s", 0}}},
		{"iperf3 -u", iperf3UDP, "iperf", []read{{"UDP goodput", 9.73e6, "bit/s", .25}}},
		{"iperf", iperf2Text, "iperf", []read{{"TCP rate sent", 1.11e9, "bit/s", 0}}},
		{"iperf -e -P 2", iperf2Streams, "iperf", []read{{"TCP rate sent", 3.41e9, "bit/s", 0}}},
		{"iperf -u", iperf2UDP, "iperf", []read{{"UDP goodput", 1.05e6, "bit/s", .1}}},
		{"iperf -s", iperf2Server, "iperf", []read{{"TCP goodput", 800 << 20, "bit/s", 0}, {"TCP goodput", 8e6, "bit/s", 0}}},
		{"iperf -y C", "19700101000000,127.0.0.1,54578,127.0.0.1,5392,1,0.0-1.0,791281724,6210088578\n", "iperf", []read{{"rate at one end", 6210088578, "bit/s", 0}}},
		{"iperf -y C -P 2, three times", "19700101000000,127.0.0.1,55746,127.0.0.1,5998,2,0.0-1.3,1,100\n19700101000000,127.0.0.1,55736,127.0.0.1,5998,1,0.0-1.3,1,200\n" +
			"19700101000000,127.0.0.1,55768,127.0.0.1,5998,2,0.0-1.0,1,300\n19700101000000,127.0.0.1,55762,127.0.0.1,5998,1,0.0-1.0,1,400\n" +
			"19700101000000,127.0.0.1,55770,127.0.0.1,5998,1,0.0-1.0,1,500\n19700101000000,127.0.0.1,55774,127.0.0.1,5998,2,0.0-1.0,1,600\n",
			"iperf", []read{{"rate at one end", 300, "bit/s", 0}, {"rate at one end", 700, "bit/s", 0}, {"rate at one end", 1100, "bit/s", 0}}},
		{"iperf -y C -i 1, twice", "20261130213028,127.0.0.1,55780,127.0.0.1,5998,1,0.0-1.0,1,100\n20261130213029,127.0.0.1,55780,127.0.0.1,5998,1,1.0-2.0,1,300\n20261130213029,127.0.0.1,55780,127.0.0.1,5998,1,0.0-2.0,1,200\n" +
			"20261130213030,127.0.0.1,55780,127.0.0.1,5998,1,0.0-1.0,1,500\n20261130213031,127.0.0.1,55780,127.0.0.1,5998,1,1.0-2.0,1,700\n20261130213031,127.0.0.1,55780,127.0.0.1,5998,1,0.0-2.0,1,600\n",
			"iperf", []read{{"rate at one end", 200, "bit/s", 0}, {"rate at one end", 600, "bit/s", 0}}},
		{"iperf -y C with sums", "20240101120010,10.0.0.1,40000,10.0.0.2,5001,3,0.0-10.0,1,100\n20240101120010,10.0.0.1,40001,10.0.0.2,5001,4,0.0-10.0,1,200\n20240101120010,10.0.0.1,0,10.0.0.2,5001,-1,0.0-10.0,1,300\n" +
			"20240101120030,10.0.0.1,40002,10.0.0.2,5001,3,0.0-10.1,1,400\n20240101120030,10.0.0.1,40003,10.0.0.2,5001,4,0.0-10.1,1,500\n20240101120030,10.0.0.1,0,10.0.0.2,5001,-1,0.0-10.1,1,900\n",
			"iperf", []read{{"rate at one end", 300, "bit/s", 0}, {"rate at one end", 900, "bit/s", 0}}},
		{"iperf -y C -d", "20240101120010,10.0.0.1,40000,10.0.0.2,5001,3,0.0-10.0,1,100\n20240101120010,10.0.0.1,5001,10.0.0.2,41000,4,0.0-10.0,1,200\n",
			"iperf", []read{{"rate at one end", 100, "bit/s", 0}, {"rate at one end", 200, "bit/s", 0}}},
		{"iperf -y C of a server, tests of a second", "20240101120001,10.0.0.2,5001,10.0.0.1,40000,4,0.0-1.0,1,100\n20240101120002,10.0.0.2,5001,10.0.0.1,40001,5,0.0-1.0,1,200\n",
			"iperf", []read{{"rate at one end", 100, "bit/s", 0}, {"rate at one end", 200, "bit/s", 0}}},
		{"iperf -y C of a server, two clients", "20240101120010,10.0.0.2,5001,10.0.0.1,40000,4,0.0-10.0,1,100\n20240101120010,10.0.0.2,5001,10.0.0.3,40001,5,0.0-10.0,1,200\n",
			"iperf", []read{{"rate at one end", 100, "bit/s", 0}, {"rate at one end", 200, "bit/s", 0}}},
		{"iperf -y C of a server, which says no times", "19700101000000,10.0.0.2,5001,10.0.0.1,40000,1,0.0-1.0,1,100\n19700101000000,10.0.0.2,5001,10.0.0.1,40001,2,0.0-1.0,1,200\n",
			"iperf", []read{{"rate at one end", 100, "bit/s", 0}, {"rate at one end", 200, "bit/s", 0}}},
		{"iperf -c -u -P 2", udpOfTwo + "[  2] Server Report:\n[  2] 0.0000-2.0000 sec  1.25 MBytes  5.00 Mbits/sec   0.005 ms 100/900 (11%)\n[  1] Server Report:\n[  1] 0.0000-2.0000 sec  1.26 MBytes  5.50 Mbits/sec   0.003 ms 0/900 (0%)\n",
			"iperf", []read{{"UDP goodput", 10.5e6, "bit/s", 100. / 1800}}},
		{"iperf -c -u -P 2, the sum at the end", "Client connecting to 127.0.0.1, UDP port 5999\n[  3] local 127.0.0.1 port 37652 connected with 127.0.0.1 port 5999\n" +
			"[  3]  0.0-10.0 sec  1.25 MBytes  6.00 Mbits/sec\n[  3] Server Report:\n[  3]  0.0-10.0 sec  1.25 MBytes  5.00 Mbits/sec   0.012 ms   90/ 900 (10%)\n" +
			"[  4]  0.0-10.0 sec  1.25 MBytes  6.00 Mbits/sec\n[  4] Server Report:\n[  4]  0.0-10.0 sec  1.25 MBytes  4.00 Mbits/sec   0.012 ms   90/ 900 (10%)\n[SUM]  0.0-10.0 sec  2.50 MBytes  12.0 Mbits/sec\n",
			"iperf", []read{{"UDP goodput", 9e6, "bit/s", .1}}},
		{"iperf -s -u of two", "Server listening on UDP port 5999\n[  1] local 127.0.0.1 port 5999 connected with 127.0.0.1 port 37652\n[  2] local 127.0.0.1 port 5999 connected with 127.0.0.1 port 34543\n" +
			"[  2] 0.0000-2.0000 sec  1.25 MBytes  5.25 Mbits/sec   0.005 ms 10/1000 (1%)\n[  1] 0.0000-2.0000 sec  1.26 MBytes  5.25 Mbits/sec   0.003 ms 30/1000 (3%)\n[SUM] 0.0000-2.0000 sec  2.51 MBytes  10.5 Mbits/sec   0/2000 (0%)\n",
			"iperf", []read{{"UDP goodput", 10.5e6, "bit/s", .02}}},
		{"iperf -y C -u -s", "19700101000000,127.0.0.1,1,127.0.0.1,2,1,0.0-1.0,132300,1053377,0.010,5,50,10.000,0\n", "iperf", []read{{"UDP goodput", 1053377, "bit/s", .1}}},
		{"netperf", netperfTCP, "netperf", []read{{"TCP goodput", 35207.22e6, "bit/s", 0}}},
		{"netperf twice", netperfTCP + netperfTCP, "netperf", []read{{"TCP goodput", 35207.22e6, "bit/s", 0}, {"TCP goodput", 35207.22e6, "bit/s", 0}}},
		{"netperf -v 2", netperfVerbose, "netperf", []read{{"TCP goodput", 35207.22e6, "bit/s", 0}}},
		{"netperf -f K", strings.ReplaceAll(netperfTCP, "10^6bits/sec", "KBytes/sec  "), "netperf", []read{{"TCP goodput", 35207.22 * 8192, "bit/s", 0}}},
		{"netperf, UDP", netperfUDP, "netperf", []read{{"UDP goodput", 10625.67e6, "bit/s", 1 - 202762./253452}}},
		{"netperf, transactions", netperfRR, "netperf", []read{{"TCP transactions", 25533.39, "transactions/s", 0}}},
		{"netperf -k", netperfPairs, "netperf", []read{{"TCP goodput", 9412.37e6, "bit/s", 0}}},
		{"netperf -k -P 0", "THROUGHPUT=5\nTHROUGHPUT_UNITS=Trans/s\n", "netperf", []read{{"transactions", 5, "transactions/s", 0}}},
		{"xdp-bench", xdpTerse, "xdp-bench", []read{{"packets taken", 1234568, "frames/s", 0}}},
		{"xdp-bench of one interface", strings.ReplaceAll(xdpTerse, "\neth0   ", "\nSummary"), "xdp-bench", []read{{"packets taken", 1234568, "frames/s", 0}}},
		{"xdp-bench redirect", xdpRedirect, "xdp-bench", []read{{"packets taken", 1234567, "frames/s", 0}}},
		{"TRex's console", trexTables, "trex-console", []read{{"forwarding rate at one load", 18e6, "frames/s", .1}}},
		{"TRex's server", trexServer, "trex-console", []read{{"loss ratio", .01, "", .01}}},
		{"ipgen's chart", ipgenChart, "ipgen", []read{{"highest load within the loss that was tolerated", 733754, "frames/s", 0}, {"highest load within the loss that was tolerated", 812743, "frames/s", 0}}},
		{"ipgen's search", `{"framesize":{"128":{"bps":"1.0","curpps":"800000","limitpps":"844594"},"64":{"bps":"493.0","curpps":"733754","limitpps":"1488095"}}}`, "ipgen",
			[]read{{"highest load within the loss that was tolerated", 733754, "frames/s", 0}, {"highest load within the loss that was tolerated", 800000, "frames/s", 0}}},
		{"ipgen's log", ipgenSecond(0, 0) + ipgenSecond(1000, 900) + ipgenSecond(1000, 900) + ipgenSecond(0, 0), "ipgen", []read{{"forwarding rate at one load", 900, "frames/s", .1}}},
		{"CSIT of before", csitOldText, "csit-0", []read{{"NDR, MLRsearch", 1207514.4, "connections/s", 0}, {"PDR, MLRsearch", 1225809.7, "connections/s", .005}}},
		{"flent", flentText, "flent", []read{{"median of Ping (ms) ICMP", .0121, "s", 0}, {"median of TCP download", 931e6, "bit/s", 0}, {"median of qdisc", 4, weir.UnknownUnit, 0}, {"median of up", 2e9, "bit/s", 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := one(t, "", write(t, "x.txt", c.text))
			if got.Manifest.Imported.Format != c.format {
				t.Fatalf("it is taken for %s", got.Manifest.Imported.Format)
			}
			same := slices.EqualFunc(got.Results, c.want, func(r weir.Result, want read) bool {
				name, _ := r.Claim.Published()
				return name == want.claim && about(r.Value, want.value, 1e-9) && r.Unit == want.unit && about(r.LossRatio, want.loss, 1e-9) && len(r.Warnings) == 0
			})
			if !same {
				for _, r := range got.Results {
					t.Errorf("%s %v %s, %v lost, %v", r.Claim.Name, r.Value, r.Unit, r.LossRatio, r.Warnings)
				}
			}
		})
	}
}

// TestPrintedRules holds that the rules are those of what is printed, too, and that what has
// no end is refused.
func TestPrintedRules(t *testing.T) {
	for text, want := range map[string]string{
		strings.ReplaceAll(trexTables, "          18000000 ", "         -18000000 "): "the counter of frames received stands at -18000000",
		strings.ReplaceAll(trexTables, "18.00 Mpps", "68.00 Mpps"):                   "68000000 frames/s is more than the",
		strings.ReplaceAll(iperf3UDP, "2.166 ms  10/40", "9000000.1 ms  10/40"):      "a jitter of 9000 s is longer than the test",
		strings.ReplaceAll(iperf2UDP, "9/90", "99/90"):                               "a loss of 110.00 %",
		strings.ReplaceAll(netperfUDP, "202762 ", "303452 "):                         "a loss of -19.73 %",
		strings.ReplaceAll(ipgenChart, "  733754/ 1488095", " 7337540/ 1488095"):     "7337540 frames/s is more than the 1488095 that the medium can carry",
		strings.ReplaceAll(flentText, "[0, 0.2, 0.4]", "[0, 0.2, 0.1]"):              "0.1 s comes after 0.2 s",
		strings.ReplaceAll(csitOldText, `"upper": 1210544.6`, `"upper": 10`):         "its lower bound",
	} {
		if r := one(t, "", write(t, "x.txt", text)).Results[0]; len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0].Text, want) {
			t.Errorf("the warnings %v do not say %q", r.Warnings, want)
		}
	}
	for text, want := range map[string]string{
		iperf3Text[:80]: "no test in it has an end", iperf2Text[:150]: "no test in it has an end",
		netperfTCP[:200]: "x.txt:1: the test has no result", xdpTerse[:130]: "no second in it has a packet",
		strings.Replace(csitOldText, "PASS", "FAIL", 1): "none of the tests passed", `{"metadata": {}, "x_values": [], "results": {}}`: "no series in it has a value",
	} {
		if _, err := Import("", []string{write(t, "x.txt", text)}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %v, want %q", text, err, want)
		}
	}
}

// A test that was cut off before its end has none: its first second is no result.
func TestCutTest(t *testing.T) {
	head, _, found := strings.Cut(iperf3Text, "- - -")
	if !found {
		t.Fatalf("the text has no end: %s", head)
	}
	head += "[  5]   1.00-2.00   sec   200 MBytes  1.68 Gbits/sec   12   4.37 MBytes\n"
	if c, err := Import("", []string{write(t, "x.txt", head)}, Options{}); err == nil {
		t.Errorf("it is read as %+v", c)
	}
}

// udpOfTwo is how a client of iperf begins that sends two streams of UDP.
const udpOfTwo = "Client connecting to 127.0.0.1, UDP port 5999\n[  1] local 127.0.0.1 port 37652 connected with 127.0.0.1 port 5999\n[  2] local 127.0.0.1 port 34543 connected with 127.0.0.1 port 5999\n" +
	"[  2] 0.0000-2.0031 sec  1.25 MBytes  5.25 Mbits/sec\n[  2] Sent 896 datagrams\n[  1] 0.0000-2.0031 sec  1.25 MBytes  5.25 Mbits/sec\n[SUM] 0.0000-2.0032 sec  2.51 MBytes  10.5 Mbits/sec\n[SUM-2] Sent 1792 datagrams\n"
