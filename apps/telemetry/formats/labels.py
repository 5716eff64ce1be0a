"""Labels of senders → the portal's own names. What is not known is kept."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from apps.diagnosis import zone_names
from apps.diagnosis.input_values import (
    is_whole_number,
    rank_number,
    storable,
    visible,
    whole_number,
)

NAMES_LIMIT = 64
NAME_BYTES = 256
VALUE_BYTES = 2048
MOST_ATTEMPTS = 99_999_999
MOST_SESSION_LETTERS, MOST_HOST_LETTERS = 200, 253
KNOWN = ("cluster", "session", "attempt", "host", "rank", "stream", "tz")


class BadLabels(Exception):
    """Too many labels, or too long ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamLabels:
    """What the labels say about a stream of lines. Empty and None: not said."""

    cluster: str = ""
    session: str = ""
    attempt: int | None = None
    host: str = ""
    rank: int | None = None
    stream: str = ""
    zone: str = ""


def canonical(*, labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels under the portal's names, sorted; other labels stay as they are."""
    if len(labels) > NAMES_LIMIT:
        raise BadLabels(f"a stream has {len(labels)} labels; at most {NAMES_LIMIT} are taken")
    if any(len(k) > NAME_BYTES or len(v) > VALUE_BYTES for k, v in labels.items()):
        raise BadLabels(f"a label is longer than {NAME_BYTES} (name) or {VALUE_BYTES} (value)")
    named = {storable(k): storable(v) for k, v in labels.items() if v}
    for name, aliases in _aliases().items():
        found = next((alias for alias in aliases if alias in named), None)
        if found is not None:
            named[name] = named[found] if found == name else named.pop(found)
    return dict(sorted(_normal(named).items()))


def place(*, labels: Mapping[str, str]) -> StreamLabels:
    """Return what canonical labels say."""
    return StreamLabels(
        cluster=labels.get("cluster", ""),
        session=labels.get("session", "")[:MOST_SESSION_LETTERS],
        attempt=whole_number(labels.get("attempt", ""), most=MOST_ATTEMPTS),
        host=labels.get("host", "")[:MOST_HOST_LETTERS],
        rank=rank_number(labels.get("rank", "")),
        stream=labels.get("stream", ""),
        zone=labels.get("tz", ""),
    )


def is_known(*, name: str) -> bool:
    """Say whether a label is a name of ours or one that senders use for it."""
    return name in names()


def digest(*, labels: Mapping[str, str]) -> bytes:
    """Return what identifies a set of labels."""
    return hashlib.sha256(json.dumps(labels, sort_keys=True).encode()).digest()


def meaning(*, name: str) -> str:
    """Return the portal's name for a label; the name itself where it has none."""
    return next((known for known, aliases in _aliases().items() if name in aliases), name)


@cache
def names() -> frozenset[str]:
    """Return every name of a label that the portal knows."""
    return frozenset(alias for aliases in _aliases().values() for alias in aliases)


@cache
def kinds() -> dict[str, str]:
    """Return word → kind of stream, for the words that senders use."""
    return {word: kind for kind, words in _table()["streams"].items() for word in words}


def _normal(named: dict[str, str]) -> dict[str, str]:
    """Keep a word of ours only where its value is one; the label itself stays under its name."""
    named |= {name: visible(named[name]) for name in ("session", "host") if name in named}
    kind = named.get("stream", "").lower()
    known = kinds().get(kind)
    if known:
        named["stream"] = known
    elif kind:
        named["stream_name"] = named.pop("stream")
    if named.get("tz") and not zone_names.is_zone(name=named["tz"]):
        named["tz_name"] = named.pop("tz")
    # `instance` is host:port as Prometheus has it.
    host, colon, port = named.get("host", "").rpartition(":")
    if colon and is_whole_number(port) and ":" not in host:
        named["host"] = host
    return named


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("labels.toml").read_text(encoding="utf-8"))


@cache
def _aliases() -> dict[str, list[str]]:
    return dict(_table()["aliases"])
