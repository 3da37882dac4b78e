# Everything is installed into .venv; nothing else is touched.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed

.PHONY: run test check bench lock clean

run: $(INSTALLED)  ## serve http://127.0.0.1:8000 with the demo set
	$(BIN)/nextpair demo --data-dir var

test: $(INSTALLED)  ## every test, on a private PostgreSQL
	$(BIN)/python -m pytest

check: $(INSTALLED)  ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(INSTALLED)  ## speed, as ratios inside one run
	$(BIN)/python -m benchmarks

lock: $(INSTALLED)  ## renew requirements.lock from pyproject.toml
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate \
		--extra dev pyproject.toml --output-file requirements.lock

clean:
	rm -rf .venv var

$(INSTALLED): pyproject.toml requirements.lock
	@echo "Installing into .venv, which takes about a minute"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint requirements.lock --editable '.[dev]'
	touch $@
