"""What names nobody: words of logs, public sites and sources, folders of systems."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from apps.diagnosis.signatures.load import load_catalog

FILE: Final = Path(__file__).with_name("vocabulary.toml")
WORD: Final = re.compile(r"[A-Za-z]{2,}", re.ASCII)
FIGURES: Final = "0123456789"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The lists of vocabulary.toml, as they are asked for."""

    words: frozenset[str]
    indexed: frozenset[str]
    nothing: frozenset[str]
    users: frozenset[str]
    domains: frozenset[str]
    public_sites: frozenset[str]
    manuals: frozenset[str]
    bucket_schemes: frozenset[str]
    system_folders: tuple[str, ...]
    shared_folders: tuple[str, ...]  # with a slash behind, as the next two
    public_sources: tuple[str, ...]
    public_trees: tuple[str, ...]
    library_folders: frozenset[str]
    home_folders: frozenset[str]
    file_endings: tuple[str, ...]
    named: Mapping[str, tuple[str, ...]]
    kept_environment: tuple[bytes, ...]
    single_environment: tuple[str, ...]

    def is_word(self, name: str) -> bool:
        """Say whether a name is hidden only where a name stands: it is too common, or a number."""
        stem = name.rstrip(FIGURES)
        if not stem or stem in self.words or (stem != name and stem.strip("_") in self.indexed):
            return stem == name or not stem or stem.strip("_") in self.indexed
        return len(name) < (3 if stem == name else 2)

    def is_numbered_word(self, name: str) -> bool:
        """Say whether a name is a word of logs and a number: `gpu1` is a host, `GPU1` a device."""
        stem = name.rstrip(FIGURES)
        return stem != name and stem in self.words

    def is_public_site(self, host: str) -> bool:
        """Say whether a host is one of makers and projects."""
        return _is_within(host, self.public_sites)

    def is_manual(self, host: str) -> bool:
        """Say whether a host's pages say nothing of whose reads them."""
        return _is_within(host, self.manuals)


@cache
def load_vocabulary() -> Vocabulary:
    """Return the vocabulary, and in it the words of all signatures."""
    told: dict[str, Any] = tomllib.loads(FILE.read_text("utf-8"))
    literals = (literal for each in load_catalog().values() for literal in each.literals)
    words = {word.lower() for literal in literals for word in WORD.findall(literal)}
    sets = (
        "nothing",
        "indexed",
        "users",
        "domains",
        "public_sites",
        "manuals",
        "bucket_schemes",
        "library_folders",
        "home_folders",
    )
    tuples = ("system_folders", "file_endings")
    folders = ("shared_folders", "public_sources", "public_trees")
    lists: dict[str, Any] = {
        **{name: frozenset(told[name]) for name in sets},
        **{name: tuple(told[name]) for name in tuples},
        **{name: tuple(f"{folder}/" for folder in told[name]) for name in folders},
    }
    return Vocabulary(
        words=frozenset(told["words"]) | words,
        named={kind: tuple(names) for kind, names in told["named"].items()},
        kept_environment=tuple(name.encode() for name in told["environment"]["kept"]),
        single_environment=tuple(told["environment"]["single"]),
        **lists,
    )


def _is_within(host: str, sites: frozenset[str]) -> bool:
    labels = host.lower().strip(".").split(".")
    return any(".".join(labels[start:]) in sites for start in range(len(labels)))
