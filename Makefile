# Everything here needs Go and nothing else.
GO ?= go
CLMC = bin/clmc

.PHONY: help build demo test lint platforms release reproducible check-long fuzz bench bench-all docs clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

build: ## build bin/clmc
	$(GO) build -o $(CLMC) ./cmd/clmc

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
	$(GO) run ./internal/testrun -vet=off -timeout 40m ./...

lint: ## check formatting, and vet
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w $$unformatted"; exit 1; fi
	$(GO) vet ./...

# All that clmc is released for, and some that nobody has asked for.
PLATFORMS ?= linux/amd64 linux/arm64 linux/386 linux/s390x darwin/amd64 darwin/arm64 \
	windows/amd64 windows/arm64 windows/386 freebsd/amd64 freebsd/arm64 freebsd/386

platforms: ## build and vet for each of PLATFORMS, without cgo
	@for p in $(PLATFORMS); do \
	  echo "$$p"; \
	  CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} sh -c '$(GO) build ./... && $(GO) vet ./...' || exit 1; \
	done

release: ## build the binaries of a release into dist, with checksums and a bill of materials
	.ci/release dist

reproducible: ## build the revision that is checked out twice, and compare
	.ci/reproducible

SEEDS ?= 1000
INPUTS ?= 1000000
KILLS ?= 200
SCHEDULES ?= 100
FUZZTIME ?= 1m
# The share of all this that check-long does: i/n, i from 1. The n shares together do all of it, in any
# order and on as many machines as there are; with SHARD=i/100 one takes some fifteen minutes.
SHARD ?= 1/1
# The mutants that check-long tries: all, or a share of them.
MUTANTS ?= $(SHARD)
# How long each line below may take.
PARTTIME ?= 4h
# The tests that draw random programs.
RANDOM = '^Test(Oracle|ReductionsAgree|WorkersAgree|SymmetryAgrees|SymmetryForm|ExecutionsAreCountedOnce|PromisesAgainstAxioms|PromisesNeedless|PromisesReduced|Copies|CanonicalForm.*|InterleavingsAgree|NoWayOut|FailuresBesideRaces|SchedulesReplay|ManySeqCstOperations|LoneHost)$$'

LONG = CLMC_DAY=today $(GO) test -count=1 -timeout $(PARTTIME)

check-long: ## run the heavy suites, or the share SHARD=i/n: random programs, all mutants, fuzzing, kills, hostile input, the race detector
	@case $(SHARD) in 1/*) $(MAKE) lint platforms reproducible fuzz;; esac
	$(LONG) ./explore -run $(RANDOM) -seeds $(SEEDS) -shard $(SHARD)
	$(LONG) ./explore -run TestSimulatedWorkers -seeds $$((2 * $(SEEDS))) -shard $(SHARD)
	shard=$(SHARD); $(LONG) ./explore -run TestHostileBatches -message-seed $${shard%/*} -messages $$(($(INPUTS) / $${shard#*/}))
	$(LONG) ./explore/report -run TestEveryViolationIsTold -seeds $(SEEDS) -shard $(SHARD)
	$(LONG) ./explore/trace -run TestRandom -seeds $(SEEDS) -shard $(SHARD)
	$(LONG) ./explore/report/html -browser
	$(LONG) ./explore ./explore/report ./models/shipped ./models/load ./models/clc ./memmodel ./state ./state/ir/flow ./state/facts ./explore/trace ./internal/guard ./cmd/clmc/internal/checks ./cmd/clmc/internal/cluster -run 'Test.*Mutants' -mutants $(MUTANTS)
	shard=$(SHARD); n=$$(($(SEEDS) * 2 / $${shard#*/} + 100)); from=$$((($${shard%/*} - 1) * n + 1)); \
	  $(LONG) ./models/clc -run TestSlicedRandom -slice-seeds $$n -slice-seed $$from && \
	  $(LONG) -tags ccompiler ./models/clc -run TestArithmetic -arith-seeds $$n -arith-seed $$from
	shard=$(SHARD); $(LONG) ./cmd/clmc -run TestHostileInputs -input-seed $$(date +%s)000000000 -inputs $$(($(INPUTS) / $${shard#*/}))
	shard=$(SHARD); $(LONG) ./cmd/clmc -run 'TestKill|TestDamage|TestHostileNames' -kills $$(($(KILLS) / $${shard#*/} + 1)) -strike-seed $$(date +%s)$${shard%/*}
	shard=$(SHARD); from=$$((($${shard%/*} - 1) * ($(SCHEDULES) / $${shard#*/} + 1))); \
	  $(LONG) ./cmd/clmc -run TestClusterKills -schedules $$(($(SCHEDULES) / $${shard#*/} + 1)) -from $$from && \
	  $(LONG) ./cmd/clmc/internal/cluster -run TestTroubles -schedules $(SCHEDULES) -shard $(SHARD)
	shard=$(SHARD); packages=$$($(GO) list ./... | awk -v i=$${shard%/*} -v n=$${shard#*/} 'NR % n == i % n'); \
	  test -z "$$packages" || $(LONG) -race $$packages

fuzz: ## fuzz every fuzz target for FUZZTIME
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$(GO) test $$pkg -fuzz $$f"; \
	    $(GO) test $$pkg -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) || exit 1; \
	  done; \
	done

bench: ## print a table of all families, up to the sizes that take half a second, in about a minute
	$(GO) test ./models/bench -v -run 'TestTable$$' -count=1 -timeout 0 -table -cap 500ms

bench-all: ## print the table of docs/performance.md, and run all benchmarks
	$(GO) test ./models/bench -v -run 'TestTable$$' -count=1 -timeout 0 -table
	$(GO) test ./... -run '^$$' -bench . -benchmem

docs: ## regenerate docs/cli.md
	$(GO) test ./cmd/clmc/internal/cli -run TestReference -update

clean: ## remove what was built
	rm -rf bin dist
