"""Where things are in a project; path arithmetic only, nothing is opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from specwiki.core.result import Result


@dataclass(frozen=True)
class Store:
    """One of the two stores, `data/` (published) and `.specwiki/data/` (this machine's): the same layout."""

    root: Path

    @property
    def results(self) -> Path:
        """Folder of all results."""
        return self.root / "results"

    def result_file(self, result: Result) -> Path:
        """`results/<profile>/<machine>/<slug>/<as_of>-<run_id>-<derivation>.json`."""
        folder = self.results / result.profile / result.machine / result.experiment
        return folder / f"{result.as_of.isoformat()}-{result.run_id}-{result.derivation}.json"

    @property
    def prompts(self) -> Path:
        """Folder of prompt sets, one TOML file each; in the local store those that were imported here."""
        return self.root / "prompts"

    def runs_of(self, profile: str, machine: str, slug: str) -> Path:
        """Folder of the raw files of every run of one key."""
        return self.root / "runs" / profile / machine / slug

    def run_folder(self, result: Result) -> Path:
        """Raw files of the run that a result came from; of a reading, its notebook alone."""
        return self.runs_of(result.profile, result.machine, result.experiment) / result.run_id

    def blocks_folder(self, result: Result) -> Path:
        """Where the blocks lie that a result was derived from."""
        return self.runs_of(result.profile, result.machine, result.run_of or result.experiment) / result.run_id


@dataclass(frozen=True)
class Layout:
    """The folders of one project.

    Attributes:
        root: Folder that holds `mkdocs.yml`, `docs`, `experiments`, `profiles` and `data`.
        local: The local store; `SPECWIKI_DATA`, or `.specwiki/data` below the root.
    """

    root: Path
    local: Store

    @property
    def published(self) -> Store:
        """The committed store."""
        return Store(self.root / "data")

    @property
    def prompts(self) -> Path:
        """Published prompt sets, one TOML file each."""
        return self.published.prompts

    @property
    def quoted(self) -> Path:
        """Values that were published elsewhere, one TOML file a source."""
        return self.root / "data" / "quoted"

    @property
    def profiles(self) -> Path:
        """Profiles, one TOML file each."""
        return self.root / "profiles"

    @property
    def experiments(self) -> Path:
        """Experiments, one folder each."""
        return self.root / "experiments"

    @property
    def docs(self) -> Path:
        """Page sources, `en` and `vi`, claims and theme."""
        return self.root / "docs"

    @property
    def pages(self) -> Path:
        """Rendered Markdown, one folder a language."""
        return self.root / "build" / "pages"

    @property
    def site(self) -> Path:
        """The built site."""
        return self.root / "site"

    @property
    def scratch(self) -> Path:
        """Unfinished runs, and copies of notebooks that are being executed; beside the local store."""
        return self.local.root.parent / "work"
