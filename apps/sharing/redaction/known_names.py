"""What an owner calls its own: found in texts in one pass, however many names there are."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import ahocorasick

from apps.sharing.redaction.kinds import Kind
from apps.sharing.redaction.pseudonyms import is_address, normalised
from apps.sharing.redaction.vocabulary import load_vocabulary

NUMBERED: Final = re.compile(r"(.*?[^0-9])([0-9]{1,9})", re.DOTALL)
# The rest of a host's whole name.
LABELS: Final = re.compile(rb"(?:\.[A-Za-z0-9][A-Za-z0-9-]{0,62}){1,8}(?![A-Za-z0-9-])")
# Their names may stand inside of words: `solar7b`, `SolarTrainer`. A host's may not.
INSIDE: Final = frozenset(
    {Kind.MODEL, Kind.DATASET, Kind.JOB, Kind.SESSION, Kind.WORD, Kind.PATH, Kind.USER}
)


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name, or the letters in front of the number of hosts that are numbered alike."""

    kind: Kind
    value: str
    exact: bytes = b""  # the only spelling that counts, where that matters
    figures: int = 0  # that follow the letters


class Found(NamedTuple):
    """Where a known name stands in UTF-8."""

    start: int
    end: int
    kind: Kind
    value: str


@dataclass(frozen=True, kw_only=True, eq=False)
class KnownNames:
    """Names of an owner's things. `aliases` leads from another name of a host to its name."""

    hosts: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    users: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    jobs: frozenset[str] = frozenset()
    mounts: frozenset[str] = frozenset()
    models: frozenset[str] = frozenset()
    datasets: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    @cached_property
    def of_kinds(self) -> Mapping[Kind, frozenset[str]]:
        """Return the names of each kind."""
        return {
            Kind.HOST: self.hosts,
            Kind.USER: self.users - load_vocabulary().users,
            Kind.SESSION: self.sessions,
            Kind.JOB: self.jobs,
            Kind.PATH: frozenset(part for mount in self.mounts for part in _folders(mount)),
            Kind.MODEL: self.models,
            Kind.DATASET: self.datasets,
            Kind.WORD: self.words,
        }

    @cached_property
    def identity(self) -> tuple[frozenset[object], ...]:
        """Return the same for the same names."""
        named = (self.hosts, self.users, self.sessions, self.jobs, self.mounts, self.models)
        return (*named, self.datasets, self.words, frozenset(self.aliases.items()))

    def with_words(self, words: frozenset[str]) -> "KnownNames":
        """Return the same and these words; made once."""
        return self if words <= self.words else self._with_words(words)

    @cached_property
    def _with_words(self) -> "Callable[[frozenset[str]], KnownNames]":
        return lru_cache(8)(lambda words: replace(self, words=self.words | words))

    @cached_property
    def kinds(self) -> Mapping[str, tuple[Kind, str]]:
        """Return what each name, in small letters, is: its kind and the value it has."""
        known: dict[str, tuple[Kind, str]] = {}
        for kind, names in self.of_kinds.items():
            for name in sorted(names):
                known.setdefault(name.strip().casefold(), (kind, self._value(kind, name)))
                if kind is Kind.HOST:
                    known.setdefault(normalised(kind, name), (kind, self._value(kind, name)))
        for alias, host in sorted(self.aliases.items()):
            known.setdefault(alias.strip().casefold(), (Kind.HOST, host))
        known.pop("", None)
        return known

    @cached_property
    def domains(self) -> frozenset[str]:
        """Return the domains in which the hosts are."""
        whole = (
            name.casefold().partition(".")
            for name in (*self.hosts, *self.aliases)
            if not is_address(name)
        )
        return frozenset(rest for _, _, rest in whole if rest)

    def host(self, name: str) -> str:
        """Return the host that a name is one of; a name that is unknown stays."""
        kind, value = self.kinds.get(name.casefold(), (None, name))
        if kind is Kind.HOST:
            return value
        kind, value = self.kinds.get(normalised(Kind.HOST, name), (None, name))
        return value if kind is Kind.HOST else name

    def begins_like_ours(self, letters: str) -> bool:
        """Say whether numbered hosts begin with these letters, which are no word of logs."""
        low = letters.casefold()
        if any(stem == low for stem, _ in self.stems):
            return True
        is_word = load_vocabulary().is_word(low)
        return not is_word and any(stem.startswith(low) for stem, _ in self.stems)

    @cached_property
    def stems(self) -> frozenset[tuple[str, int]]:
        """Return the letters and the count of figures of hosts that are numbered."""
        shorts = (normalised(Kind.HOST, name) for name in self.hosts)
        found = (NUMBERED.fullmatch(each) for each in shorts if not is_address(each))
        return frozenset((each[1], len(each[2])) for each in found if each and len(each[1]) > 1)

    def find(self, data: bytes) -> Iterator[Found]:
        """Yield where names stand, from left to right, the longest first, none inside another."""
        if not len(self._automaton):
            return
        last = 0
        for each in sorted(self._all(data), key=_place):
            if each.start >= last:
                yield each
                last = each.end

    def stand_in(self, data: bytes) -> bool:
        """Say whether any name stands in a text."""
        return next(self.find(data), None) is not None

    def _all(self, data: bytes) -> Iterator[Found]:
        # Bytes as the letters of one code page: places are those of the bytes.
        for end, (length, entries) in self._automaton.iter(data.lower().decode("latin-1")):
            for entry in entries:
                found = self._placed(data, end + 1 - length, end + 1, entry)
                if found is not None:
                    yield found

    def _placed(self, data: bytes, start: int, end: int, entry: KnownName) -> Found | None:
        value = entry.value
        if entry.exact and data[start:end] != entry.exact:
            return None
        if entry.figures:
            figures = data[end : end + entry.figures]
            if len(figures) < entry.figures or not figures.isdigit():
                return None
            end += entry.figures
            value += figures.decode()
        if not (_is_edge(data, start, entry.kind) and _is_edge(data, end, entry.kind)):
            return None
        if entry.kind is Kind.HOST and data[end : end + 1] == b".":
            end = self._end_of_domain(data, end)
        return Found(start, end, entry.kind, value)

    def _end_of_domain(self, data: bytes, end: int) -> int:
        labels = LABELS.match(data, end)
        if labels is None:
            return end
        vocabulary = load_vocabulary()
        rest = labels[0][1:].decode().lower()
        last = rest.rpartition(".")[2]
        is_domain = rest in self.domains or last in vocabulary.domains
        return labels.end() if is_domain else end

    @cached_property
    def _automaton(self) -> "ahocorasick.Automaton":
        entries: dict[str, list[KnownName]] = {}
        for spelling, entry in self._entries():
            for each in {spelling, spelling.lower()}:
                letters = each.encode("utf-8", "replace").lower().decode("latin-1")
                entries.setdefault(letters, []).append(entry)
        automaton = ahocorasick.Automaton()
        for letters, found in entries.items():
            automaton.add_word(letters, (len(letters), tuple(found)))
        automaton.make_automaton()
        return automaton

    def _entries(self) -> Iterator[tuple[str, KnownName]]:
        vocabulary = load_vocabulary()
        for name, (kind, value) in self.kinds.items():
            if vocabulary.is_word(name) or is_address(name):
                continue
            exact = b""
            if vocabulary.is_numbered_word(name):
                exact = self._as_written.get(name, name).encode()
            yield name, KnownName(kind, value, exact)
        for letters, figures in sorted(self.stems):
            if not vocabulary.is_word(letters):
                yield letters, KnownName(Kind.HOST, letters, figures=figures)

    @cached_property
    def _as_written(self) -> Mapping[str, str]:
        names: Iterable[str] = (name for names in self.of_kinds.values() for name in names)
        return {name.strip().casefold(): name.strip() for name in (*names, *self.aliases)}

    def _value(self, kind: Kind, name: str) -> str:
        return self.aliases.get(name, name) if kind is Kind.HOST else name


def _place(found: Found) -> tuple[int, int]:
    return found.start, -found.end


def _is_edge(data: bytes, at: int, kind: Kind) -> bool:
    """Say whether a name may begin or end here: no letter or figure of ASCII goes on."""
    before, after = data[at - 1 : at] if at else b"", data[at : at + 1]
    if not (before.isalnum() and after.isalnum()):  # of bytes: letters of other scripts end names
        return True
    if kind not in INSIDE:
        return False
    is_number = not before.isdigit() and after.isdigit()
    is_capital = before.islower() and after.isupper() and data[at + 1 : at + 2].islower()
    return is_number or is_capital


def _folders(mount: str) -> list[str]:
    """Return the parts of a mounted path that name something: `nfs1:/export/solar` → `solar`."""
    vocabulary = load_vocabulary()
    folders = mount.rpartition(":")[2].split("/")
    return [each for each in folders if len(each) > 3 and not vocabulary.is_word(each.casefold())]
