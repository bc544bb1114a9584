# The front door. `make help` says what there is; CONTRIBUTING.md says more.
SHELL := /bin/bash
.DEFAULT_GOAL := help
NINJA := ninja
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

ASK ?=
WAV ?=
FUZZ_SECONDS ?= 60

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "%-12s %s\n", $$1, $$2}'

.PHONY: demo
demo: ## a spoken question answered out loud, end to end, offline (ASK="..." or WAV=file.wav)
	@scripts/setup build
	@$(MAKE) --no-print-directory build
	@scripts/demo "$(ASK)" "$(WAV)"

.PHONY: build
build: ## the program, optimized: build/bin/hermes-gadget
	@scripts/setup build
	@scripts/configure release
	@$(NINJA) -C build/release hermes-gadget

.PHONY: test
test: ## the quick tests, incremental: what every commit passes
	@scripts/setup check
	@scripts/configure debug
	@$(NINJA) -C build/debug
	@ctest --test-dir build/debug --output-on-failure -j2 -LE 'slow|engines|hermes'

.PHONY: check
check: ## all that CI runs: sanitizers, engines, Cortex-M, format
	@scripts/check

.PHONY: check-all
check-all: ## check, and all under TSan, clang, clang-tidy, fuzzing, the whole engine test
	@scripts/check
	@scripts/check-more

.PHONY: asan
asan: ## the whole suite under AddressSanitizer and UBSan
	@scripts/setup check
	@scripts/configure asan
	@$(NINJA) -C build/asan
	@ctest --test-dir build/asan --output-on-failure -j2 -LE 'engines|hermes'

.PHONY: tsan
tsan: ## the whole suite under ThreadSanitizer (engines apart)
	@scripts/setup check
	@scripts/configure tsan
	@$(NINJA) -C build/tsan
	@ctest --test-dir build/tsan --output-on-failure -j2 -LE 'engines|hermes|fuzz'

.PHONY: fuzz
fuzz: ## fuzz every parser for FUZZ_SECONDS (60)
	@scripts/setup full
	@scripts/fuzz $(FUZZ_SECONDS)

.PHONY: lint
lint: ## clang-tidy and a build with clang, warnings as errors
	@scripts/setup full
	@scripts/lint

.PHONY: format
format: ## format the sources
	@scripts/format

.PHONY: size
size: ## code size of protocol/ and device/ on a Cortex-M4
	@scripts/setup check
	@scripts/size

.PHONY: bench
bench: build ## the numbers of docs/numbers.md
	@scripts/bench

.PHONY: package
package: ## the Debian package: build/release/package/hermes-gadget_*.deb
	@scripts/setup build
	@scripts/package

.PHONY: clean
clean: ## remove build/ and demo/
	@rm -rf build demo
