# The only list of commands. `make help` prints it.
.DEFAULT_GOAL := help
SHELL := /bin/sh

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
RUST_SOURCES := $(shell find rust -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
# Building the binding asks this Python what to link against, so every cargo command needs the environment to be there.
export VIRTUAL_ENV := $(abspath $(VENV))
export PYTHONNOUSERSITE := 1
unexport PYTHONPATH PYTHONHOME

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | sort | while IFS="$$(printf '\t')" read -r name text; do printf '%-14s %s\n' "$$name" "$$text"; done

.PHONY: check-tools
check-tools:
	@test -n "$(PYTHON)" || { echo "rootle needs Python 3.11 or newer: set PYTHON=/path/to/python3"; exit 1; }
	@command -v cargo >/dev/null || { echo "rootle needs a Rust toolchain (cargo) of version 1.92 or newer"; exit 1; }

$(STAMPS)/venv: | check-tools
	$(PYTHON) -m venv $(VENV) || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build-deps: $(STAMPS)/venv pyproject.toml
	$(BIN)/python -m pip install --quiet --group build 'pydantic>=2.12,<3'
	@touch $@

$(STAMPS)/dev-deps: $(STAMPS)/build-deps pyproject.toml
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

$(STAMPS)/installed: $(STAMPS)/build-deps $(RUST_SOURCES) backend/helper.py pyproject.toml
	$(BIN)/python backend/helper.py >/dev/null
	$(BIN)/maturin develop --release --locked --quiet
	@touch $@

.PHONY: install
install: $(STAMPS)/installed ## build the release extension into .venv

.PHONY: demo
demo: install ## tour of the tools on this repository, with timings, then the bench
	$(BIN)/python examples/tour.py

.PHONY: test
test: lint test-rust test-python ## everything that must pass

.PHONY: lint
lint: lint-rust lint-python ## formatting, lints, types, stub against binary

.PHONY: lint-rust
lint-rust: $(STAMPS)/venv
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

.PHONY: lint-python
lint-python: $(STAMPS)/dev-deps install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest rootle._core

.PHONY: test-rust
test-rust: $(STAMPS)/venv
	cargo test --workspace --locked --quiet

.PHONY: test-python
test-python: $(STAMPS)/dev-deps install test-tools
	$(BIN)/python -m pytest

# Programs that tests use as oracles, sandboxes and surroundings; where one is missing (and apt is), its tests are skipped and say so.
.PHONY: test-tools
test-tools: strace
	@missing=""; for pair in rg:ripgrep sudo:sudo bwrap:bubblewrap sshd:openssh-server podman:podman runc:runc file:file git:git busybox:busybox-static; do \
		PATH="$$PATH:/usr/sbin" command -v "$${pair%%:*}" >/dev/null || missing="$$missing $${pair#*:}"; done; \
	test -z "$$missing" || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq $$missing >/dev/null; } || echo "note: not found:$$missing"

# Some tests kill a process at its system calls; without strace (and without apt) they are skipped.
.PHONY: strace
strace:
	@command -v strace >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq strace >/dev/null; } || echo "note: strace not found"

# As root, files that may not be read can be: the suites run without that right.
CONFORMANCE := $(shell [ "$$(id -u)" = 0 ] && command -v setpriv >/dev/null && echo setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search)
SUITE_inspect_ai := inspect-ai==0.3.285
SUITE_pydantic_ai := pydantic-ai-slim==2.68.0 anyio
SUITE_langchain := langchain-tests==1.1.9 deepagents==0.7.32

.PHONY: conformance
conformance: install sandbox-tools ## other projects' suites for sandboxes, each in an environment of its own
	@failed=; for suite in inspect_ai pydantic_ai langchain; do $(MAKE) --no-print-directory conformance-$$suite || failed="$$failed $$suite"; done; \
		test -z "$$failed" || { echo "not as expected:$$failed"; exit 1; }

.PHONY: conformance-inspect_ai conformance-pydantic_ai conformance-langchain
conformance-inspect_ai conformance-pydantic_ai conformance-langchain: conformance-%: $(VENV)/conformance-%/ready
	$(CONFORMANCE) env PYTHONPATH=python PATH="$(abspath $(VENV))/conformance-$*/bin:$$PATH" python -m pytest -c tests/conformance/pytest.ini --rootdir . \
		$(if $(filter pydantic_ai,$*),-o asyncio_mode=strict) tests/conformance/test_$*.py

$(VENV)/conformance-%/ready: Makefile
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet 'pydantic>=2.12,<3' pytest pytest-asyncio pytest-timeout $(SUITE_$*)
	@touch $@

.PHONY: faults
faults: $(STAMPS)/dev-deps install strace ## kill and fail a writing at every system call, fill disks, race processes
	ROOTLE_FAULTS=all $(BIN)/python -m pytest tests/crash

.PHONY: fidelity
fidelity: $(STAMPS)/dev-deps install ## 10,000 random edits, 10,000 parallel ones, 1,000 interleavings with another writer
	ROOTLE_FIDELITY=all $(BIN)/python -m pytest tests/fidelity -o timeout=300

.PHONY: format
format: $(STAMPS)/dev-deps ## rewrite formatting
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: bench
bench: install ## compare with other searchers on three real trees; results in benches/results
	$(BIN)/python -m benches.python.corpora
	$(BIN)/python -m benches.python.peers
	$(BIN)/python -m benches.python.run --equality

.PHONY: editgold
editgold: install ## how often edits are right, refused or wrong, beside other tools; results in benches/results
	$(BIN)/python -m benches.editgold.sources
	$(BIN)/python -m benches.editgold.peers
	$(BIN)/python -m benches.editgold.run --peers 60 --times

.PHONY: bench-rust
bench-rust: $(STAMPS)/venv ## criterion benches of the core crates
	cargo bench -p rootle-bench --locked

.PHONY: recordings
recordings: $(STAMPS)/dev-deps install test-tools ## record anew what test runners print, for the tests that read it
	$(BIN)/python -m tests.testruns.record

.PHONY: soak
soak: install ## 1,000 hostile commands, 10 GB of output, 10,000 short commands; results in benches/results/commands
	$(BIN)/python tests/soak/commands.py benches/results/commands/soak.json

.PHONY: bench-commands
bench-commands: install ## what a command costs beside asyncio's own subprocess; result in benches/results/commands
	$(BIN)/python -m benches.python.commands --json benches/results/commands/overhead.json

.PHONY: wheel
wheel: $(STAMPS)/build-deps ## abi3 wheel and sdist in dist/, proved in a fresh environment without Rust
	rm -rf dist && $(BIN)/maturin sdist --out dist
	source=$$(mktemp -d) && trap 'rm -rf "$$source"' EXIT && tar -xzf dist/*.tar.gz -C "$$source" --strip-components 1 && \
		cd "$$source" && export CARGO_TARGET_DIR="$${CARGO_TARGET_DIR:-$(abspath target)}" && \
		$(abspath $(BIN))/python backend/helper.py >/dev/null && \
		$(abspath $(BIN))/maturin build --release --quiet --out $(abspath dist)
	$(PYTHON) tests/packaging/prove_wheel.py dist

.PHONY: clean
clean: ## remove what the other targets made
	rm -rf $(VENV) target dist
