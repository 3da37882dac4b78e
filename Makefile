# Everything is installed into .venv, from locks with hashes; nothing else is touched.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/pip install --quiet --require-hashes --requirement
OURSELVES := --quiet --no-deps --editable ./client --editable .
INSTALLED := .venv/.installed
TOOLS_INSTALLED := .venv/.tools-installed
BROWSER_INSTALLED := .venv/.browser-installed
RAY_INSTALLED := .venv/.ray-installed
DOCS_INSTALLED := .venv/.docs-installed
PEERS_INSTALLED := .venv-peers/.installed

# Node.js comes from PyPI, so that everything needs Python and make alone.
NODE_INSTALLED := .venv-node/.installed
WITH_NODE := PATH="$(CURDIR)/.venv-node/bin:$$PATH"
NODE_TOOLS := app/web/node_modules/.bin
NODE_TOOLS_INSTALLED := app/web/node_modules/.installed
CONTRACT_TYPES := app/web/node_modules/contract.d.ts
LIBRARIES := app/web/static/vendor/marked.js

VLLM := .venv-vllm/bin
VLLM_INSTALLED := .venv-vllm/.installed
TINY_JUDGE := .venv-vllm/tiny-judge
PYTEST_VLLM := NEXTPAIR_TINY_JUDGE=$(TINY_JUDGE) NEXTPAIR_COMMAND=$(BIN)/nextpair OMP_NUM_THREADS=1 $(VLLM)/python -m pytest \
	-c tests/judge_worker/vllm/pytest.ini --confcutdir tests/judge_worker/vllm
TORCH := $(shell grep '^torch==' judge_worker/requirements-cpu.lock)

LOWEST := .venv-lowest/bin
QUICK := $(addprefix tests/,client files inference api/test_health.py api/test_openapi.py api/test_rankings.py api/test_sets.py \
	api/test_events.py storage/test_db.py storage/test_migrations.py judge_worker/test_verdicts.py test_main.py)
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-package nextpair --no-header --no-annotate

.DEFAULT_GOAL := help
.PHONY: help run vendor test test-end-to-end test-docs test-faults test-studies test-browser test-ray test-wheels wheels test-lowest install-browser install-ray check-js test-js test-vllm demo-vllm install-vllm check bench bench-quick install-peers openapi check-contract check-openapi docs lock clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

run: $(INSTALLED) vendor  ## serve http://127.0.0.1:8000 with the demo set
	$(BIN)/nextpair demo --data-dir var

vendor:  ## the pages' libraries and font, from npm; without a network pages show plain text in a system font
	@$(MAKE) --no-print-directory $(LIBRARIES) 2>/dev/null \
		|| echo "No libraries for the pages, which show plain text in a system font: \`make $(LIBRARIES)\` says why"

# Tests run on every core already: threads of BLAS would only wait for each other. One process more than cores, as tests also wait.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist worksteal
OF_PROCESSES := tests/end_to_end tests/storage/test_embedded.py

test: $(TOOLS_INSTALLED)  ## every test but those of other targets, on a private PostgreSQL
	$(PYTEST) -m 'not study' --ignore tests/docs $(addprefix --ignore ,$(OF_PROCESSES))

test-end-to-end: $(TOOLS_INSTALLED)  ## servers, workers and commands as processes, and what ends them
	$(PYTEST) $(OF_PROCESSES)

test-docs: $(TOOLS_INSTALLED)  ## README and the docs: their links, claims, examples and every block, run or parsed
	$(PYTEST) tests/docs

test-faults: $(TOOLS_INSTALLED)  ## the races and faults of `make test`, a thousand times over
	NEXTPAIR_ROUNDS=1000 $(BIN)/python -m pytest tests/faults

test-studies: $(TOOLS_INSTALLED)  ## what many simulated sets show, and the studies of benchmarks, in small
	$(PYTEST) -m study

test-browser: $(BROWSER_INSTALLED) vendor  ## the pages in a real Chromium; skipped, and says so, where there is none
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile -c tests/browser/pytest.ini --confcutdir tests/browser tests/browser

