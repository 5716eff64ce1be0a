"""TOML → Profile. A kind that a file leaves out, or a word it mistypes, is refused by name."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from apps.sharing.redaction.kinds import Kind, Treatment

FOLDER: Final = Path(__file__).parent
# A secret is cut whatever a profile says.
CHOSEN: Final = frozenset(Kind) - {Kind.SECRET}
LONGEST_WORD, MOST_WORDS = 100, 500


class BadProfile(ValueError):
    """A profile does not say what is to be done about each kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is done about each kind, and the owner's own words that are hidden besides."""

    name: str
    treatments: Mapping[Kind, Treatment]
    words: frozenset[str] = frozenset()

    def hides(self, kind: Kind) -> bool:
        """Say whether values of a kind are replaced."""
        return self.treatments[kind] is not Treatment.KEEP

    def cuts(self, kind: Kind) -> bool:
        """Say whether nothing but a mark stays of a value."""
        return self.treatments[kind] is Treatment.CUT

    def with_words(self, words: Iterable[str]) -> "Profile":
        """Return the profile with words that the owner adds. Raises BadProfile."""
        wanted = frozenset(filter(None, map(str.strip, words)))
        if len(wanted) > MOST_WORDS or any(len(word) > LONGEST_WORD for word in wanted):
            raise BadProfile(f"at most {MOST_WORDS} words of at most {LONGEST_WORD} characters")
        return replace(self, words=self.words | wanted)


@cache
def load_profiles() -> Mapping[str, Profile]:
    """Return the profiles that come with the portal, by name."""
    found = (
        read_profile(name=path.stem, text=path.read_text("utf-8"))
        for path in sorted(FOLDER.glob("*.toml"))
    )
    return MappingProxyType({profile.name: profile for profile in found})


def read_profile(*, name: str, text: str) -> Profile:
    """Return the profile that a TOML text describes. Raises BadProfile."""
    try:
        described: dict[str, Any] = tomllib.loads(text)
        treatments = {Kind(kind): Treatment(word) for kind, word in described["kinds"].items()}
    except (tomllib.TOMLDecodeError, KeyError, ValueError, AttributeError) as error:
        raise BadProfile(f"profile {name}: {error}") from None
    if wrong := sorted(CHOSEN ^ treatments.keys()):
        raise BadProfile(f"profile {name}: say once what is done about {', '.join(wrong)}")
    for kind in (Kind.LOSS, Kind.ENVIRONMENT):
        if treatments[kind] is Treatment.PSEUDONYM:
            raise BadProfile(f"profile {name}: {kind} has no pseudonyms, it is cut or kept")
    treatments[Kind.SECRET] = Treatment.CUT
    return Profile(name=name, treatments=MappingProxyType(treatments))
