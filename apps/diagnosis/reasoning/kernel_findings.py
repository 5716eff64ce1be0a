"""Facts that kernel lines tell only together: how GPU faults spread, what bus errors became,
ports.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from apps.diagnosis.model import Event, Layer, Observation, Role
from apps.diagnosis.observed import HostOf, Instant, finding, renamed
from apps.diagnosis.signatures.xid import xid_codes

BURST = timedelta(seconds=90)
# A fatal bus error takes its GPU with it within a moment.
AT_ONCE = timedelta(seconds=10)
# What the driver asks for belongs to an error of so long before.
ASKED_BEHIND = timedelta(minutes=5)
CONSEQUENCES = frozenset({Role.CASCADE, Role.TEARDOWN})
# So many processes that fault on one GPU and on no other don't share a bug by chance.
MANY_PROCESSES = 3
# Digits of an address that a process keeps wherever its memory is put: within 1 MiB.
IN_BLOCK = 5
# One fault at a time may be a bad unit; so many parts of a GPU at once run the same bad program.
MANY_UNITS = 3
# Fewer corrected bus errors a minute than this are nothing.
STORM = 3
# Clocks and print times blur before and after by so much.
AFTERMATH = timedelta(seconds=60)
LOSSES = frozenset(
    {
        "xid:79",
        "xid:167",
        "nvrm-fallen-off",
        "nvrm-fallen-off-probe",
        "nvidia-inaccessible",
        "nvrm-gpu-lost",
        "pcie-dpc",
        "pcie-recovery-failed",
        "mlx5-pci-err",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the failure is to be looked for, as far as known."""

    suspects: frozenset[str] = frozenset()  # hosts that stopped first or that peers name
    gpus: Mapping[str, frozenset[str]] = field(default_factory=dict)  # host → PCI addresses

    def may_be_to_blame(self, one: Observation) -> bool:
        """Say whether a part is a GPU of the session on a host that may have stopped first."""
        if self.suspects and one.host is not None and one.host not in self.suspects:
            return False
        known = self.gpus.get(one.host or "")
        if not known:
            return True
        parts = {one.fields.get("source"), one.fields.get("pci")}
        return bool(parts & known)


def derive(
    *,
    events: Sequence[Event],
    observations: Sequence[Observation],
    instant: Instant,
    host_of: HostOf,
    failed_at: datetime | None,
    place: Place,
) -> list[Observation]:
    """Return what the kernels say together and no line says alone."""
    return [
        *_gpu_faults(events, instant, host_of),
        *_pcie(observations, failed_at, place, _ports_known(events, host_of)),
        *_nvlink5(observations),
        *_named_by_cleanup(observations),
        *_asked(observations),
    ]


def _gpu_faults(
    events: Sequence[Event], instant: Instant, host_of: HostOf
) -> Iterator[Observation]:
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
        pids = {p for e in members if (p := _process(e))}
        places = _places(members)
        units = {u for e in members if (u := _unit(e))}
        # A program's fault stands in many units at once; a broken unit fails process after process.
        is_of_one_unit = not places and len(units) == 1
        if len(pids) < 2:
            continue
        if len(places) >= 2 or is_of_one_unit or (not places and len(pids) >= MANY_PROCESSES):
            yield finding("faults-on-one-gpu", members, instant, host or None, Layer.GPU)
        elif len(places) == 1:
            yield finding("faults-at-one-address", members, instant, host or None, Layer.HOST)


