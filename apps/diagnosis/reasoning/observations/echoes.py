"""Between reading and folding: what a kernel said once is one fact, whatever number of logs kept
it.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

from apps.diagnosis.model import Event, Stream
from apps.diagnosis.observed import HostOf, Instant

# dmesg computes its times, a journal takes them down: they differ by so much.
DRIFT = timedelta(seconds=5)
SAME_UPTIME_SECONDS = 0.01


def without_echoes(*, events: Sequence[Event], instant: Instant, host_of: HostOf) -> list[Event]:
    """Return `events` without those that another log of the same host tells, too.

    dmesg, syslog and journal of a host hold the same lines. The source that tells most of a kind
    keeps all of its lines; of the others only what it does not have is kept.
    """
    groups: dict[tuple[str, str, str], dict[str, list[Event]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for event in events:
        if _is_kernel(event):
            said = (host_of(event) or "", event.signature, event.line.text)
            groups[said][event.line.origin.source].append(event)
    dropped: set[tuple[str, int, str]] = set()
    for by_source in groups.values():
        if len(by_source) > 1:
            dropped |= _echoes(by_source, instant)
    return [one for one in events if (*one.order_key, one.signature) not in dropped]


def _is_kernel(event: Event) -> bool:
    return (event.line.stream or event.line.origin.stream) is Stream.KERNEL


def _echoes(by_source: dict[str, list[Event]], instant: Instant) -> set[tuple[str, int, str]]:
    """Return the keys of what the fuller source tells already; each of its lines answers for one
    line of another."""
    fullest = max(sorted(by_source), key=lambda source: len(by_source[source]))
    found: set[tuple[str, int, str]] = set()
    for source in sorted(set(by_source) - {fullest}):
        rest = list(by_source[fullest])
        for event in by_source[source]:
            same = next((one for one in rest if _is_same(one, event, instant)), None)
            if same is not None:
                rest.remove(same)
                found.add((*event.order_key, event.signature))
    return found


def _is_same(one: Event, other: Event, instant: Instant) -> bool:
    mine, theirs = one.line.uptime_seconds, other.line.uptime_seconds
    if mine is not None and theirs is not None:
        return abs(mine - theirs) < SAME_UPTIME_SECONDS
    (at, error), (their_at, their_error) = instant(one), instant(other)
    if at is None or their_at is None:
        return True
    return abs(at - their_at) <= DRIFT + error + their_error
