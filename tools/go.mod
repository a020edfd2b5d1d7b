// What builds releases of weir: nothing of it is linked into weir.
module weir/tools

go 1.26.0

require golang.org/x/mod v0.41.0
