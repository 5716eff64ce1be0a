"""Facts ↔ compressed blocks. A block is a set: late facts, doubles and their order change nothing.

A block is lines of key, weight and record. Of two with one key the heavier stays, of equal ones the
one whose text is the greater: which came first does not matter.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
import zstandard

from apps.training.in_job.recovery_facts import FactPart, RecoveryFact

LEVEL: Final = 3
MOST_BYTES: Final = 4 * 2**20  # of a block's records, before they are packed
MOST_FACTS: Final[Mapping[FactPart, int]] = {
    FactPart.CHANGES: 8192,
    FactPart.STEPS: 16_384,  # four different ones of each step
    FactPart.REPLICAS: 32_768,
}
MOST_BLOCKS: Final = 512  # of a part, of an attempt: two million steps

Entry = tuple[float, str]  # weight, record
Facts = dict[str, Entry]  # by key


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedFacts:
    """A block with what came, and the keys for which it had no room."""

    facts: Facts
    left_out: frozenset[str]
    has_changed: bool


def merged(stored: Facts, fresh: Iterable[RecoveryFact], *, part: FactPart) -> MergedFacts:
    """Return a block with facts that came, as far as it has room for new ones."""
    facts, left_out, has_changed = dict(stored), set[str](), False
    size = sum(len(key) + len(text) for key, (_, text) in facts.items())
    for each in fresh:
        known, entry = facts.get(each.key), (each.weight, each.text)
        if known is None and (len(facts) >= MOST_FACTS[part] or size > MOST_BYTES):
            left_out.add(each.key)
        elif known is None or entry > known:
            facts[each.key], has_changed = entry, True
            size += len(each.key) + len(each.text)
    return MergedFacts(facts=facts, left_out=frozenset(left_out), has_changed=has_changed)


def packed(facts: Facts) -> bytes:
    """Return facts, compressed, in one order."""
    lines = [f"{key}\t{weight!r}\t{text}" for key, (weight, text) in sorted(facts.items())]
    return zstandard.compress("\n".join(lines).encode(), LEVEL)


def unpacked(body: bytes | memoryview) -> Facts:
    """Return the facts of a block; raise ValueError when the bytes are no block."""
    if not body:
        return {}
    raw = zstandard.ZstdDecompressor().decompress(bytes(body), max_output_size=4 * MOST_BYTES)
    facts: Facts = {}
    for line in raw.decode().split("\n") if raw else ():
        key, weight, text = line.split("\t")
        facts[key] = (float(weight), text)
    return facts


def records(facts: Facts) -> list[dict[str, Any]]:
    """Return the records of facts."""
    return [orjson.loads(text) for _, text in facts.values()]
