# make demo: the sample world to a cited answer.  make test, make test-long, make lint: the checks.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo-data
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo serve test test-long lint lock bench clean

$(VENV)/runtime: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/test: $(VENV)/runtime
	$(PIP) -e '.[test,reason,web,llm]'
	touch $@

$(VENV)/lint: $(VENV)/test
	$(PIP) -e '.[lint]'
	touch $@

demo: $(VENV)/runtime
	$(BIN)/kgplatform demo --data $(DEMO)

serve:
	@echo "The pages and the SPARQL endpoint come with the next release; until then: make demo, then .venv/bin/kgplatform --help" >&2; exit 1

test: $(VENV)/test
	$(BIN)/python -m pytest -q -m "not long" -n 2

test-long: $(VENV)/test
	$(BIN)/python -m pytest -q -m long -n 2

lint: $(VENV)/lint
	$(BIN)/ruff check .
	$(BIN)/mypy

lock:
	uv pip compile --universal --python-version 3.11 --no-emit-index-url --no-annotate --no-header --all-extras --quiet pyproject.toml -o constraints.txt

bench: $(VENV)/test
	$(BIN)/python benchmarks/backbone.py

clean:
	rm -rf $(VENV) $(DEMO) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
