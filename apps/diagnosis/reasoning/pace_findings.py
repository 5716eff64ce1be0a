"""Facts that step times tell: a session that became slower, a member that is slower than others."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.model import Event, Layer, Observation, Role, Severity
from apps.diagnosis.observed import HostOf, finding
from apps.diagnosis.signatures.pace import series_of

Steps = NDArray[np.float64]
# Fewer values are an excerpt: somebody chose them, and noise can't be told from them alone.
LEAST, MANY = 4, 12
# The first steps compile, allocate and connect.
WARM_UP = 2
LEAST_RISE = 1.03
# Of the spread inside both parts, in an excerpt and in a long series.
APART, CLEARLY = 3.0, 5.0
# No clock of a program is better than this share of a step.
FLOOR = 0.003
KEPT_UP = 0.9
# Bars print a running average over batches of any length.
ROUGH = frozenset({"hf-trainer-tqdm", "lightning-progress", "step-pace"})
ROUGH_RISE, ROUGH_LEAST = 1.25, 24
# A slow climb, over so many parts of a long series.
PARTS, CLIMB = 8, 1.10
# Members that do the same work at the same time differ by less.
SLOWER, SLOWER_OF_TWO, LEAST_OF_MEMBER = 1.3, 1.5, 3
SCORE_OF_SLOW, SCORE_OF_OTHERS = 0.75, 0.9
FAILED = frozenset({Role.INITIATING, Role.CONFIRMATION, Role.CASCADE})
GRAVE = frozenset({Severity.ERROR, Severity.FATAL})
STRAGGLER = re.compile(r"rank=(\d{1,7}), node='([\w.-]{1,253})'", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """The step times that one voice told, the earliest first."""

    event: Event
    host: str | None
    values: Steps


def derive(*, events: Sequence[Event], host_of: HostOf) -> Iterator[Observation]:
    """Yield what the step times say; nothing where something graver was told."""
    yield from _named(events)
    if any(event.role in FAILED and event.severity in GRAVE for event in events):
        return
    voices = [
        Voice(event=event, host=host_of(event), values=np.array(values))
        for event in events
        if (values := series_of(event)[1])
    ]
    yield from _slower(voices)
    for voice in voices:
        if has_risen(values=voice.values, is_rough=voice.event.signature in ROUGH):
            yield replace(
                finding("step-time-rose", [voice.event], layer=Layer.STRAGGLER),
                causes=("slow-member",),
            )


def has_risen(*, values: Steps, is_rough: bool = False) -> bool:
    """Say whether steps take longer since some moment, and still do at the end."""
    if len(values) < (ROUGH_LEAST if is_rough else LEAST):
        return False
    rise = ROUGH_RISE if is_rough else LEAST_RISE
    if len(values) < MANY:
        return _is_clean_step(values, rise)
    values = values[WARM_UP:]
    return _is_step(values, rise) or _is_climb(values)


def _split(values: Steps, least: int) -> int:
    """Return where two medians describe the values best."""

    def cost(place: int) -> float:
        parts = (values[:place], values[place:])
        return sum(float(np.abs(part - np.median(part)).sum()) for part in parts)

    return min(range(least, len(values) - least + 1), key=cost)


def _is_clean_step(values: Steps, rise: float) -> bool:
    """Say whether an excerpt is two flat parts, the later one higher by far more than both vary."""
    place = _split(values, 2)
    before, after = values[:place], values[place:]
    gap = after.min() - before.max()
    spread = max(np.ptp(before), np.ptp(after))
    is_apart = gap >= APART * spread and gap >= FLOOR * before.max()
    return bool(is_apart and np.median(after) >= rise * np.median(before))


def _is_step(values: Steps, rise: float) -> bool:
    place = _split(values, max(LEAST, len(values) // 10))
    before, after = values[:place], values[place:]
    low, high = float(np.median(before)), float(np.median(after))
    rest = np.concatenate([before - low, after - high])
    spread = max(1.4826 * float(np.median(np.abs(rest))), FLOOR * low)
    middle = (low + high) / 2
    is_kept = (after > middle).mean() >= KEPT_UP and (before < middle).mean() >= KEPT_UP
    return bool(is_kept and high >= rise * low and high - low >= CLEARLY * spread)


def _is_climb(values: Steps) -> bool:
    """Say whether the medians of equal parts grow from each to the next."""
    if len(values) < PARTS * LEAST:
        return False
    medians = np.array([np.median(part) for part in np.array_split(values, PARTS)])
    return bool((np.diff(medians) > 0).all() and medians[-1] >= CLIMB * medians[0])


def _slower(voices: Sequence[Voice]) -> Iterator[Observation]:
    """Yield the hosts whose steps take much longer than those of every other host."""
    kinds: dict[str, dict[str, Voice]] = defaultdict(dict)
    for voice in voices:
        if voice.host is not None and len(voice.values) >= LEAST_OF_MEMBER:
            known = kinds[voice.event.signature].setdefault(voice.host, voice)
            if len(voice.values) > len(known.values):
                kinds[voice.event.signature][voice.host] = voice
    for _, members in sorted(kinds.items()):
        for host, voice in sorted(members.items()):
            others = [one for name, one in members.items() if name != host]
            if others and _is_slower(voice, others):
                # Of two, the other may have had less to do.
                name = "host-slower-than-peers" if len(others) > 1 else "slower-of-two-hosts"
                yield replace(
                    finding(name, [voice.event], host=host, layer=Layer.STRAGGLER),
                    causes=("slow-member",),
                    text=f"Steps take longer than on {len(others)} other hosts"
                    if len(others) > 1
                    else "Steps take longer than on the other host",
                )


def _is_slower(voice: Voice, others: Sequence[Voice]) -> bool:
    medians = [float(np.median(one.values)) for one in others]
    ratio = SLOWER if len(others) > 1 else SLOWER_OF_TWO
    slowest = max(float(np.quantile(one.values, KEPT_UP)) for one in others)
    is_above = float(np.quantile(voice.values, 1 - KEPT_UP)) > slowest
    return is_above and float(np.median(voice.values)) >= ratio * max(medians)


def _named(events: Sequence[Event]) -> Iterator[Observation]:
    """Yield the members that a straggler detection of the program names."""
    for event in events:
        if event.signature != "nvrx-straggler":
            continue
        named = STRAGGLER.findall(event.line.text)
        # The line itself stands for the first of them.
        for host in sorted({host for _, host in named})[1:]:
            ranks = [int(rank) for rank, at in named if at == host]
            yield _straggler([event], host.split(".", 1)[0], ranks)
    scores = [event for event in events if event.signature == "nvrx-straggler-score"]
    worst = _worst(scores)
    if worst is not None:
        host, rank = worst.fields.get("host", ""), worst.fields.get("rank", "")
        yield _straggler([worst], host.split(".", 1)[0] or None, [int(rank)])


def _straggler(events: Sequence[Event], host: str | None, ranks: Sequence[int]) -> Observation:
    one = finding("straggler-named", events, host=host, layer=Layer.STRAGGLER, ranks=ranks)
    return replace(one, causes=("slow-member", "gpu-throttling"))


def _worst(scores: Sequence[Event]) -> Event | None:
    """Return the one low score among high ones of a report."""
    latest: dict[str, tuple[float, Event]] = {}
    for event in scores:
        try:
            latest[event.fields.get("rank", "")] = (float(event.fields["score"]), event)
        except (KeyError, ValueError):
            continue
    if len(latest) < LEAST:
        return None
    ordered = sorted(latest.values(), key=lambda one: (one[0], one[1].order_key))
    middle = ordered[len(ordered) // 2][0]
    return ordered[0][1] if ordered[0][0] <= SCORE_OF_SLOW and middle >= SCORE_OF_OTHERS else None
