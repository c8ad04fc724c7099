# make demo | test | check | fuzz | sets: each sets up what it needs in .venv, from the lock, and nothing outside this folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The lock names everything, so nothing is left to resolve.
INSTALL := pip install -q --no-deps

.PHONY: demo test check lint types fuzz sets lock clean

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Veracity needs Python 3.11 or newer; set PYTHON=/path/to/it.")'
	@echo "setting up $(VENV) ..."
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || { echo "Python cannot make virtual environments here; on Debian: apt-get install python3-venv."; exit 1; }
	@awk '/^[^ ]/ { on = /^uv==/ } on' requirements.lock >$(VENV)/uv.lock
	@$(BIN)/$(INSTALL) --disable-pip-version-check --require-hashes -r $(VENV)/uv.lock
	@# uv takes seconds where pip takes a minute; pip knows package indexes that only its own settings name.
	@$(BIN)/uv $(INSTALL) --python $(BIN)/python --require-hashes -r requirements.lock 2>$(VENV)/uv.log \
		|| $(BIN)/$(INSTALL) --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	@$(BIN)/$(INSTALL) --disable-pip-version-check --no-build-isolation -e .
	@$(BIN)/pip check -q --disable-pip-version-check
	@touch $@

demo: $(READY)
	@sh demo.sh $(BIN)/veracity

test: $(READY)
	$(BIN)/pytest -n auto --dist worksteal

check: lint types

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

fuzz: $(READY)
	$(BIN)/pytest -n auto --dist worksteal -m hypothesis --hypothesis-profile random

sets: $(READY)
	$(BIN)/pytest -n auto --dist worksteal tests/test_guard_sets.py tests/test_ledger_questions.py --whole-sets

lock: $(READY)
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --upgrade -o requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
