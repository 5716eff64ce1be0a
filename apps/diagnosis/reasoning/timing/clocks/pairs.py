"""What two voices tell of the same moment: failures beside faults, echoes, boots, collectives."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import median

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Event, LogLine, Mark, Reading, Role, Severity, Stream
from apps.diagnosis.observed import canonical, struck_process
from apps.diagnosis.reasoning.timing.clocks.ending_requests import ending_requests
from apps.diagnosis.reasoning.timing.clocks.source_stamps import Voice, VoiceSpan, is_of, voice_of
from apps.diagnosis.reasoning.timing.clocks.zones import Moments
from apps.diagnosis.signatures.marks import marked

SAME_MOMENT, READY = marked(Mark.SAME_MOMENT), marked(Mark.COMMUNICATOR_READY)
Raw = Callable[[LogLine], datetime | None]

# A pause this long between signs of failure parts two failures.
PAUSE = timedelta(minutes=5)
FAILURES = frozenset({Role.CASCADE, Role.TEARDOWN})
# Sessions are what the others are held against; an alert fires whenever its rule allows.
NO_CLOCK = (Stream.SESSION, Stream.ALERTS)
FAULTS = frozenset({Role.INITIATING, Role.CONFIRMATION, Role.TEARDOWN})
# A kernel names the process that it stopped; in a container the session counts from 1 anew.
# Of many failures only the last are looked at: every further one is a chance to meet by accident.
MOST_FAILURES = 2
MOST_ECHOES = 200
# No watchdog's timeout that is in use is longer.
MOST_WAITED = timedelta(hours=2)
# Echoes that disagree by more are not of one moment.
ECHO_SCATTER = timedelta(seconds=3)
LEAST_DRIFT = timedelta(seconds=1)
SAME_BOOT = timedelta(minutes=2)
# `dmesg -T` counts from the boot and drifts; others print what the clock showed.
DRIFTING = "dmesg_time"


def events_of(readings: Sequence[Reading]) -> Iterator[Event]:
    """Yield every event, progress included."""
    for reading in readings:
        yield from reading.events
        yield from reading.progress


def waited(event: Event) -> timedelta:
    """Return how long a watchdog had waited when it printed."""
    return timedelta(milliseconds=whole_number(event.fields.get("duration_ms")) or 0)


def moments(
    *,
    readings: Sequence[Reading],
    raw: Raw,
    shifts: Mapping[Voice, timedelta],
    aliases: Mapping[str, str],
) -> Moments:
    """Return when the session failed, and when other voices tell of faults, as printed."""
    failed: dict[str, list[datetime]] = defaultdict(list)
    faults: dict[Voice, list[datetime]] = defaultdict(list)
    processes: dict[str, set[int]] = defaultdict(set)
    named: dict[Voice, list[tuple[datetime, int]]] = defaultdict(list)
    longest = timedelta(0)
    for event in events_of(readings):
        voice = voice_of(event.line)
        if is_of(event, Stream.SESSION) and event.line.pid is not None:
            processes[canonical(voice[1], aliases) or ""].add(event.line.pid)
        at = raw(event.line)
        if at is None:
            continue
        if is_of(event, Stream.SESSION) and _has_failed(event):
            at += shifts.get(voice, timedelta(0))
            failed[canonical(voice[1], aliases) or ""] += {at, at - waited(event)}
            longest = max(longest, waited(event))
        elif event.role in FAULTS and not any(is_of(event, one) for one in NO_CLOCK):
            faults[voice].append(at)
            process = struck_process(event)
            if process is not None:
                named[voice].append((at, process))
    of_all = [at for stamps in failed.values() for at in stamps]
    own = {
        voice: sorted({at for at, pid in told if pid in processes[host]})
        for voice, told in named.items()
        if (host := canonical(voice[1], aliases) or "")
    }
    for voice, stamps in ending_requests(events=events_of(readings), raw=raw).items():
        faults[voice] += stamps
        own[voice] = sorted({*own.get(voice, ()), *stamps})
    return Moments(
        of_host={host: _edges(stamps) for host, stamps in failed.items() if host},
        of_all=_edges(of_all),
        faults={voice: sorted(set(stamps)) for voice, stamps in faults.items()},
        own_faults=own,
        waited=min(longest, MOST_WAITED),
    )


def _has_failed(event: Event) -> bool:
    """Say whether a line of the session tells that it fails: a rank's own last word, too."""
    is_last = event.role is Role.INITIATING and event.severity is Severity.FATAL
    return is_last or event.role in FAILURES


def _edges(stamps: Sequence[datetime]) -> list[datetime]:
    """Return the beginnings and ends of the last bursts."""
    bursts: list[list[datetime]] = []
    for at in sorted(stamps):
        if not bursts or at - bursts[-1][-1] > PAUSE:
            bursts.append([])
        bursts[-1].append(at)
    return sorted(
        {edge for burst in bursts[-MOST_FAILURES * 2 :] for edge in (burst[0], burst[-1])}
    )