test-ray: $(RAY_INSTALLED)  ## files judged on a real Ray on this machine, whose engines are killed
	$(BIN)/python -m pytest -c tests/ray/pytest.ini --confcutdir tests/ray tests/ray

test-wheels: $(TOOLS_INSTALLED) $(LIBRARIES)  ## both wheels, installed away from the project; ONLY='not slow' leaves out the service
	$(BIN)/python -m pytest -c tests/wheels/pytest.ini --confcutdir tests/wheels -m '$(ONLY)' tests/wheels

wheels: $(INSTALLED) $(LIBRARIES)  ## both wheels, in dist/
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist ./client .

test-lowest: $(TOOLS_INSTALLED)  ## quick tests with the oldest versions that pyproject.toml admits
	$(BIN)/pip install --quiet uv
	$(PYTHON) -m venv .venv-lowest
	$(BIN)/uv pip install --quiet --python $(LOWEST)/python --resolution lowest-direct --group test --editable ./client --editable '.[all]'
	$(LOWEST)/python -m pytest --numprocesses auto --dist loadfile -o filterwarnings=default -m 'not slow and not study' $(QUICK)

install-browser: $(BROWSER_INSTALLED)  ## Playwright, and a Chromium where it can be downloaded and none is there

install-ray: $(RAY_INSTALLED)  ## Ray, for nextpair judge --ray

check-js: $(CONTRACT_TYPES)  ## the pages' scripts against the contract's types
	$(WITH_NODE) $(NODE_TOOLS)/tsc --project app/web

test-js: $(NODE_INSTALLED)  ## what the pages' scripts compute
	$(WITH_NODE) node --test --test-reporter=dot tests/js/*.test.mjs tests/js/*/*.test.mjs

# The transformer's tests load numerics, and so llvmlite, on which vLLM stumbles as it looks into every loaded module.
test-vllm: $(INSTALLED) $(TINY_JUDGE)  ## the worker with a real vLLM, on the CPU
	$(PYTEST_VLLM) tests/judge_worker/vllm --ignore tests/judge_worker/vllm/test_transformer.py
	$(PYTEST_VLLM) tests/judge_worker/vllm/test_transformer.py

demo-vllm: $(INSTALLED) $(TINY_JUDGE)  ## a set that a judge trained here ranks while you watch
	$(VLLM)/python -m examples.demo_vllm --service $(BIN)/nextpair --judge $(TINY_JUDGE)

install-vllm: $(VLLM_INSTALLED)  ## vLLM for the CPU, in an environment of its own

check: $(TOOLS_INSTALLED)  ## format, lint, types, construction, import contracts, style of the texts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_construction.py
	$(BIN)/lint-imports
	$(BIN)/python -m docs.style

bench: $(INSTALLED) $(PEERS_INSTALLED)  ## speed beside limits and peers, as ratios inside one run: several minutes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.speed

bench-quick: $(INSTALLED)  ## the same with fewer sizes and without peers, in a minute
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.speed --quick

install-peers: $(PEERS_INSTALLED)  ## what make bench compares with, in an environment of its own

openapi: $(INSTALLED)  ## write docs/openapi.json with examples of a real run, and name what breaks clients
	$(BIN)/python -m docs.examples
	$(BIN)/python -m docs.openapi

check-contract: $(INSTALLED)  ## is each change that breaks clients, since the main branch, named in CHANGELOG.md
	$(BIN)/python -m docs.openapi --check

check-openapi: $(NODE_TOOLS_INSTALLED)  ## docs/openapi.json by Redocly
	$(WITH_NODE) REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
		$(NODE_TOOLS)/redocly lint --extends recommended-strict docs/openapi.json

docs: $(DOCS_INSTALLED)  ## the docs site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "Open site/index.html"

