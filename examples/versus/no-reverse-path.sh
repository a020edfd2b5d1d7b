# Source addresses are not looked at.
for port in all "$WEIR_PORT0" "$WEIR_PORT1"; do
	echo 0 >"/proc/sys/net/ipv4/conf/$port/rp_filter"
done