def echoes(
    *,
    readings: Sequence[Reading],
    spans: Sequence[VoiceSpan],
    placed: Callable[[LogLine], datetime | None],
    aliases: Mapping[str, str],
) -> tuple[dict[Voice, timedelta], dict[Voice, datetime]]:
    """Return what moves each voice onto an echo of it in a better one, and boots of uptimes."""
    said: dict[tuple[str, str], dict[Voice, list[LogLine]]] = defaultdict(lambda: defaultdict(list))
    for event in events_of(readings):
        line = event.line
        host = canonical(line.host or line.origin.host, aliases)
        if host and not is_of(event, Stream.SESSION):
            said[host, line.text][voice_of(line)].append(line)
    zoned = {one.voice for one in spans if one.is_zoned}
    drifts: dict[Voice, dict[Voice, list[timedelta]]] = defaultdict(lambda: defaultdict(list))
    boots: dict[Voice, list[datetime]] = defaultdict(list)
    for _, told in sorted(said.items())[:MOST_ECHOES]:
        once = {voice: lines[0] for voice, lines in sorted(told.items()) if len(lines) == 1}
        better = min(
            (voice for voice in once if placed(once[voice]) is not None),
            key=lambda voice: (once[voice].dialect == DRIFTING, voice not in zoned, voice),
            default=None,
        )
        at = placed(once[better]) if better else None
        for voice, line in once.items() if better and at else ():
            own = placed(line)
            if voice == better or at is None or better is None:
                continue
            if own is not None:
                drifts[voice][better].append(at - own)
            elif line.uptime_seconds is not None:
                boots[voice].append(at - timedelta(seconds=line.uptime_seconds))
    return (
        {voice: drift for voice, by in drifts.items() if (drift := _agreed(by)) is not None},
        {voice: max(stamps) for voice, stamps in boots.items()},
    )


def _agreed(by: Mapping[Voice, Sequence[timedelta]]) -> timedelta | None:
    _, drifts = max(sorted(by.items()), key=lambda one: len(one[1]))
    middle = timedelta(seconds=median(one.total_seconds() for one in drifts))
    scatter = median(abs((one - middle).total_seconds()) for one in drifts)
    if timedelta(seconds=scatter) > ECHO_SCATTER or abs(middle) < LEAST_DRIFT:
        return None
    return middle


def boots(
    *,
    readings: Sequence[Reading],
    placed: Callable[[LogLine], datetime | None],
    failed: Moments,
    aliases: Mapping[str, str],
) -> dict[Voice, datetime]:
    """Return when the machine of each voice that prints uptimes alone had booted.

    Known from a voice of the same host that prints both, else from the faults that every end of
    processes leaves in the kernel log.
    """
    of_host: dict[str, list[datetime]] = defaultdict(list)
    ends: dict[Voice, list[float]] = defaultdict(list)
    bare: set[Voice] = set()
    for event in events_of(readings):
        line = event.line
        host = canonical(line.host or line.origin.host, aliases) or ""
        if line.uptime_seconds is None:
            continue
        at = placed(line)
        if at is not None:
            of_host[host].append(at - timedelta(seconds=line.uptime_seconds))
            continue
        bare.add(voice_of(line))
        if event.role is Role.TEARDOWN:
            ends[voice_of(line)].append(line.uptime_seconds)
    found: dict[Voice, datetime] = {}
    for voice in sorted(bare):
        host = canonical(voice[1], aliases) or ""
        failures = failed.of_host.get(host) or failed.of_all
        if of_host[host]:
            found[voice] = _latest(of_host[host])
        elif ends[voice] and failures:
            found[voice] = failures[-1] - timedelta(seconds=max(ends[voice]))
    return found


def _latest(stamps: Sequence[datetime]) -> datetime:
    """Return the last boot; stamps of one boot differ by drift only."""
    last = max(stamps)
    same = sorted(at for at in stamps if last - at <= SAME_BOOT)
    return same[len(same) // 2]


def collectives(
    *,
    readings: Sequence[Reading],
    placed: Callable[[LogLine], datetime | None],
    aliases: Mapping[str, str],
) -> list[list[tuple[str, datetime]]]:
    """Return groups of stamps of different hosts that belong to one moment of the whole session."""
    groups: dict[tuple[str, ...], dict[str, list[datetime]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for event in events_of(readings):
        key = _moment_key(event)
        host = canonical(event.line.host or event.line.origin.host, aliases)
        at = placed(event.line) if key and host else None
        if key is not None and host is not None and at is not None:
            groups[key][host].append(at - waited(event))
    return [
        [(host, sorted(stamps)[len(stamps) // 2]) for host, stamps in sorted(hosts.items())]
        for _, hosts in sorted(groups.items())
        if len(hosts) > 1
    ]


def _moment_key(event: Event) -> tuple[str, ...] | None:
    fields = event.fields
    if event.signature in SAME_MOMENT:
        return (
            "watchdog",
            fields.get("pg_id", ""),
            fields.get("seq", ""),
            fields.get("op", ""),
            fields.get("timeout_ms", ""),
        )
    if event.signature in READY and fields.get("comm_id"):
        return ("init", fields["comm_id"])
    return None
