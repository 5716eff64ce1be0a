# One verb per thing that a person or the CI does. `make demo` and `make test` are the two to know.
PYTHON ?= python3
BIN = .venv/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
MANAGE = $(BIN)/python manage.py

# uv takes seconds; pip does it where uv can't reach the index (uv reads no pip configuration).
install = ($(PIP) -r bootstrap.txt && $(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes $(1)) \
  || $(PIP) -r $(1)

# The same beside what is there: nothing of it is removed or changed.
install_more = ($(PIP) -r bootstrap.txt && $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $(1)) \
  || $(PIP) -r $(1)
# Peers to compare with. Without them their rows are missing, and the output says so.
peers = @$(MAKE) --no-print-directory .venv/.bench || echo "The peers of requirements-bench.txt can't be installed here: their rows are missing"

.PHONY: setup saml pdf demo demo-check up test sweep unit e2e check format lint types layers migrations contracts migrate \
        schema docs messages lock bench score score-census score-sharing mutants chaos slurm wheel image image-check

setup: .venv/.runtime

.venv/.made:
	@echo "Making .venv (Python 3.11 or newer, with venv)"
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/.runtime: requirements.txt bootstrap.txt | .venv/.made
	@echo "Installing what the portal needs"
	@test -e .venv/.dev || { $(call install,requirements.txt); }
	@touch $@

# The same and what tests and checks need.
.venv/.dev: requirements-dev.txt bootstrap.txt | .venv/.made
	@echo "Installing what the portal, its tests and its checks need"
	@$(call install,requirements-dev.txt)
	@touch $@ .venv/.runtime

.venv/.bench: requirements-bench.txt .venv/.dev
	@echo "Installing the peers that scores and benches compare with"
	@$(call install_more,requirements-bench.txt)
	@touch $@

demo: setup
	@$(MANAGE) demo

# What signing in by SAML needs beside the rest; again after `make setup` brought other versions.
saml: .venv/.saml

.venv/.saml: requirements-saml.txt .venv/.runtime
	@echo "Installing what signing in by SAML needs"
	@$(call install_more,requirements-saml.txt)
	@touch $@

# What PDF and Parquet need beside the rest; Pango comes from the system (Debian: libpango-1.0-0, libpangoft2-1.0-0).
pdf: .venv/.pdf

.venv/.pdf: requirements-pdf.txt .venv/.runtime
	@echo "Installing what exports as PDF and Parquet need"
	@$(call install_more,requirements-pdf.txt)
	@touch $@

demo-check: setup
	@$(MANAGE) demo_check

up: setup
	@$(MANAGE) up

test: .venv/.dev
	$(BIN)/python -m pytest -n auto --dist=worksteal -m "not sweep and not browser"

# What tries every route as every reader, every attack on a sign-in, real programs, whole portals and browsers: twice as
# long. The CI runs both.
sweep: .venv/.dev
	$(BIN)/python -m pytest -n auto --dist=worksteal -m "sweep or browser"

unit: .venv/.dev
	$(BIN)/python -m pytest -n 0 tests/diagnosis

e2e: .venv/.dev
	$(BIN)/python -m pytest -n 0 -m browser

chaos: .venv/.dev
	$(BIN)/python -m pytest -n 0 -o addopts="-ra --strict-markers" tests/chaos
	PORTAL_FUZZ_SEED=$$(date +%s) PORTAL_FUZZ_TIMES=30 $(BIN)/python -m pytest -n 0 tests/fuzz
	PORTAL_TEST_EXAMPLES_PERCENT=400 $(BIN)/python -m pytest -n auto -m hypothesis
	PORTAL_TEST_EXAMPLES_PERCENT=400 $(BIN)/python -m pytest -n auto tests/scenarios/test_perturbations.py

# A whole Slurm on this machine, three minutes; as root, where its packages are installed.
slurm: .venv/.dev
	$(BIN)/python -m pytest -n 0 -o addopts="-ra --strict-markers" tests/live/test_slurm.py

bench: .venv/.dev
	$(peers)
	$(BIN)/python -m tests.bench

score: .venv/.dev
	$(peers)
	$(BIN)/python -m tests.score.reliability; reliability=$$?; $(BIN)/python -m tests.score && exit $$reliability

# Half an hour on two cores, so apart; SEEDS=101,102 for fewer.
score-census: .venv/.dev
	$(BIN)/python -m tests.score.census

# What is promised of sharing, each by its tests; an hour on two cores. ROWS="equality matrix" for some.
score-sharing: .venv/.dev
	$(BIN)/python -m tests.score.sharing $(ROWS)

# Small faults, some of each app, each against the tests that touch it: minutes an app.
# ARGS="apps/fleet --count 10 --seed 2" for more of one.
mutants: .venv/.dev
	$(BIN)/python -m tests.mutants $(ARGS)

check: format lint types layers migrations schema contracts

format: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/djangofmt --quiet --check templates apps

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/codespell apps portal tests templates docs docker .ci *.md Makefile pyproject.toml
	PORTAL_BASE_URL=https://portal.example PORTAL_SECRET_KEYS=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))') \
	  $(MANAGE) check --deploy --fail-level WARNING

types: .venv/.dev
	$(BIN)/mypy

layers: .venv/.dev
	$(BIN)/lint-imports

migrations: .venv/.dev
	$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

# Promises that are read off the code: rooms and lengths of files, names, signatures, kinds of findings, unused code.
READ_OFF = architecture class_names gate kinds no_text_taken_apart signature_names test_imports unused
contracts: .venv/.dev
	$(BIN)/python -m pytest -n 0 -q -p no:cacheprovider $(READ_OFF:%=tests/contracts/test_%.py)

migrate: setup
	$(MANAGE) migrate --database owner

# The published interface is a file under review: changing it is a diff.
schema: .venv/.dev
	$(BIN)/python -m apps.api.openapi --check docs/openapi.yaml

docs: .venv/.dev
	$(BIN)/python -m apps.api.openapi docs/openapi.yaml
	$(BIN)/python -m apps.offline.report.decision_tables docs/decisions.md

# Gathers the texts of pages for their translation and compiles it. Only this needs Debian's gettext: both files are committed.
CATALOG = portal/locale/ko/LC_MESSAGES/django
messages: .venv/.dev
	$(BIN)/python -m portal.texts > portal/texts_of_catalogs.py
	$(MANAGE) makemessages -l ko -e html,txt,py -i tests -i .venv -i var --no-wrap --no-obsolete --add-location=file
	rm portal/texts_of_catalogs.py
	sed -i '/^"POT-Creation-Date:/d' $(CATALOG).po
	msgfmt --check -o $(CATALOG).mo $(CATALOG).po
	msgfmt --statistics -o /dev/null $(CATALOG).po

lock: .venv/.dev
	$(BIN)/uv pip compile pyproject.toml --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11 --upgrade -o requirements.txt
	$(BIN)/uv pip compile pyproject.toml --extra saml --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11 -c requirements.txt --upgrade -o requirements-saml.txt
	$(BIN)/uv pip compile pyproject.toml --extra dev --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11 -c requirements-saml.txt --upgrade -o requirements-dev.txt
	$(BIN)/uv pip compile pyproject.toml --extra pdf --extra parquet --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11 -c requirements-dev.txt --upgrade -o requirements-pdf.txt
	$(BIN)/uv pip compile pyproject.toml --extra bench --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11 -c requirements-dev.txt --upgrade -o requirements-bench.txt

# What people install with pip, pipx or uv; tests/chaos/test_installed.py tries it.
wheel: .venv/.dev
	$(BIN)/python -m build --wheel --outdir dist

# With docker, podman or buildah, whichever works here.
image:
	docker/build.sh

# Builds it again where no registry can be reached, looks into it and runs all services in it; as root.
image-check: .venv/.dev
	$(BIN)/python -m pytest -n 0 tests/image/check_image.py
