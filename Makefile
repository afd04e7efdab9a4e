# Each recipe first makes .venv fit its lock, which costs nothing when it does.

SETUP := sh scripts/bootstrap.sh
PYTHON := .venv/bin/python
# As typed and not expanded by make: a folder's name may hold spaces, quotes and dollars.
export DALHC_FOLDER := $(value FOLDER)
export DALHC_PROCESS := $(value PROCESS)
COMPILE := ../.venv/bin/uv pip compile --quiet --universal --python-version 3.12 \
  --generate-hashes --no-annotate --no-header --no-emit-index-url

.PHONY: help run agent agents test prove test-sqlite test-postgres lint format bench lock

help:
	@echo 'make run                     start the server (PORT=8000 DALHC_HOME=.dalhc DALHC_DEMO=1)'
	@echo 'make agent FOLDER=~/Documents [PROCESS=id]    find duplicate files and ask about them'
	@echo 'make agents [N=200]          simulated agents that sleep, and two workers that wake them'
	@echo 'make test [ARGS="-k inbox"]  every test, on SQLite and on PostgreSQL; needs chromium, nginx, strace'
	@echo 'make prove                   files and database alike, and killed, many times over'
	@echo 'make lint                    style, types, imports, templates, spelling'
	@echo 'make format                  mend what the tools can mend'
	@echo 'make bench                   measure, and keep the figures in benches/results'
	@echo 'make lock [UPGRADE=-U]       write requirements/*.txt anew'

# exec: the server itself becomes make's child and gets the signals meant for it.
run:
	@$(SETUP) run && exec $(PYTHON) manage.py serve

agent:
	@case "$$DALHC_FOLDER" in \
	  "") echo 'Say which folder: make agent FOLDER=~/Documents' >&2; exit 2;; \
	  "~"|"~/"*) DALHC_FOLDER=$$HOME$${DALHC_FOLDER#"~"};; \
	esac; \
	$(SETUP) run && exec $(PYTHON) -m dalhc.client.agent \
	  $${DALHC_PROCESS:+--process "$$DALHC_PROCESS"} -- "$$DALHC_FOLDER"

agents:
	@$(SETUP) run && exec $(PYTHON) -m dalhc.client.agents $(or $(N),200)

test: test-sqlite test-postgres

test-sqlite:
	@$(SETUP) dev
	@$(PYTHON) scripts/chromium.py
	@$(PYTHON) -m pytest -n 2 --dist loadfile $(ARGS)

# What touches a database once more, on a PostgreSQL of its own or on that of TEST_DATABASE_URL.
test-postgres:
	@$(SETUP) dev
	@DALHC_TEST_DATABASE=postgres $(PYTHON) -m pytest -n 2 --dist loadfile $(ARGS)

# The same tests with many more cases: hours of random verbs and kills, in minutes.
prove:
	@$(SETUP) dev
	@PROVE=1 $(PYTHON) -m pytest tests/differential tests/crash \
	  tests/descriptors/test_cycle.py tests/attack tests/docs $(ARGS)
	@PROVE=1 DALHC_TEST_DATABASE=postgres $(PYTHON) -m pytest tests/crash \
	  tests/descriptors/services $(ARGS)

# DALHC_HOME: mypy's plugin loads the settings, which make a folder of data.
lint:
	@$(SETUP) dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	DALHC_HOME=.mypy_cache/home $(PYTHON) -m mypy
	.venv/bin/lint-imports
	find templates -name '*.html' -exec .venv/bin/djade --target-version 6.1 --check {} +
	.venv/bin/codespell

format:
	@$(SETUP) dev
	-.venv/bin/ruff check --fix .
	.venv/bin/ruff format .
	-find templates -name '*.html' -exec .venv/bin/djade --target-version 6.1 {} +

# What measures something ends with sys.exit(main()); the other files there serve those.
bench:
	@$(SETUP) dev
	@status=0; for file in $$(grep -l '^ *sys.exit(main())' benches/*.py); do \
	  name=$$(basename $$file .py); echo "== $$name"; \
	  $(PYTHON) -m benches.$$name || status=1; \
	done; exit $$status

# dev holds what run holds, so that an environment for tests can also serve.
lock:
	@$(SETUP) dev
	cd requirements && $(COMPILE) $(UPGRADE) uv.in -o uv.txt
	cd requirements && $(COMPILE) $(UPGRADE) run.in -o run.txt
	cd requirements && $(COMPILE) $(UPGRADE) -c run.txt dev.in -o dev.txt
	@! grep -nE '://|^-' requirements/*.txt || { echo 'An address is in a lock.' >&2; exit 1; }
