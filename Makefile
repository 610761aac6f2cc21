# Everything here needs Go and nothing else.
GO ?= go
CLMC = bin/clmc
# The stages of check and nightly to run; empty: all.
STAGES ?=

.PHONY: help build layer demo test lint platforms release reproducible check nightly fuzz bench bench-all docs clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

build: ## build bin/clmc
	$(GO) build -o $(CLMC) ./cmd/clmc

# It needs a C compiler and OpenCL's headers (Debian: gcc opencl-headers); clmc itself needs neither.
layer: ## build bin/libclmc_capture.so, which clmc capture needs
	@mkdir -p bin
	$(CC) -std=gnu11 -O2 -Wall -Wextra -Wno-unused-parameter -shared -fPIC -fvisibility=hidden -o bin/libclmc_capture.so cmd/clmc-layer/layer.c -ldl -lpthread

# The demo shows a bug, so clmc exits with 1; anything else is a failure.
demo: ## find the bug in a dot product whose barrier names the wrong memory
	@echo 'This builds clmc, which takes a minute or two the first time, and then looks at a kernel with a bug and at'
	@echo 'the same kernel without it, in a second. The bug: a barrier that names the wrong memory.'
	@$(GO) build -o $(CLMC) ./cmd/clmc
	@echo
	@echo '$$ clmc explore models/shipped/kernel_dot_wrongflag/main.go'
	@$(CLMC) explore models/shipped/kernel_dot_wrongflag/main.go; test $$? -eq 1
	@echo
	@echo '$$ clmc explore models/shipped/kernel_dot'
	@$(CLMC) explore models/shipped/kernel_dot/main.go

test: ## vet, and run all tests, in three minutes: a line for each package, and how many have passed
	$(GO) vet ./...
	$(GO) run ./internal/testkit/testrun -vet=off -ldflags=-w -timeout 1h ./...

lint: ## check formatting, vet, and staticcheck, of the version in go.mod
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# All that clmc is released for, and some that nobody has asked for.
PLATFORMS ?= linux/amd64 linux/arm64 linux/386 linux/s390x darwin/amd64 darwin/arm64 \
	windows/amd64 windows/arm64 windows/386 freebsd/amd64 freebsd/arm64 freebsd/386

# Models are programs, too: two hundred of them would be linked, so clmc alone is.
platforms: ## build clmc and vet all for each of PLATFORMS, without cgo
	@for p in $(PLATFORMS); do \
	  echo "$$p"; \
	  CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} sh -c '$(GO) build -o /dev/null ./cmd/clmc && $(GO) vet ./...' || exit 1; \
	done
	@echo 'linux/amd64 without devices'
	@CGO_ENABLED=0 $(GO) build -tags nodevice -o /dev/null ./cmd/clmc && CGO_ENABLED=0 $(GO) vet -tags nodevice ./cmd/...

release: ## build the binaries of a release into dist, with checksums and a bill of materials
	.ci/release dist

reproducible: ## build the revision that is checked out twice, and compare
	.ci/reproducible

check: ## a quarter of an hour beside make test: race detector, 32 bits, platforms, demo, exit codes, kills, faults, browser, a share of the mutants
	@.ci/check $(STAGES)

nightly: ## an hour, another share each night: all mutants in fourteen nights, random programs of the day, fuzzing, 200 kills, all platforms
	@.ci/nightly $(STAGES)

FUZZTIME ?= 1m

fuzz: ## fuzz every fuzz target for FUZZTIME
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$(GO) test $$pkg -fuzz $$f"; \
	    $(GO) test $$pkg -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) || exit 1; \
	  done; \
	done

bench: ## print a table of all families, up to the sizes that take half a second, and of devices and optimise, in two minutes
	$(GO) test ./models/bench -v -run 'Test(Table|LivenessCosts)$$' -count=1 -timeout 0 -table -cap 500ms
	$(GO) test ./explore/liveness -run '^$$' -bench Facts -benchtime 1x
	$(GO) test ./models/litmus/opencl ./cmd/clmc/internal/device ./internal/optimise -run '^$$' -bench . -benchtime 100ms -timeout 0

bench-all: ## print the table of docs/performance.md, and run all benchmarks
	$(GO) test ./models/bench -v -run 'TestTable$$' -count=1 -timeout 0 -table
	$(GO) test ./... -run '^$$' -bench . -benchmem

docs: ## regenerate docs/cli.md
	$(GO) test ./cmd/clmc/internal/cli -run TestReference -update

clean: ## remove what was built
	rm -rf bin dist
