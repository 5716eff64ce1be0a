"""TOML → signatures. An error names the file and the entry."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

from apps.diagnosis.model import Layer, Mark, RecordPart, Role, Severity, Statement, statement
from apps.diagnosis.patterns import BadPattern, Pattern
from apps.diagnosis.spelling import meant, shown

FOLDER = Path(__file__).parent
KNOWN_FIELDS = frozenset(
    {
        *("role", "marks", "parts", "ends", "minor", "layer", "severity", "causes"),
        *("meaning", "says", "remedy"),
        *("literals", "pattern", "decoder", "fallback", "once_per", "verified"),
        *("examples", "counterexamples"),
    }
)
SPEAKER_FIELDS = ("rank", "host", "replica")
ANY = "*"  # in `says`: whatever the field holds
# Fields that no group holds: of codes (`xid`), of lost losses (`lost_loss`), of tracebacks.
OF_TABLES, OF_STEPS, OF_RECORDS = ("asked", "sev"), ("of",), ("library",)
GROUPS = re.compile(r"\(\?P<(\w+)>")
Word = TypeVar("Word", Mark, RecordPart)
DECODERS = frozenset({"", "xid", "sxid"})
# Fields that hold the number of an error, and how people call it.
NUMBERS = (("sxid", "SXid"), ("xid", "Xid"))


class BadSignature(ValueError):
    """Say which entry of which file can't be used, and why."""


@dataclass(frozen=True, kw_only=True)
class Signature:
    """What one kind of line looks like and means."""

    key: str
    file: str
    role: Role
    layer: Layer | None  # None where the line only tells how far the program got
    severity: Severity
    literals: tuple[str, ...]  # one of them stands in each line that can match
    source: str  # the pattern as written
    marks: frozenset[Mark] = frozenset()  # what it means for the reasoning, beside its role
    parts: frozenset[RecordPart] = frozenset()  # what it is to a record of several lines
    ends: frozenset[str] = frozenset()  # signatures whose trouble is over with this line
    minor: str = ""  # the signature that it goes under where its code is no fault
    causes: tuple[str, ...] = ()
    meaning: str = ""
    says: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # field → value → meaning
    remedy: str = ""
    decoder: str = ""  # the table that refines role, layer and causes from a code in the line
    once_per: tuple[str, ...] = ()  # told once per process and value of these fields
    is_fallback: bool = False
    is_recalled: bool = False  # text from memory of the product, not checked against its source
    examples: tuple[str, ...] = ()
    counterexamples: tuple[str, ...] = ()

    def meaning_of(self, *, fields: Mapping[str, str]) -> str:
        """Return what a line means by what it says, with the number of its error: a port that came
        up did not go down.
        """
        meaning, number = self.meaning_in(fields=fields), number_in(fields=fields)
        return meaning if number in meaning else f"{meaning} ({number})"

    def meaning_in(self, *, fields: Mapping[str, str]) -> str:
        """Return the same without the number, as it stands in the table."""
        for name, meanings in self.says.items():
            value = fields.get(name, "")
            if value and (told := meanings.get(value.lower()) or meanings.get(ANY)):
                return told
        return self.meaning

    def fact_of(self, *, fields: Mapping[str, str]) -> Statement:
        """Return what a line says: of which signature it is, and what its meaning is told by."""
        names = dict.fromkeys([*self.says, *(name for name, _ in NUMBERS)])
        told = tuple((name, fields[name]) for name in names if fields.get(name))
        return statement("signature", id=self.key, fields=told)

    @cached_property
    def rank(self) -> int:
        """Return how late it is tried on a line: 0 what knows the words, 1 a fallback, 2 what knows
        only the part that prints it, 3 what knows neither."""
        if Mark.UNKNOWN_FAILURE in self.marks:
            return 2 if Mark.OF_PART in self.marks else 3
        return int(self.is_fallback)

    @cached_property
    def wants_start(self) -> bool:
        """Return whether the pattern names the start of a text, where a prefix may stand."""
        return self.source.startswith("^") or "(?:^" in self.source

    @cached_property
    def speaker(self) -> tuple[str, ...]:
        """Return the groups of the pattern that a prefix may have told the speaker by."""
        return tuple(name for name in SPEAKER_FIELDS if name in self.pattern.groupindex)

    @cached_property
    def pattern(self) -> Pattern:
        """Compile on first use: most sources meet few of the signatures."""
        try:
            return Pattern(self.source)
        except BadPattern as error:
            raise BadSignature(f"{self.file}: {self.key}: {error}") from error


def number_in(*, fields: Mapping[str, str]) -> str:
    """Return the number of an error as people call it, empty where a line has none: Xid 79."""
    return next((f"{called} {fields[name]}" for name, called in NUMBERS if fields.get(name)), "")