def _all_over(faults: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Yield a burst of faults in many units of one GPU: no unit is broken, all run one program."""
    for burst in _bursts(faults, instant):
        clusters = {c for e in burst if (c := _unit(e).partition(",")[0])}
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


def _process(event: Event) -> str:
    if event.fields.get("pid"):
        return event.fields["pid"]
    _, _, rest = event.line.text.partition("pid=")
    digits = rest.lstrip("'\"")
    return digits[: len(digits) - len(digits.lstrip("0123456789"))]


def _places(events: Sequence[Event]) -> set[str]:
    """Return the addresses; what a loader only moved by whole blocks is one place of a program."""
    places = {a for e in events if (a := _address(e))}
    inside = {place[-IN_BLOCK:] for place in places}
    is_one = len(inside) == 1 and inside != {"0" * IN_BLOCK}
    return {min(places)} if is_one else places


def _address(event: Event) -> str:
    _, _, rest = event.line.text.partition("faulted @ ")
    return rest.split(".", 1)[0].split(" ", 1)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Which buses lie behind each port of each host, as far as the kernels said so."""

    whole: Mapping[tuple[str, str], frozenset[tuple[int, int]]]  # all there are
    seen: Mapping[tuple[str, str], frozenset[int]]  # some of them

    def lead_to(self, host: str, port: str, bus: int) -> bool | None:
        """Say whether a bus lies behind a port, None where nobody said."""
        ranges = self.whole.get((host, port))
        if bus in self.seen.get((host, port), ()):
            return True
        return any(first <= bus <= last for first, last in ranges) if ranges else None


def _ports_known(events: Sequence[Event], host_of: HostOf) -> Ports:
    whole: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    seen: dict[tuple[str, str], set[int]] = defaultdict(set)
    for event in events:
        host, fields = host_of(event) or "", event.fields
        port, device = fields.get("pci", ""), fields.get("source", "")
        if event.signature == "pcie-bridge":
            first = int(fields["first"], 16)
            whole[host, port].add((first, int(fields.get("last", fields["first"]), 16)))
        elif event.signature == "pcie-bandwidth":
            seen[host, fields.get("limiter", "")].add(_bus(port))
        elif event.signature == "pcie-aer-received" and device:
            seen[host, port].add(_bus(device))
    return Ports(
        whole={part: frozenset(spans) for part, spans in whole.items()},
        seen={part: frozenset(buses) for part, buses in seen.items()},
    )


def _bus(pci: str) -> int:
    """Return the bus number of an address, -1 where it has none."""
    parts = pci.split(":")
    digits = parts[-2] if len(parts) >= 2 else ""
    return int(digits, 16) if digits and all(one in "0123456789abcdef" for one in digits) else -1


def _unit(event: Event) -> str:
    """Return the processing unit that a shader fault names."""
    _, _, rest = event.line.text.partition("(GPC ")
    return rest.split(", SM", 1)[0].partition(")")[0]


def _pcie(
    observations: Sequence[Observation],
    failed_at: datetime | None,
    place: Place,
    ports: Ports,
) -> Iterator[Observation]:
    """Grade PCIe errors: uncorrected, a storm of corrected ones, a single one, another part's.

    A port reports errors all its life. They belong to a failure only where they came before it,
    and the part was lost after them, or is a GPU of a host that stopped first.
    """
    lost = [one for one in observations if signs_of(one) & LOSSES]
    for one in observations:
        if one.sign not in {"pcie-aer", "pcie-aer-received"}:
            continue
        text = " ".join(e.line.text for e in one.events[:20]).lower()
        is_fatal = "uncorrect" in text and "non-fatal" not in text and "nonfatal" not in text
        is_followed = any(_is_loss_of(one, loss, ports, is_fatal=is_fatal) for loss in lost)
        if not is_followed and _is_after(one, failed_at):
            yield renamed(one, "aer-afterwards", Role.CONTEXT)
        elif not is_followed and any(_is_of_another(one, loss, ports) for loss in lost):
            yield renamed(one, "aer-elsewhere", Role.CONTEXT)
        elif is_fatal:
            yield renamed(one, "aer-fatal")
        elif not is_followed and not place.may_be_to_blame(one):
            yield renamed(one, "aer-elsewhere", Role.CONTEXT)
        elif _is_storm(one) or "multiple" in text:
            yield renamed(one, "aer-storm")
        else:
            yield renamed(one, "aer-single")


def _is_storm(one: Observation) -> bool:
    span = one.last_at - one.at if one.at and one.last_at else timedelta(0)
    return one.count >= STORM * max(span / timedelta(minutes=1), 1)


def signs_of(one: Observation) -> set[str]:
    """Return the names of an observation that tell of a lost part."""
    return {one.sign, f"xid:{one.fields.get('xid', '')}"}


def _is_loss_of(one: Observation, loss: Observation, ports: Ports, *, is_fatal: bool) -> bool:
    """Say whether a part was lost after a bus error of its own, or of the port it hangs on."""
    if one.host != loss.host or _is_before(loss, one):
        return False
    lost = loss.fields.get("pci", "")
    if not lost:
        return True
    is_own = _leads_to(one, _bus(lost), ports)
    if is_own is None:  # nobody said what hangs on the port: then only the moment ties them
        is_close = one.last_at is None or loss.at is None or loss.at - one.last_at <= AT_ONCE
        return is_fatal and is_close
    return is_own


def _is_before(one: Observation, other: Observation) -> bool:
    return bool(other.at and one.last_at and one.last_at < other.at - other.error)


def _is_of_another(one: Observation, loss: Observation, ports: Ports) -> bool:
    """Say whether a bus error is known to be of another part than the one lost on its host."""
    lost = loss.fields.get("pci", "")
    is_known = one.host == loss.host and bool(lost)
    return is_known and _leads_to(one, _bus(lost), ports) is False


def _leads_to(one: Observation, bus: int, ports: Ports) -> bool | None:
    """Say whether a bus error was on the way to a bus; None: nobody said what hangs on the port."""
    parts = {part for name in ("pci", "source") if (part := one.fields.get(name))}
    if bus in {_bus(part) for part in parts}:
        return True
    said = [ports.lead_to(one.host or "", part, bus) for part in parts]
    if any(said):
        return True
    if False in said:
        return False
    is_device = any(e.fields.get("drv", "pcieport") != "pcieport" for e in one.events)
    return False if is_device else None


def _is_after(one: Observation, failed_at: datetime | None) -> bool:
    if one.at is None or failed_at is None:
        return False
    return one.at - one.error - AFTERMATH > failed_at


def _nvlink5(observations: Sequence[Observation]) -> Iterator[Observation]:
    """Read the severity of the NVLink events 144 to 150."""
    for one in observations:
        xid = one.fields.get("xid", "")
        if not xid.isdigit() or not 144 <= int(xid) <= 150:
            continue
        said = (
            one.fields.get("sev", "") + " " + " ".join(e.line.text for e in one.events[:4])
        ).lower()
        is_harmless = "nonfatal" in said or "non-fatal" in said
        yield renamed(one, "nvlink5-nonfatal" if is_harmless else "nvlink5-fatal")


def _named_by_cleanup(observations: Sequence[Observation]) -> Iterator[Observation]:
    """Yield the error that a clean-up names, where its own line is not in the log."""
    told = {(one.host, one.fields.get("xid")) for one in observations}
    seen: set[tuple[str | None, str, str]] = set()
    for one in observations:
        named = one.fields.get("previous_xid", "")
        part = (one.host, one.fields.get("pci", ""), named)
        code = xid_codes().get(int(named)) if named.isdigit() else None
        if code is None or code.role in CONSEQUENCES or (one.host, named) in told or part in seen:
            continue
        seen.add(part)
        fields = {**one.fields, "xid": named}
        found = renamed(one, "xid-named-by-cleanup", code.role)
        yield replace(found, layer=code.layer, causes=code.causes, fields=fields)


def _asked(observations: Sequence[Observation]) -> Iterator[Observation]:
    """Yield what the driver asks for after an error; without one it speaks for itself."""
    for one in observations:
        action = one.fields.get("action", "")
        if one.fields.get("xid") != "154" or action in {"", "ignore"}:
            continue
        errors = [other for other in observations if _may_have_asked(other, one)]
        if not errors:
            found = renamed(one, "recovery-asked", Role.CONFIRMATION)
            yield replace(found, layer=Layer.GPU, causes=("gpu-other",))
            continue
        first = min(errors, key=lambda other: (other.at is None, other.at, other.sign))
        found = renamed(first, "recovery-asked", Role.CONTEXT)
        fields = {name: value for name, value in first.fields.items() if name != "xid"}
        follows = first.fields["xid"]
        yield replace(found, fields={**fields, "follows": follows, "action": action})


def _may_have_asked(error: Observation, asked: Observation) -> bool:
    code = error.fields.get("xid", "")
    if not code or code == "154" or error.role is not Role.INITIATING or error.host != asked.host:
        return False
    if error.fields.get("pci") != asked.fields.get("pci"):
        return False
    if error.at is None or asked.last_at is None:
        return True
    return error.at <= asked.last_at <= (error.last_at or error.at) + ASKED_BEHIND
