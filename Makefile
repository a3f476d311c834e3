# The door to everything. `make demo` and `make test` set up what they need by themselves.

PYTHON ?= python3
ROUNDS ?= 200
ARGS ?=

BIN := .venv/bin
READY := .venv/.ready

# 300 examples of each property instead of 10: tests/conftest.py
MANY := --hypothesis-profile=many

# The tests start felix a hundred times, and their own files are long to prepare: what was compiled is kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo play test test-slow test-all test-kill cover lint fmt docs gallery snapshots examples grammar dictionary bench clean

help:
	@echo "make demo       a whole game by real e-mail on this machine   (ARGS='--players 3 --seed 7')"
	@echo "make play       a game in this terminal, now, against computer players"
	@echo "make test       the tests"
	@echo "make test-slow  the slow ones alone, and the properties with many more examples"
	@echo "make test-all   all of them"
	@echo "make test-kill  kill -9 while writing, ROUNDS=$(ROUNDS) times"
	@echo "make cover      the tests with branch coverage; the rules and the log must have all of it"
	@echo "make lint       ruff, mypy, import-linter, generated docs, file lengths"
	@echo "make fmt        format the code"
	@echo "make docs       write the generated parts of the docs anew"
	@echo "make gallery    every kind of mail as HTML, text and pictures, to look at"
	@echo "make snapshots  what felix writes, kept anew for the tests   (ARGS='mails year'; CONTRIBUTING.md)"
	@echo "make examples   the games of examples/games, and their pages, written anew"
	@echo "make grammar    how plain words are read, kept anew beside the reader's number"
	@echo "make dictionary what most letters say, to pack them with   (ARGS=2.zdict, see CONTRIBUTING.md)"
	@echo "make bench      project and yardstick side by side"
	@echo "make clean      remove what make made"

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("felix needs Python 3.11 or newer") if sys.version_info < (3, 11) else 0'
	@test -d .venv || $(PYTHON) -m venv .venv
	@echo "setting up .venv"
	@PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

demo: $(READY)
	@$(BIN)/felix demo --seed 2 $(ARGS)

play: $(READY)
	@$(BIN)/felix play $(ARGS)

test: $(READY)
	@$(BIN)/pytest -n 2 --dist loadfile -m "not slow" $(ARGS)

test-slow: $(READY)
	@$(BIN)/pytest -n 2 --dist loadfile $(MANY) -m "slow or hypothesis" $(ARGS)

test-all: $(READY)
	@$(BIN)/pytest -n 2 --dist loadfile $(MANY) $(ARGS)

test-kill: $(READY)
	@KILL_ROUNDS=$(ROUNDS) $(BIN)/pytest tests/kill $(ARGS)

cover: $(READY)
	@$(BIN)/pytest -n 2 --dist loadfile -m "not slow" --cov --cov-report=term:skip-covered
	@$(BIN)/coverage report --include='felix_async/game/*,felix_async/draw.py,felix_async/audit/*,felix_async/follow_up/notices.py,events/*' \
		--fail-under=100 --show-missing

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/cog --check README.md ARCHITECTURE.md docs/commands.md docs/playing.md
	@$(BIN)/python -m felix_events.schemas --check events/schemas
	@git ls-files '*.py' | xargs wc -l | awk '$$2 != "total" && $$1 > 450 { print $$2 ": " $$1 " lines, 450 is the limit"; bad = 1 } END { exit bad }'

fmt: $(READY)
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

docs: $(READY)
	@$(BIN)/python -m felix_events.schemas events/schemas
	@$(BIN)/cog -r README.md ARCHITECTURE.md docs/commands.md docs/playing.md

gallery: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m gallery gallery

snapshots: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m snapshots $(ARGS)

examples: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m golden.examples

grammar: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m meaning.pinned

dictionary: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m gallery.dictionary $(ARGS)

bench: $(READY)
	@PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@$(BIN)/python -m bench $(ARGS)

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis bench.json gallery felix-demo*.db* felix-demo*.html
	find . -name __pycache__ -prune -exec rm -rf {} +
