# What a user or developer of weir runs. `make` alone lists it.

GO := scripts/go
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: bench test verify cases truth build agents far generate release peers test-drivers test-pppd clean help

bench: ## set up what is missing, build, and run the main job (ARGS=--quick for 15 s)
	@scripts/setup bench
	@$(MAKE) --no-print-directory build
	@scripts/as-root bin/weir bench $(ARGS)

test: ## set up what is missing, and pass every test but the long ones (eight minutes)
	@scripts/setup build
	@CGO_ENABLED=0 $(GO) -C tools run -trimpath -buildvcs=false ./verify -short $(ARGS)

verify: ## all that there is to check, part by part, also in emulated machines (ARGS="race pppd" for some parts, -list)
	@scripts/setup build
	@mkdir -p bin
	@CGO_ENABLED=0 $(GO) -C tools run -trimpath -buildvcs=false ./verify -junit bin/verify.xml $(ARGS)
	@scripts/give-back bin

cases: ## what people brought, each case as it should be (a part of verify)
	@scripts/setup build
	@CGO_ENABLED=0 $(GO) -C tools run -trimpath -buildvcs=false ./verify cases

truth: ## what weir promises of times and rates, asked beside measured (ARGS="-only bench" for a part)
	@scripts/setup bench
	@$(MAKE) --no-print-directory build
	@CGO_ENABLED=0 $(GO) -C tools build -trimpath -buildvcs=false -o ../bin/ ./truth ./peers ./disturb
	@scripts/give-back bin
	@scripts/as-root bin/truth $(ARGS)

build: ## bin/weir, one static binary; needs Go alone
	@CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags "-s -w -X main.commit=$$(git describe --always --abbrev=40 --dirty --exclude='*' 2>/dev/null)" -o bin/weir ./cmd/weir
	@$(MAKE) --no-print-directory agents AGENTS="$$($(GO) env GOOS)/$$($(GO) env GOARCH)"

AGENTS := linux/amd64 linux/arm64 linux/riscv64 freebsd/amd64 openbsd/amd64 netbsd/amd64 darwin/arm64

agents: ## bin/weir-agent-SYSTEM-ARCHITECTURE, for DUTs and end hosts that SSH reaches; AGENTS="freebsd/arm64" for another
	@for at in $(AGENTS); do \
		CGO_ENABLED=0 GOOS=$${at%/*} GOARCH=$${at#*/} $(GO) build -trimpath -buildvcs=false -ldflags "-s -w" -o "bin/weir-agent-$${at%/*}-$${at#*/}" ./cmd/agent || exit; \
	done
	@scripts/give-back bin

FAR := arm64

far: ## bin/weir-linux-arm64, for ports and end hosts at machines with Linux on it; FAR=riscv64 for another
	@CGO_ENABLED=0 GOOS=linux GOARCH=$(FAR) $(GO) build -trimpath -buildvcs=false -ldflags "-s -w" -o "bin/weir-linux-$(FAR)" ./cmd/weir
	@scripts/give-back bin

generate: ## the BPF objects anew, with clang
	@scripts/setup test
	@$(GO) generate ./internal/xdp
	@clang -dumpversion >internal/xdp/clang-version
	@scripts/give-back internal/xdp

release: ## what a release is made of, in dist/: programs, packages, image (VERSION=0.1.0; others in packaging/release)
	@scripts/setup release
	@packaging/release "$(VERSION)"

peers: ## weir beside a bare program, xdp-trafficgen, DPDK testpmd, trafgen, sendmmsg and iperf3 here; writes peers.json
	@scripts/setup peers
	@$(MAKE) --no-print-directory build
	@CGO_ENABLED=0 $(GO) -C tools build -buildvcs=false -o ../bin/peers ./peers
	@scripts/give-back bin
	@scripts/as-root bin/peers $(ARGS)

test-drivers: ## weir on drivers of network cards, in machines that QEMU emulates (ARGS=igb for one)
	@scripts/setup drivers
	@scripts/test-drivers $(ARGS)

test-pppd: ## weir's PPPoE with Debian's pppd and rp-pppoe, in a machine that QEMU emulates (ARGS=server-chap for some)
	@scripts/setup pppd
	@scripts/test-pppd $(ARGS)

clean: ## what was built; measurements and reports stay
	rm -rf bin dist

help: ## this list
	@sed -n 's/^\([a-z-]*\): ## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