lock: $(INSTALLED)  ## renew the locks from pyproject.toml
	$(BIN)/pip install --quiet uv
	$(LOCK) --extra all --group build pyproject.toml --output-file requirements.lock
	$(LOCK) --group dev --constraint requirements.lock --output-file requirements-dev.lock
	$(LOCK) --group docs --constraint requirements.lock --constraint requirements-dev.lock --output-file requirements-docs.lock
	$(LOCK) --group browser --constraint requirements.lock --constraint requirements-dev.lock --output-file requirements-browser.lock
	$(LOCK) --group node --output-file requirements-node.lock
	$(LOCK) --extra ray --constraint requirements.lock --constraint requirements-dev.lock pyproject.toml --output-file requirements-ray.lock

clean:  ## remove all that was installed, built or kept here
	rm -rf .venv .venv-node .venv-vllm .venv-lowest .venv-peers benchmarks/results app/web/node_modules app/web/static/vendor var site dist

$(INSTALLED): pyproject.toml client/pyproject.toml requirements.lock
	@echo "Installing into .venv: 240 MB to download, 0.9 GB on disk, about a minute"
	$(PYTHON) -m venv .venv
	$(INSTALL) requirements.lock
	$(BIN)/pip install --no-build-isolation $(OURSELVES)
	touch $@

$(TOOLS_INSTALLED): $(INSTALLED) requirements-dev.lock
	@echo "Installing what tests and checks need"
	$(INSTALL) requirements-dev.lock
	touch $@

# A Chromium that cannot be downloaded is no error: the tests then say how to get one, and skip.
$(BROWSER_INSTALLED): $(TOOLS_INSTALLED) requirements-browser.lock
	$(INSTALL) requirements-browser.lock
	$(BIN)/python -m tests.browser.chromium || $(BIN)/playwright install chromium || true
	touch $@

$(RAY_INSTALLED): $(TOOLS_INSTALLED) requirements-ray.lock
	$(INSTALL) requirements-ray.lock
	touch $@

$(DOCS_INSTALLED): $(INSTALLED) requirements-docs.lock
	$(INSTALL) requirements-docs.lock
	touch $@

$(PEERS_INSTALLED): benchmarks/speed/peers.txt
	@echo "Installing what is compared with into .venv-peers: 1 GB on disk, about a minute"
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet --requirement benchmarks/speed/peers.txt
	touch $@

$(NODE_INSTALLED): requirements-node.lock
	@echo "Installing Node.js into .venv-node: 61 MB to download, 0.2 GB on disk, a few seconds"
	$(PYTHON) -m venv .venv-node
	.venv-node/bin/pip install --quiet --require-hashes --requirement $<
	touch $@

$(NODE_TOOLS_INSTALLED): app/web/package.json app/web/package-lock.json $(NODE_INSTALLED)
	$(WITH_NODE) npm ci --prefix app/web --no-audit --no-fund
	touch $@

$(LIBRARIES): app/web/vendor.mjs $(NODE_TOOLS_INSTALLED)
	$(WITH_NODE) npm run --silent --prefix app/web vendor
	touch $@

$(CONTRACT_TYPES): docs/openapi.json $(NODE_TOOLS_INSTALLED)
	$(WITH_NODE) $(NODE_TOOLS)/openapi-typescript $< --root-types --root-types-no-schema-prefix --output $@

# The lock holds everything, hence --no-deps: vLLM for the CPU asks for builds of torchvision and others that need a GPU.
# Its torch is a build for the CPU, which is on PyTorch's own index where no other source has it.
$(VLLM_INSTALLED): judge_worker/requirements-cpu.lock
	@echo "Installing vLLM for the CPU into .venv-vllm: 2.3 GB, which takes a minute or two"
	$(PYTHON) -m venv .venv-vllm
	$(VLLM)/pip install --quiet --no-deps $(TORCH) || \
		$(VLLM)/pip install --quiet --no-deps --index-url https://download.pytorch.org/whl/cpu $(TORCH)
	$(VLLM)/pip install --quiet --no-deps --requirement judge_worker/requirements-cpu.lock
	$(VLLM)/pip install $(OURSELVES)
	touch $@

$(TINY_JUDGE): $(VLLM_INSTALLED) examples/tiny_judge.py judge_worker/templates/comparative.jinja
	@echo "Training a judge, which takes a minute"
	HF_HUB_OFFLINE=1 $(VLLM)/python -m examples.tiny_judge $@
	touch $@
