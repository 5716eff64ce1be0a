"""What redacts alike is one redactor for as long as the process lives: a page that is read again
and again compiles the names of an agreement, and redacts a text of it, once.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Final

from apps.sharing.redaction.fields import FactRedactor
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.redaction.profiles.load import Profile
from apps.sharing.redaction.pseudonyms import NAME, Pseudonyms

MOST: Final = 24  # agreements, readers and levels that are read at one time


@dataclass(frozen=True, slots=True)
class _NameSet:
    """Equal to those that hold the same names."""

    identity: tuple[Hashable, ...]
    known: KnownNames = field(compare=False)


@dataclass(frozen=True, slots=True)
class _Redaction:
    """Equal to one that makes the same of every text."""

    how: tuple[Hashable, ...]
    redactor: FactRedactor = field(compare=False)


def compiled_names(known: KnownNames) -> KnownNames:
    """Return the first that holds these names: what looks for them in texts is made once."""
    return _first_names(_NameSet(known.identity, known))


@lru_cache(MOST)
def _first_names(names: _NameSet) -> KnownNames:
    return names.known


def fact_redactor(
    *, pseudonyms: Pseudonyms, known: KnownNames, profile: Profile, opened: Mapping[str, str]
) -> FactRedactor:
    """Return what redacts so, with what it found out before; `opened` are pseudonyms of hosts that
    the reader knows, each with its host.
    """
    made = FactRedactor(
        pseudonyms=pseudonyms,
        known=known,
        profile=profile,
        opened=partial(with_hosts, hosts=opened),
    )
    treated = frozenset(profile.treatments.items())
    how = (pseudonyms.identity, known.identity, treated, profile.words, frozenset(opened.items()))
    return _first(_Redaction(how, made))


@lru_cache(MOST)
def _first(redaction: _Redaction) -> FactRedactor:
    return redaction.redactor


def with_hosts(text: str, *, hosts: Mapping[str, str]) -> str:
    """Put hosts that the reader knows back in the place of their pseudonyms."""
    return NAME.sub(lambda found: hosts.get(found[0], found[0]), text)
