# Everything a new machine needs is Python 3.11 or later with pip, and make.
#   make demo   set up, compare the protocols on embedded real data, write demo/kosarak.json
#   make test   set up, then lint, types, import layers, tests, and the built wheel in a clean environment
#   make check-slow   the tests that take minutes

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
PIP_FLAGS := --disable-pip-version-check --quiet
# The environment is made without its own pip, so that Debian's Python does not need python3-venv.
PIP := $(PYTHON) -m pip --python $(RUN)/python $(PIP_FLAGS)

.PHONY: help chromium screenshots demo test lint types layers unit test-wheel check-slow bench audit-peers lock format clean

help:
	@sed -n 's/^#   //p' Makefile
	@echo "also: make lint types layers unit test-wheel check-slow bench audit-peers screenshots format lock clean"

$(RUN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "qifldp needs Python 3.11 or later; set PYTHON=/path/to/python3." >&2; exit 1; }
	$(PYTHON) -m venv --without-pip $(VENV)

$(VENV)/.base: requirements/base.txt pyproject.toml | $(RUN)/python
	@echo "Installing pinned dependencies …"
	@$(PIP) install --require-hashes -r requirements/base.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.base
	@echo "Installing pinned test tools …"
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

demo: $(VENV)/.base
	@mkdir -p demo
	@$(RUN)/qifldp compare --dataset kosarak --epsilon 1 --out demo/kosarak.json

test: lint types layers unit test-wheel

lint: $(VENV)/.dev
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

types: $(VENV)/.dev
	$(RUN)/mypy

layers: $(VENV)/.dev
	$(RUN)/lint-imports --no-logo

# Without a browser, which not every machine can install, its tests are skipped and say so.
unit: $(VENV)/.dev
	@$(MAKE) --no-print-directory chromium || echo "No browser: the tests in tests/browser will be skipped."
	$(RUN)/pytest -n auto -m "not slow"

check-slow: $(VENV)/.dev
	$(RUN)/pytest -n auto -m slow

test-wheel: $(VENV)/.dev
	rm -rf build/wheel build/clean
	$(RUN)/python -m build --wheel --no-isolation --outdir build/wheel . >/dev/null
	$(PYTHON) -m venv --without-pip build/clean
	$(PYTHON) -m pip --python build/clean/bin/python $(PIP_FLAGS) install --require-hashes -r requirements/base.txt
	$(PYTHON) -m pip --python build/clean/bin/python $(PIP_FLAGS) install --no-deps build/wheel/*.whl
	$(PYTHON) -m pip --python build/clean/bin/python $(PIP_FLAGS) check
	cd build && clean/bin/python -I ../tests/packaging/installed_wheel.py

# The browser of the tests in tests/browser: the system's where there is one, else Debian's, else Playwright's own.
CHROMIUM := chromium-headless-shell chromium chromium-browser google-chrome-stable

chromium: $(VENV)/.dev
	@if [ -n "$$QIFLDP_CHROMIUM" ]; then exit 0; fi; \
	for name in $(CHROMIUM); do if command -v $$name >/dev/null; then exit 0; fi; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && \
		apt-get install -y -qq --no-install-recommends chromium-headless-shell fonts-liberation >/dev/null; \
	else $(RUN)/playwright install --only-shell chromium; fi

screenshots: chromium
	rm -rf build/screenshots && mkdir -p build/screenshots
	$(RUN)/qifldp compare --dataset kosarak --epsilon 1 --html build/screenshots/kosarak.html >/dev/null
	$(RUN)/qifldp compare --domain-size 50 --epsilon 0.5,1,2 --html build/screenshots/budgets.html >/dev/null
	$(RUN)/qifldp compare --domain-size 50 --max-asr 0.05 --html build/screenshots/limit.html >/dev/null
	PYTHONPATH=tests $(RUN)/python tests/browser/screenshots.py build/screenshots/*.html --out build/screenshots
	PYTHONPATH=tests $(RUN)/python tests/browser/shots_explorer.py --out build/screenshots

bench: requirements/bench.txt
	$(PYTHON) -m venv --without-pip build/bench
	$(PYTHON) -m pip --python build/bench/bin/python $(PIP_FLAGS) install --require-hashes -r requirements/bench.txt
	$(PYTHON) -m pip --python build/bench/bin/python $(PIP_FLAGS) install --no-deps --no-build-isolation --editable .
	build/bench/bin/python benchmarks/measures.py
	build/bench/bin/python benchmarks/refinement.py
	build/bench/bin/python benchmarks/collection.py
	build/bench/bin/python benchmarks/weights.py

# The audit of other libraries' clients, each installed from the package index in an environment of its own.
audit-peers: $(VENV)/.base
	$(PYTHON) -m venv --without-pip build/peers/multi-freq-ldpy
	$(PYTHON) -m pip --python build/peers/multi-freq-ldpy/bin/python $(PIP_FLAGS) install \
		multi-freq-ldpy==0.2.5 "xxhash<4"
	$(PYTHON) -m venv --without-pip build/peers/pure-ldp
	$(PYTHON) -m pip --python build/peers/pure-ldp/bin/python $(PIP_FLAGS) install \
		pure-ldp==1.2.0 "xxhash<4" scikit-learn statsmodels
	$(RUN)/python audits/peers.py --multi-freq-ldpy build/peers/multi-freq-ldpy/bin/python \
		--pure-ldp build/peers/pure-ldp/bin/python

format: $(VENV)/.dev
	$(RUN)/ruff format .
	$(RUN)/ruff check --fix .

lock:
	for name in base dev bench; do \
		uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
			--no-emit-find-links --no-header requirements/$$name.in -o requirements/$$name.txt; \
	done

clean:
	rm -rf $(VENV) build dist demo .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
