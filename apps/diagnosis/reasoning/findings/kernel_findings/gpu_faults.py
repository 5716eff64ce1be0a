"""How faults spread over GPUs, processes and addresses: a bad GPU or a bad program."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.faulting_units import MANY_PROCESSES, processes_of, unit_of, units_of
from apps.diagnosis.model import Event, Layer, Observation
from apps.diagnosis.observed import HostOf, Instant, finding

BURST = timedelta(seconds=90)
# Digits of an address that a process keeps wherever its memory is put: within 1 MiB.
IN_BLOCK = 5
# One fault at a time may be a bad unit; so many parts of a GPU at once run the same bad program.
MANY_UNITS = 3


def spread(events: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Tell a bad GPU from a bad program by how faults spread over devices, processes and
    addresses.
    """
    faults = [e for e in events if e.fields.get("xid") in {"13", "31"} and e.fields.get("pci")]
    by_gpu: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in faults:
        by_gpu[_gpu(event, host_of)].append(event)
    crowds = [
        crowd for crowd in _bursts(faults, instant) if len({_gpu(e, host_of) for e in crowd}) >= 2
    ]
    for crowd in crowds:
        yield finding("faults-on-many-gpus", crowd, instant, layer=Layer.SOFTWARE)
    if crowds:
        return
    yield from _all_over(faults, instant, host_of)
    for (host, _), members in sorted(by_gpu.items()):
        pids = processes_of(members)
        places = _places(members)
        # A program's fault stands in many units at once; a broken unit fails process after process.
        is_of_one_unit = not places and len(units_of(members)) == 1
        if len(pids) < 2:
            continue
        if len(places) >= 2 or is_of_one_unit or (not places and len(pids) >= MANY_PROCESSES):
            yield finding("faults-on-one-gpu", members, instant, host or None, Layer.GPU)
        elif len(places) == 1:
            yield finding("faults-at-one-address", members, instant, host or None, Layer.HOST)


def _all_over(faults: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Yield a burst of faults in many units of one GPU: no unit is broken, all run one program."""
    for burst in _bursts(faults, instant):
        clusters = {c for e in burst if (c := unit_of(e).partition(",")[0])}
        if len(clusters) >= MANY_UNITS:
            host = host_of(burst[0])
            yield finding("faults-in-many-units", burst, instant, host, Layer.SOFTWARE)
            return


def _gpu(event: Event, host_of: HostOf) -> tuple[str, str]:
    return (host_of(event) or "", event.fields["pci"])


def _bursts(events: Sequence[Event], instant: Instant) -> list[list[Event]]:
    """Group events that follow each other within BURST; those without any clock are one group."""
    bursts: list[list[Event]] = []
    last: Event | None = None
    for _, event in sorted(((instant(e)[0], e) for e in events), key=_burst_order):
        if last is None or _is_apart(last, event, instant):
            bursts.append([])
        bursts[-1].append(event)
        last = event
    return bursts


def _is_apart(one: Event, other: Event, instant: Instant) -> bool:
    """Say whether more than BURST lies between two events, by the time or by one boot's clock."""
    at, later = instant(one)[0], instant(other)[0]
    if at is not None and later is not None:
        return later - at > BURST
    if (at is None) != (later is None):
        return True
    up, later_up = one.line.uptime_seconds, other.line.uptime_seconds
    if up is None or later_up is None or one.line.origin.source != other.line.origin.source:
        return False
    return abs(later_up - up) > BURST.total_seconds()


def _burst_order(one: tuple[datetime | None, Event]) -> tuple[bool, float, tuple[str, int]]:
    at, event = one
    return (at is not None, at.timestamp() if at else 0.0, event.order_key)


def _places(events: Sequence[Event]) -> set[str]:
    """Return the addresses; what a loader only moved by whole blocks is one place of a program."""
    places = {a for e in events if (a := _address(e))}
    inside = {place[-IN_BLOCK:] for place in places}
    is_one = len(inside) == 1 and inside != {"0" * IN_BLOCK}
    return {min(places)} if is_one else places


def _address(event: Event) -> str:
    _, _, rest = event.line.text.partition("faulted @ ")
    return rest.split(".", 1)[0].split(" ", 1)[0]
