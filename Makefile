# `make build` and `make test` are all that a newcomer types. They need python3 with venv and pip;
# uv is brought into .uv/ where it is missing, and never downloads an interpreter.

UV := $(shell command -v uv 2>/dev/null || echo .uv/bin/uv)
RUN := $(UV) run --no-sync
export UV_PYTHON_DOWNLOADS := never
# A pipeline starts many processes: what is compiled once is kept (.dvcignore keeps it out of digests).
export PYTHONDONTWRITEBYTECODE :=

.PHONY: build test check format bench setup clean

build: setup  ## set up, rebuild the bundled release, and score the baseline on it
	$(RUN) dvc repro
	$(RUN) goldsmith show --funnel
	$(RUN) goldsmith show data/score/baseline

test: setup  ## the whole suite
	$(RUN) pytest -n auto

check: setup  ## what a commit must pass: lint, format, types, architecture
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) mypy
	$(RUN) pytest tests/test_architecture.py tests/test_pipeline_file.py

format: setup
	$(RUN) ruff check --fix
	$(RUN) ruff format

bench: setup  ## ratios beside peers, printed and written to benchmarks/results.json
	$(UV) sync --locked --group bench --quiet
	$(RUN) python -m benchmarks

setup: $(UV)
	$(UV) sync --locked --quiet

.uv/bin/uv:
	python3 -m venv .uv
	.uv/bin/pip install --quiet 'uv>=0.9'

clean:  ## what can be made again; releases and the ledger stay
	rm -rf .venv .uv data/build data/score
