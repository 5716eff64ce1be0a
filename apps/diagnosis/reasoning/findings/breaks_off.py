"""Beside the findings: one host whose log breaks off while all others tell that peers went away, or
that nothing came back any more: from the ranks nor from the store.
"""

from collections import defaultdict
from collections.abc import Sequence

from apps.diagnosis.model import Event, Mark, Observation, Reading, Role, Stream
from apps.diagnosis.observed import Instant, canonical, finding
from apps.diagnosis.signatures.marks import marked

# Connections end like this when the process at the other end is gone.
AGENT = marked(Mark.OF_AGENT)
LOST = marked(Mark.PEER_GONE)
GAVE_UP = marked(Mark.GAVE_UP_WAITING)
NO_ANSWER = marked(Mark.STORE_UNANSWERED)
TOLD = frozenset({Role.CASCADE, Role.CONFIRMATION, Role.INITIATING, Role.TEARDOWN})
LEAST_HOSTS = 2
# A store that one host alone can't reach may be beyond its own link.
LEAST_ASKING = 2


def broken_off(
    *, events: Sequence[Event], readings: Sequence[Reading], instant: Instant
) -> list[Observation]:
    """Return that the log of one host breaks off without a word, where all others lost peers, or
    gave up waiting for them and for the store at once.

    Looks only at logs that are of one host each. Of lost peers only the launchers' are believed:
    who dies below a launcher that lives is told of there. A process that was only stopped takes no
    store with it that answers others.
    """
    hosts = {host for reading in readings if (host := _host(reading))}
    said: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        host = canonical(event.line.origin.host, {})
        if host in hosts and _is_session(event.line.origin.stream) and event.role in TOLD:
            said[host].append(event)
    silent = hosts - set(said)
    if len(hosts) < LEAST_HOSTS or len(silent) != 1 or not said:
        return []
    signs = _signs_of_loss(list(said.values()))
    lost = [e for told in said.values() for e in told if e.signature in signs]
    return [finding("log-breaks-off", lost, instant, silent.pop())] if lost else []


def _signs_of_loss(others: Sequence[Sequence[Event]]) -> frozenset[str]:
    """Return by which lines all the others tell that the silent one is gone; of none, nothing."""
    if all(_is_lost(told) for told in others):
        return LOST
    is_store_gone = len(others) >= LEAST_ASKING and all(_is_unanswered(told) for told in others)
    return NO_ANSWER if is_store_gone else frozenset()


def _is_lost(told: Sequence[Event]) -> bool:
    """Say whether a launcher tells of its failed workers, and they of peers that went away."""
    is_launcher = any(e.signature in AGENT for e in told)
    return is_launcher and any(e.signature in LOST for e in told)


def _is_unanswered(told: Sequence[Event]) -> bool:
    """Say whether ranks gave up waiting for others, and a connection to the store was silent."""
    has_given_up = any(e.signature in GAVE_UP for e in told)
    return has_given_up and any(e.signature in NO_ANSWER for e in told)


def _host(reading: Reading) -> str | None:
    """Return whose log a reading of the session is."""
    return canonical(reading.origin.host, {}) if _is_session(reading.origin.stream) else None


def _is_session(stream: Stream | None) -> bool:
    return stream is Stream.SESSION
