# Source addresses are held against the routing table (RFC 3704, strict). Beside it:
# no-reverse-path.sh.
for port in all "$WEIR_PORT0" "$WEIR_PORT1"; do
	echo 1 >"/proc/sys/net/ipv4/conf/$port/rp_filter"
done