@lru_cache(maxsize=1)
def load_catalog() -> Mapping[str, Signature]:
    """Return all signatures of this folder by key, read once a process.

    That none of them tie costs the patterns of many to know; a contract test asks it.
    """
    return _read(folder=FOLDER)


def load_folder(*, folder: Path) -> Mapping[str, Signature]:
    """Return the signatures of every family in `folder`; raises BadSignature on the first bad entry
    or tie."""
    catalog = _read(folder=folder)
    refuse_ties(signatures=tuple(catalog.values()))
    return catalog


def _read(*, folder: Path) -> Mapping[str, Signature]:
    catalog: dict[str, Signature] = {}
    for path in sorted(folder.glob("*.toml")):
        for key, entry in tomllib.loads(path.read_text("utf-8")).items():
            if key in catalog:
                raise BadSignature(f"{path.name}: {key} stands in {catalog[key].file}, too")
            catalog[key] = _signature(file=path.name, key=key, entry=entry)
    _refuse_unknown_names(catalog)
    return catalog


def _refuse_unknown_names(catalog: Mapping[str, Signature]) -> None:
    for one in catalog.values():
        named = [*(("ends", word) for word in sorted(one.ends)), ("minor", one.minor or one.key)]
        for field_name, word in named:
            if word not in catalog:
                near = meant(word=word, known=catalog)
                told = f"{field_name} {shown(word=word)!r}, which is no signature{near}"
                raise BadSignature(f"{one.file}: {one.key}: {told}")


def refuse_ties(*, signatures: Sequence[Signature]) -> None:
    """Raise BadSignature for two entries of one rank that share a literal: neither would be the
    more specific."""
    owners: dict[tuple[int, str], Signature] = {}
    for signature in signatures:
        for literal in signature.literals:
            other = owners.setdefault((signature.rank, literal), signature)
            if other is not signature and not _told_apart(signature, other):
                raise BadSignature(
                    f"{signature.file}: {signature.key} and {other.file}: {other.key} tie on the "
                    f"literal {literal!r}; give one a longer literal or make it a fallback"
                )


def _told_apart(one: Signature, other: Signature) -> bool:
    """Return whether no known line of either matches both."""
    return not any(
        one.pattern.search(example) and other.pattern.search(example)
        for example in one.examples + other.examples
    )


def _said_fields(entry: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields that a line of an entry may have: groups, and what tables add."""
    groups = GROUPS.findall(entry.get("pattern", ""))
    return frozenset({*groups, *(OF_TABLES if entry.get("decoder") else OF_STEPS), *OF_RECORDS})


def _words(*, where: str, name: str, said: Sequence[str], known: type[Word]) -> frozenset[Word]:
    """Return the words of a closed set that stand in a list of a block."""
    if isinstance(said, str):
        raise BadSignature(f"{where}: {name} is a list: {name} = ['{said}']")
    for word in said:
        if word not in known.__members__.values():
            near = meant(word=word, known=list(known))
            told = f"there is no {name.removesuffix('s')} {shown(word=word)!r}{near}"
            raise BadSignature(f"{where}: {told}")
    return frozenset(map(known, said))


def _signature(*, file: str, key: str, entry: Mapping[str, Any]) -> Signature:
    where = f"{file}: {key}"
    if unknown := sorted(set(entry) - KNOWN_FIELDS):
        raise BadSignature(f"{where}: unknown fields {', '.join(unknown)}")
    if not entry.get("literals") or min(map(len, entry["literals"])) < 3:
        raise BadSignature(f"{where}: needs literals of three characters or more")
    if unknown := [one for one in entry.get("says", {}) if one not in _said_fields(entry)]:
        raise BadSignature(f"{where}: says what no group holds: {', '.join(unknown)}")
    if entry.get("decoder", "") not in DECODERS:
        raise BadSignature(f"{where}: unknown decoder {entry['decoder']}")
    try:
        return Signature(
            key=key,
            file=file,
            role=Role(entry["role"]),
            layer=Layer(entry["layer"]) if "layer" in entry else None,
            severity=Severity(entry["severity"]),
            literals=tuple(entry["literals"]),
            source=entry["pattern"],
            marks=_words(where=where, name="marks", said=entry.get("marks", ()), known=Mark),
            parts=_words(where=where, name="parts", said=entry.get("parts", ()), known=RecordPart),
            ends=frozenset(entry.get("ends", ())),
            minor=entry.get("minor", ""),
            causes=tuple(entry.get("causes", ())),
            meaning=entry.get("meaning", ""),
            says=entry.get("says", {}),
            remedy=entry.get("remedy", ""),
            decoder=entry.get("decoder", ""),
            once_per=tuple(entry.get("once_per", ())),
            is_fallback=entry.get("fallback", False),
            is_recalled=entry.get("verified") == "recall",
            examples=tuple(entry["examples"]),
            counterexamples=tuple(entry.get("counterexamples", ())),
        )
    except (KeyError, ValueError) as error:
        raise BadSignature(f"{where}: {error}") from error
