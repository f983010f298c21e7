# Two words to know: `make demo` shows the page, `make test` checks everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

DEMO_LIBRARY ?= .demo
DEMO_PORT ?= 8000
DEMO_SERVE ?= 1

.DEFAULT_GOAL := help
.PHONY: help demo test check bench claims clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

# Installs again only when what is to be installed has changed; the demo needs no tools of development.
$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("lunwen needs Python 3.11 or newer, %s is %d.%d. Choose one: make PYTHON=python3.12" \
		% (sys.executable, *sys.version_info[:2]) if sys.version_info < (3, 11) else 0)'
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[eval]'
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(VENV)/installed ## the built-in papers: one search, then the page at 127.0.0.1:8000
	$(BIN)/lunwen --library $(DEMO_LIBRARY) import catalogue
	$(BIN)/lunwen --library $(DEMO_LIBRARY) search "stochastic optimization" --limit 3
ifneq ($(DEMO_SERVE),0)
	$(BIN)/lunwen --library $(DEMO_LIBRARY) serve --port $(DEMO_PORT)
endif

check: $(VENV)/installed-dev ## lint and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: check ## lint, types and all tests
	$(BIN)/pytest

bench: $(VENV)/installed-dev ## every benchmark, one after the other; figures go to benchmarks/results
	@set -e; for each in benchmarks/[a-z]*.py; do \
		echo "== $$each"; \
		$(BIN)/python -m "$$(echo "$${each%.py}" | tr / .)"; \
	done

claims: $(VENV)/installed-dev ## measure every claim of every method at full size, and write the page
	$(BIN)/lunwen check --full --write
	$(BIN)/python docs/methods.py

clean: ## remove what was installed, built and demonstrated
	rm -rf $(VENV) .demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
