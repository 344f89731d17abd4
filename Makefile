# Two lines do everything on a machine with Python 3.11 or newer: make demo, make test.

SHELL := bash
PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11,\
	$(shell $(name) -c 'import sys; sys.version_info >= (3, 11) and print("$(name)")' 2>/dev/null)))
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS := .ci/constraints.txt
# Of what pip says, the large downloads are shown: they take minutes.
INSTALL := set -o pipefail; $(BIN)/python -m pip install --disable-pip-version-check -c $(CONSTRAINTS)
LARGE := | awk '/(Downloading|Using cached).*(GB|[0-9][0-9]\.[0-9] MB)\)/ || /^Installing/ {print substr($$0, 1, 90); fflush()}'

# PyTorch and the engines take gigabytes of a process, and leave threads in it: tests that load them have
# processes of their own, one a core. Others often wait, for a server or a page: two a core.
WITH_NETWORKS := tests/answers tests/models tests/sets tests/score tests/comparison tests/finetune tests/test_api.py \
	tests/release/test_export.py tests/release/multilabel/test_export.py tests/reporting/test_again.py
CORES := $(shell nproc 2>/dev/null || echo 2)
# Each core has a process already: threads of the linear algebra would only wait for each other.
# Every process reads all tests, which takes five times as long where Python may keep none compiled.
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder
# What decides, and needs no browser, server or network.
QUICK := tests/statistics tests/core tests/classes tests/scrape/test_queries.py tests/scrape/test_yields.py tests/label/queue \
	tests/tta/logs tests/tta/test_several_runs.py tests/test_docs.py

.PHONY: demo factors-demo docs test answers quick soak check clean newest

demo: $(VENV)/demo-installed  ## the whole way once, on real photos, without a key
	PATH="$(CURDIR)/$(BIN):$$PATH" docs/demo/demo.sh

factors-demo: $(VENV)/demo-installed  ## which of four switches mattered, from 72 short trainings
	PATH="$(CURDIR)/$(BIN):$$PATH" docs/factors-demo/demo.sh

docs: $(VENV)/docs-installed  ## the documentation as a site with search: build/docs/index.html
	$(BIN)/python -m sphinx -q -W --keep-going -c docs . build/docs
	cp build/docs/README.html build/docs/index.html

test: $(VENV)/dev-installed  ## the tests; those that miss a Debian package say which
	$(PYTEST) -m 'not soak' -n $(CORES) $(WITH_NETWORKS)
	$(PYTEST) -m 'not soak' -n $(shell expr 2 '*' $(CORES)) $(addprefix --ignore=,$(WITH_NETWORKS))

answers: $(VENV)/dev-installed  ## record what commands answer anew; then read the diff of tests/answers
	$(PYTEST) tests/answers --record

quick: $(VENV)/dev-installed  ## the rooms that decide, in a minute and a half: for the inner loop
	$(PYTEST) -m 'not soak and not browser' -n $(CORES) $(QUICK)

soak: $(VENV)/dev-installed  ## the long tests: kills, loads, several machines, real networks by every way
	$(PYTEST) -m soak --timeout 3600 -n $(CORES)

newest:  ## the tests on today's versions of all dependencies, in an environment of its own
	$(MAKE) test VENV=.venv-newest CONSTRAINTS=/dev/null

check: $(VENV)/dev-installed  ## linter, formatter, types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

clean:
	rm -rf $(VENV) .venv-newest demo-workspace factors-demo

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "genset needs Python 3.11 or newer: none was found" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Python's venv module is missing: on Debian, apt install python3-venv" >&2; exit 1; }

$(VENV)/demo-installed: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	@echo "Installing genset and PyTorch (a few GB, once) ..."
	@$(INSTALL) -e '.[evaluate,label,demo]' $(LARGE)
	@touch $@

$(VENV)/dev-installed: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	@echo "Installing genset, PyTorch and the test tools (a few GB, once) ..."
	@$(INSTALL) -e '.[dev]' $(LARGE)
	@touch $@ $(VENV)/demo-installed

$(VENV)/docs-installed: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	$(INSTALL) -e '.[docs]'
	@touch $@
