"""A large inventory or list of events → pieces that a worker carries out in a second or so."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apps.telemetry.formats.lines.complaints import TooBig
from apps.telemetry.submission_kinds import SubmissionKind

# What is carried out while the sender waits: some 50 ms.
ENTRIES_AT_ONCE: Final = 128
EVENTS_AT_ONCE: Final = 8
# Of one piece.
NODES: Final = 128
DEVICES: Final = 1024
CABLES: Final = 2000  # links, mounts
EVENTS: Final = 50
# Of one body, with everything in it.
MOST_ENTRIES: Final = 200_000

Said = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionPiece:
    """A piece: what it says, how many entries it has, and where the first stood."""

    said: Said
    entry_count: int
    first_entry: int = 0


def is_small(*, kind: SubmissionKind, said: Said) -> bool:
    """Say whether it is carried out at once."""
    if kind == SubmissionKind.SESSION_EVENTS:
        return len(_list(said, "events")) <= EVENTS_AT_ONCE
    return weight(said=said) <= ENTRIES_AT_ONCE


def weight(*, said: Said) -> int:
    """Return how many entries an inventory has, devices and other names included."""
    return sum(_weight(node) for node in _list(said, "nodes")) + sum(
        _length(said.get(name)) for name in ("links", "mounts", "projects")
    )


def require_size(*, said: Said) -> None:
    """Raise TooBig for what is to be sent in several bodies."""
    count = weight(said=said) + len(_list(said, "events"))
    if count > MOST_ENTRIES:
        raise TooBig(f"the body has {count} entries and may have {MOST_ENTRIES}; send it in parts")


def parts_of_inventory(*, said: Said) -> Iterator[SubmissionPiece]:
    """Yield the pieces of an inventory, nodes first; whose project is whose is no part of them."""
    frame = {"at": said["at"]} if said.get("at") else {}
    for nodes in _nodes(_list(said, "nodes")):
        yield SubmissionPiece(said={"nodes": nodes, **frame}, entry_count=len(nodes))
    for name in ("links", "mounts"):
        entries = _list(said, name)
        for first in range(0, len(entries), CABLES):
            found = entries[first : first + CABLES]
            yield SubmissionPiece(said={name: found, **frame}, entry_count=len(found))


def parts_of_events(*, events: Sequence[tuple[int, Said]]) -> Iterator[SubmissionPiece]:
    """Yield the pieces of a list of events, each with its place in the body."""
    for first in range(0, len(events), EVENTS):
        some = events[first : first + EVENTS]
        yield SubmissionPiece(
            said={"events": [said for _, said in some], "places": [place for place, _ in some]},
            entry_count=len(some),
            first_entry=some[0][0],
        )


def _nodes(nodes: Sequence[Any]) -> Iterator[list[Any]]:
    group: list[Any] = []
    size = 0
    for node in nodes:
        if group and (len(group) >= NODES or size + _weight(node) > DEVICES):
            yield group
            group, size = [], 0
        group.append(node)
        size += _weight(node)
    if group:
        yield group


def _weight(node: Any) -> int:
    """Return 1 and what hangs on a node; what is malformed counts as one."""
    if not isinstance(node, dict):
        return 1
    return 1 + sum(len(_list(node, name)) for name in ("devices", "aliases"))


def _length(found: object) -> int:
    """Return how many entries a list or map has; what is neither is refused by who reads it."""
    return len(found) if isinstance(found, list | dict) else 0


def _list(said: Said, name: str) -> list[Any]:
    found = said.get(name)
    return found if isinstance(found, list) else []
