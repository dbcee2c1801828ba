# One command each, on a machine that has python3 (3.11 or newer), git and make:
#   make run     install the light core, run the main job             (ARGS="seed=1 scale=smoke" adds overrides)
#   make test    install what the tests need and run them             (ARGS="-k kills" goes to pytest)
#   make lint    style and types
#   make test-heavy  the tests that kill runs and start them again
#   make test-training  training for real, on the CPU: needs launchers/training/setup.sh cpu
#   make test-embedding  texts embedded by a real model, on the CPU: needs launchers/embedding/setup.sh
#   make test-local-model  every role by a real model, on the CPU: needs launchers/local_model/setup.sh
#   make bench   the figures of the README
#   make docs    write docs/configuration.md and docs/catalogue.md anew
# Installing is repeated only when pyproject.toml or constraints.txt change.

PYTHON ?= python3
VENV   ?= .venv
ARGS   ?=
# Tests side by side: each process begins with a stretch of files, so that most fixtures are made once.
JOBS   ?= 2
BIN    := $(VENV)/bin
# What is imported is compiled when it is; compiling everything doubles the time to install.
PIP_FLAGS := --disable-pip-version-check --quiet --no-compile

# What a process imports it keeps compiled, whatever the shell says: a short process is else mostly compiling.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-heavy test-training test-embedding test-local-model lint bench docs clean
.DELETE_ON_ERROR:

run: $(VENV)/.core
	$(BIN)/python -m envfactory $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist=worksteal -m "not heavy and not training and not local_model and not embedding" $(ARGS)

test-heavy: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist=worksteal -m heavy $(ARGS)

test-training: $(VENV)/.dev
	$(BIN)/python -m pytest -m training $(ARGS)

test-embedding: $(VENV)/.dev
	$(BIN)/python -m pytest -m embedding $(ARGS)

test-local-model: $(VENV)/.dev
	$(BIN)/python -m pytest -m local_model $(ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

bench: $(VENV)/.dev
	$(BIN)/python -m pytest --benchmark-enable -p no:xdist tests/benchmarks $(ARGS)

docs: $(VENV)/.dev
	$(BIN)/python -m envfactory.config.reference
	$(BIN)/python -m tests.mutation.page

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .benchmarks

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install $(PIP_FLAGS) --editable . --constraint constraints.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install $(PIP_FLAGS) --editable '.[dev]' --constraint constraints.txt
	@touch $@

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "make: no '$(PYTHON)' here; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $(PYTHON) is $$($(PYTHON) -V 2>&1); Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "make: $(PYTHON) cannot create virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
