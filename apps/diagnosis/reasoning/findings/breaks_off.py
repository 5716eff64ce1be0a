"""Beside the findings: one host whose log breaks off while all others tell that peers went away."""

from collections import defaultdict
from collections.abc import Sequence

from apps.diagnosis.model import Event, Mark, Observation, Reading, Role, Stream
from apps.diagnosis.observed import Instant, canonical, finding
from apps.diagnosis.signatures.marks import marked

# Connections end like this when the process at the other end is gone.
AGENT = marked(Mark.OF_AGENT)
LOST = marked(Mark.PEER_GONE)
TOLD = frozenset({Role.CASCADE, Role.CONFIRMATION, Role.INITIATING, Role.TEARDOWN})
LEAST_HOSTS = 2


def broken_off(
    *, events: Sequence[Event], readings: Sequence[Reading], instant: Instant
) -> list[Observation]:
    """Return that the log of one host breaks off without a word, where all others lost peers.

    Looks only at logs that are of one host each, and that the host's launcher writes into: who
    dies below a launcher that lives is told of there.
    """
    hosts = {host for reading in readings if (host := _host(reading))}
    said: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        host = canonical(event.line.origin.host, {})
        if host in hosts and _is_session(event.line.origin.stream) and event.role in TOLD:
            said[host].append(event)
    silent = hosts - set(said)
    lost = [e for told in said.values() for e in told if e.signature in LOST]
    if len(hosts) < LEAST_HOSTS or len(silent) != 1 or not lost:
        return []
    if not all(_is_lost(told) for told in said.values()):
        return []
    return [finding("log-breaks-off", lost, instant, silent.pop())]


def _is_lost(told: Sequence[Event]) -> bool:
    """Say whether a launcher tells of its failed workers, and they of peers that went away."""
    is_launcher = any(e.signature in AGENT for e in told)
    return is_launcher and any(e.signature in LOST for e in told)


def _host(reading: Reading) -> str | None:
    """Return whose log a reading of the session is."""
    return canonical(reading.origin.host, {}) if _is_session(reading.origin.stream) else None


def _is_session(stream: Stream | None) -> bool:
    return stream is Stream.SESSION
