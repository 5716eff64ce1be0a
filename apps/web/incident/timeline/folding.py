"""What of a long story is told once, and what of it is the chief thing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from apps.incidents.story_reading.made_once import MadeOnce
from apps.web.lanes.elements import Entry
from apps.web.lanes.scale import clock_text

FOLD_FROM = 4
FOLD_BARE_FROM = 2
Key = tuple[str, str, str, str]
CHIEF_SHARE = 0.5
FOLDED = MadeOnce[tuple[Entry, ...], tuple[Entry, ...]](24_000, len)


def told_once(
    *,
    entries: tuple[Entry, ...],
    layer: str,
    hosts: Collection[str],
    weights: Mapping[str, float],
) -> tuple[Entry, ...]:
    """Return the entries with what is the chief thing, and repetitions told once."""
    how = get_language() or "", layer, frozenset(hosts), frozenset(weights.items())

    def made(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        told = with_chiefs(entries=entries, layer=layer, hosts=hosts)
        return tuple(fold(with_weights(entries=told, weights=weights)))

    return FOLDED.of(entries, made, how)


def with_weights(*, entries: Sequence[Entry], weights: Mapping[str, float]) -> list[Entry]:
    """Tell each entry what it weighs for the verdict; what weighs most is the chief thing."""
    if not weights:
        return list(entries)
    heaviest = max(weights.values())
    return [
        _weighed(entry, weight=weights.get(entry.reference, 0.0), heaviest=heaviest)
        for entry in entries
    ]


def _weighed(entry: Entry, *, weight: float, heaviest: float) -> Entry:
    role = _role(entry, weight=weight, heaviest=heaviest)
    # Most of a long story weighs nothing.
    is_same = weight == entry.weight and role == entry.role
    return entry if is_same else replace(entry, weight=weight, role=role)


def _role(entry: Entry, *, weight: float, heaviest: float) -> str:
    """Ring the heaviest; beside it a ring needs half its weight, or it would mislead."""
    if heaviest <= 0:
        return entry.role
    if weight >= heaviest:
        return "initiating"
    is_minor = entry.role == "initiating" and weight < heaviest * CHIEF_SHARE
    return "confirmation" if is_minor else entry.role


def with_chiefs(*, entries: Sequence[Entry], layer: str, hosts: Collection[str]) -> list[Entry]:
    """Ring only what tells of the verdict; what might have been a cause elsewhere is context.

    Without a verdict, or without its hosts, every entry keeps its role.
    """
    if layer == "unknown" or not hosts:
        return list(entries)
    return [
        replace(entry, role="context")
        if entry.role == "initiating" and (entry.layer != layer or entry.host not in hosts)
        else entry
        for entry in entries
    ]


def fold(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries with repetitions of one sentence in one lane told once, counted.

    What a party shows no more of than that it is there is told once a moment.
    """
    keys = [_same(entry) for entry in entries]
    groups: dict[Key, list[Entry]] = {}
    for key, entry in zip(keys, entries, strict=True):
        groups.setdefault(key, []).append(entry)
    folded: list[Entry] = []
    told: set[Key] = set()
    for key, entry in zip(keys, entries, strict=True):
        if len(groups[key]) < (FOLD_BARE_FROM if entry.is_bare else FOLD_FROM):
            folded.append(entry)
        elif key not in told:
            told.add(key)
            folded.append((_bare if entry.is_bare else _told_once)(groups[key]))
    return folded


def _same(entry: Entry) -> Key:
    if entry.is_bare:
        return ("", "", str(entry.at), entry.owner)
    return (entry.lane, entry.role, entry.same or entry.title, entry.owner)


def _bare(members: Sequence[Entry]) -> Entry:
    """Return things of which nothing but their moment is shown as one, with their count."""
    count = sum(entry.count for entry in members)
    title = ngettext(
        "%(n)s thing whose details are not shown", "%(n)s things whose details are not shown", count
    )
    roles = {entry.role for entry in members}
    layers = {entry.layer for entry in members}
    return replace(
        members[0],
        role=roles.pop() if len(roles) == 1 else "context",
        layer=layers.pop() if len(layers) == 1 else "unknown",
        title=title % {"n": count},
        weight=max(entry.weight for entry in members),
        members=tuple(members),
        count=1,  # its title says it
    )


def _told_once(members: Sequence[Entry]) -> Entry:
    first = members[0]
    times = sorted(entry.at for entry in members if entry.at)
    last = max((entry.ends_at or entry.at for entry in members if entry.at), default=None)
    between = (
        f"{clock_text(times[0], seconds=True)}–{clock_text(last, seconds=True)}"  # noqa: RUF001  a span
        if times and last
        else ""
    )
    return replace(
        first,
        weight=max(entry.weight for entry in members),
        at=times[0] if times else None,
        ends_at=None,
        members=tuple(members),
        count=sum(entry.count for entry in members),
        clock=first.clock if len({entry.clock for entry in members}) == 1 else "",
        detail=", ".join(
            part for part in (_("%(n)s times") % {"n": len(members)}, between, first.detail) if part
        ),
    )
