"""Facts that no single line tells: patterns over the events of many ranks, devices or moments."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from apps.diagnosis.model import Event, Layer, Observation, Role

WATCHDOG = "pg-watchdog-timeout"
WAITS = frozenset(
    {
        WATCHDOG,
        "pg-watchdog-timeout-rank",
        "pg-failure-detected",
        "pg-exception-detected-v24",
        "pg-timeout-at-work-v24",
        "nvrx-section-timeout",
        "nvrx-no-heartbeat",
    }
)
BURST = timedelta(seconds=90)
# Fewer corrected bus errors than this are nothing.
STORM = 3
# Clocks and print times blur before and after by so much.
AFTERMATH = timedelta(seconds=60)
LOSSES = frozenset(
    {
        "xid:79",
        "xid:167",
        "nvrm-fallen-off",
        "nvrm-gpu-lost",
        "pcie-dpc",
        "pcie-recovery-failed",
        "mlx5-pci-err",
    }
)
# A port that was up for so long before the failure had settled.
SETTLED = timedelta(seconds=60)
STATUS = frozenset({"pg-failure-detected", "pg-exception-detected-v24", "pg-timeout-at-work-v24"})
SAVE_BEGINS = frozenset({"megatron-save-start", "checkpoint-save-start", "hf-ckpt-save"})
SAVE_ENDS = frozenset({"megatron-save-done", "checkpoint-save-done"})
LOAD_BEGINS, LOAD_ENDS = frozenset({"megatron-load-start"}), frozenset({"megatron-load-done"})
STEPS = frozenset(
    {
        "megatron-iteration",
        "nemo-step",
        "lightning-progress",
        "deepspeed-step",
        "torchtitan-step",
        "hf-trainer-log",
        "hf-trainer-tqdm",
    }
)
# Ends of exceptions that only tell what happened to others.
ECHOES = (
    "distbackenderror",
    "distnetworkerror",
    "diststoreerror",
    "childfailederror",
    "rendezvous",
    "nccl",
    "connectionreset",
    "brokenpipe",
    "connection closed",
    "connection reset",
    "signalexception",
    "keyboardinterrupt",
    "systemexit",
    "cuda error",
    "acceleratorerror",
    "outofmemoryerror",
    "broken pipe",
    "gloo",
    "stale file",
    "actordied",
    "actorhandle",
    "raytaskerror",
    "calledprocesserror",
    "process group",
    "timed out",
    "timeout",
    "watchdog",
    "enginedeaderror",
    "engine core",
    "xlaruntimeerror",
    "jaxruntimeerror",
    "dataloader worker",
    "errno 28",
    "no space left",
    "collectives on ranks",
    "remote",
    "socket",
    "enforce fail",
    "refused",
    "gaierror",
    "unreachable",
    "name resolution",
    "not known",
    "memoryerror",
    "bad_alloc",
    "cannot allocate memory",
    "errno 5",
    "errno 12",
    "quota",
    "too many open files",
    "start new thread",
)

Instant = Callable[[Event], tuple[datetime | None, timedelta]]
HostOf = Callable[[Event], str | None]


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
    """Return what the events say together and no line says alone."""
    found = [
        *_collectives(events),
        *_unfinished(events, SAVE_BEGINS, SAVE_ENDS, "save-outlasted-timeout", instant),
        *_unfinished(events, LOAD_BEGINS, LOAD_ENDS, "load-outlasted-timeout", instant),
        *_rank0_alone(events),
        *_gpu_faults(events, instant, host_of),
        *_pcie(observations, failed_at, place),
        *_nvlink5(observations),
        *_ports(observations, failed_at),
        *_exceptions(events, instant, host_of),
        *_exits(events, instant, host_of),
    ]
    return sorted(found, key=lambda one: (one.sign, one.host or "", one.ranks))


def _finding(
    name: str,
    events: Sequence[Event],
    instant: Instant | None = None,
    host: str | None = None,
    layer: Layer | None = None,
    ranks: Iterable[int] = (),
) -> Observation:
    stamps = [at for e in events if instant and (at := instant(e)[0]) is not None]
    return Observation(
        sign=f"finding:{name}",
        role=Role.INITIATING,
        layer=layer,
        at=min(stamps, default=None),
        last_at=max(stamps, default=None),
        error=max((instant(e)[1] for e in events if instant), default=timedelta(0)),
        host=host,
        hosts=(host,) if host else (),
        ranks=tuple(sorted(set(ranks))),
        count=len(events),
        events=tuple(events),
    )


def _like(one: Observation, name: str, role: Role = Role.INITIATING) -> Observation:
    return Observation(
        sign=f"finding:{name}",
        role=role,
        layer=one.layer,
        fields=one.fields,
        at=one.at,
        last_at=one.last_at,
        error=one.error,
        host=one.host,
        hosts=one.hosts,
        ranks=one.ranks,
        count=one.count,
        events=one.events,
        standing=one.standing,
        because=one.because,
    )


def _rank(event: Event) -> int | None:
    return event.line.rank if event.line.rank is not None else event.line.origin.rank


def _collectives(events: Sequence[Event]) -> Iterator[Observation]:
    """Yield when ranks ran different operations or sizes under one sequence number."""
    group_of = {
        (_rank(e), e.fields.get("seq")): e.fields.get("pg_id", "")
        for e in events
        if e.signature in STATUS
    }
    groups: dict[tuple[str, str, str], list[Event]] = defaultdict(list)
    for event in events:
        seq = event.fields.get("seq")
        if event.signature == WATCHDOG and seq:
            group = event.fields.get("pg_id") or group_of.get((_rank(event), seq), "0")
            groups[(seq, event.fields.get("timeout_ms", ""), group)].append(event)
    for _, members in sorted(groups.items()):
        by_voice: dict[object, set[tuple[str | None, str | None]]] = defaultdict(set)
        for e in members:
            voice = _rank(e) if _rank(e) is not None else e.order_key
            by_voice[voice].add((e.fields.get("op"), e.fields.get("numel_in")))
        # One rank in several process groups shows several shapes by itself.
        is_clean = all(len(own) == 1 for own in by_voice.values())
        if is_clean and len({shape for own in by_voice.values() for shape in own}) > 1:
            ranks = {rank for e in members if (rank := _rank(e)) is not None}
            yield _finding("collectives-differ", members, layer=Layer.SOFTWARE, ranks=ranks)


def _unfinished(
    events: Sequence[Event],
    begins: frozenset[str],
    ends: frozenset[str],
    name: str,
    instant: Instant,
) -> Iterator[Observation]:
    """Yield when a save or load had begun, nothing came after it, and collectives timed out behind
    it.
    """
    begun = [e for e in events if e.signature in begins or _checkpoint_verb(e) == (name[:4], "ing")]
    ended = [
        e for e in events if e.signature in ends | STEPS or _checkpoint_verb(e) == (name[:4], "ed")
    ]
    last = max(begun, key=lambda e: _position(e, instant), default=None)
    if last is None or any(_follows(one, last, instant, if_unknown=False) for one in ended):
        return
    waits = [e for e in events if e.signature in WAITS]
    behind = [e for e in waits if _follows(e, last, instant, if_unknown=True)]
    if behind:
        # It lasted until the others gave up waiting.
        yield _finding(name, [last, behind[-1]], instant, layer=Layer.STORAGE)


def _checkpoint_verb(event: Event) -> tuple[str, str]:
    """Return (save or load, ing or ed) where one signature stands for all of them."""
    if event.signature == "torchtitan-ckpt":
        return ("save", "ed" if event.fields.get("secs") else "ing")
    said = event.fields.get("what", "").lower() if event.signature == "deepspeed-ckpt" else ""
    said = said.split(" ", 1)[0]
    return {
        "saving": ("save", "ing"),
        "saved": ("save", "ed"),
        "loading": ("load", "ing"),
        "loaded": ("load", "ed"),
    }.get(said, ("", ""))


def _position(event: Event, instant: Instant) -> tuple[bool, datetime | None, str, int]:
    at = instant(event)[0]
    return (at is not None, at, *event.order_key) if at else (False, None, *event.order_key)


def _follows(one: Event, other: Event, instant: Instant, *, if_unknown: bool) -> bool:
    """Say whether one came after the other, by the clock or by the place in one file."""
    first, second = instant(other)[0], instant(one)[0]
    if first is not None and second is not None:
        return second >= first
    if one.line.origin.source == other.line.origin.source:
        return one.line.number > other.line.number
    return if_unknown


def _rank0_alone(events: Sequence[Event]) -> Iterator[Observation]:
    """Yield when every rank but 0 waited at an early barrier."""
    waits = [e for e in events if e.signature == WATCHDOG]
    ranks = {rank for e in waits if (rank := _rank(e)) is not None}
    is_barrier = all(e.fields.get("numel_in") == "1" for e in waits)
    is_early = all(e.fields.get("seq", "").isdigit() and int(e.fields["seq"]) <= 20 for e in waits)
    if len(ranks) >= 3 and 0 not in ranks and is_barrier and is_early:
        yield _finding("rank0-alone-busy", waits, layer=Layer.SOFTWARE, ranks=(0,))


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
        yield _finding("faults-on-many-gpus", crowd, instant, layer=Layer.SOFTWARE)
    if crowds:
        return
    for (host, _), members in sorted(by_gpu.items()):
        pids = {p for e in members if (p := _process(e))}
        places = {a for e in members if (a := _address(e))}
        if len(pids) >= 2 and len(places) >= 2:
            yield _finding("faults-on-one-gpu", members, instant, host or None, Layer.GPU)
        elif len(pids) >= 2 and len(places) == 1:
            yield _finding("faults-at-one-address", members, instant, host or None, Layer.HOST)


def _gpu(event: Event, host_of: HostOf) -> tuple[str, str]:
    return (host_of(event) or "", event.fields["pci"])


def _bursts(events: Sequence[Event], instant: Instant) -> list[list[Event]]:
    """Group events that follow each other within BURST; those without a time are one group."""
    bursts: list[list[Event]] = []
    last: datetime | None = None
    for at, event in sorted(((instant(e)[0], e) for e in events), key=_burst_order):
        if not bursts or (at is None) != (last is None) or (at and last and at - last > BURST):
            bursts.append([])
        bursts[-1].append(event)
        last = at
    return bursts


def _burst_order(one: tuple[datetime | None, Event]) -> tuple[bool, float, tuple[str, int]]:
    at, event = one
    return (at is not None, at.timestamp() if at else 0.0, event.order_key)


def _process(event: Event) -> str:
    if event.fields.get("pid"):
        return event.fields["pid"]
    _, _, rest = event.line.text.partition("pid=")
    digits = rest.lstrip("'\"")
    return digits[: len(digits) - len(digits.lstrip("0123456789"))]


def _address(event: Event) -> str:
    _, _, rest = event.line.text.partition("faulted @ ")
    return rest.split(".", 1)[0].split(" ", 1)[0]


def _pcie(
    observations: Sequence[Observation], failed_at: datetime | None, place: Place
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
        is_followed = any(_is_loss_of(one, loss) for loss in lost)
        if not is_followed and _is_after(one, failed_at):
            yield _like(one, "aer-afterwards", Role.CONTEXT)
        elif "uncorrect" in text and "non-fatal" not in text and "nonfatal" not in text:
            yield _like(one, "aer-fatal")
        elif not is_followed and not place.may_be_to_blame(one):
            yield _like(one, "aer-elsewhere", Role.CONTEXT)
        elif one.count >= STORM or "multiple" in text:
            yield _like(one, "aer-storm")
        else:
            yield _like(one, "aer-single")


def signs_of(one: Observation) -> set[str]:
    """Return the names of an observation that tell of a lost part."""
    return {one.sign, f"xid:{one.fields.get('xid', '')}"}


def _is_loss_of(one: Observation, loss: Observation) -> bool:
    if one.host != loss.host or (one.at and loss.last_at and loss.last_at < one.at - one.error):
        return False
    parts = {part for name in ("pci", "source") if (part := one.fields.get(name))}
    lost = loss.fields.get("pci", "")
    return not lost or any(lost[-7:].split(".")[0] in part for part in parts)


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
        yield _like(one, "nvlink5-nonfatal" if is_harmless else "nvlink5-fatal")


PORT_SIGNS = frozenset(
    {
        "mlx5-link",
        "mlx5-port-module",
        "switch-port-down",
        "nccl-ib-async-nonfatal",
        "nccl-ib-async-error-v224",
        "nccl-ib-async-old",
        "ib-port-event",
    }
)


def _ports(
    observations: Sequence[Observation], failed_at: datetime | None
) -> Iterator[Observation]:
    """Pair a port's downs with its ups; see when all ranks of a host report a port error."""
    by_part: dict[tuple[str, str], list[Observation]] = defaultdict(list)
    for one in observations:
        if one.sign in PORT_SIGNS:
            part = one.fields.get("pci") or one.fields.get("dev") or one.fields.get("ifname") or ""
            by_part[(one.host or "", part)].append(one)
    for _, members in sorted(by_part.items()):
        yield from _port(members, failed_at)


def _port(members: Sequence[Observation], failed_at: datetime | None) -> Iterator[Observation]:
    downs = [one for one in members if _is_down(one)]
    ups = [one for one in members if _is_up(one)]
    for down in downs:
        is_back = any(_came_back(down, up, failed_at) for up in ups)
        if is_back:
            yield _like(down, "link-flap-recovered", Role.CONTEXT)
        elif down.sign.startswith("nccl-ib"):
            yield _like(down, "port-error-whole-host")
        else:
            yield _like(down, "link-down")


def _came_back(down: Observation, up: Observation, failed_at: datetime | None) -> bool:
    """Say whether a port was up again well before the failure; a flap that outlives it is its
    cause.
    """
    if up.last_at is None or down.last_at is None or up.last_at < down.last_at:
        return False
    return failed_at is None or up.last_at < failed_at - SETTLED


def _said(one: Observation) -> str:
    if one.sign == "switch-port-down":
        return "down"
    words = (one.fields.get(name, "") for name in ("state", "event", "what"))
    return " ".join(words).lower()


def _is_down(one: Observation) -> bool:
    return any(
        word in _said(one) for word in ("down", "port error", "port_err", "lost", "unplugged")
    )


def _is_up(one: Observation) -> bool:
    return any(word in _said(one) for word in ("up", "active", "plugged")) and not _is_down(one)


def _exceptions(
    events: Sequence[Event], instant: Instant, host_of: HostOf
) -> Iterator[Observation]:
    """Yield exceptions of a rank's own: not about communication, GPUs or files that went away."""
    own = [e for e in events if e.signature == "py-exception-final" and not _is_echo(e)]
    if not own:
        return
    ranks = {rank for e in own if (rank := _rank(e)) is not None}
    told = {rank for e in events if e.role is Role.CASCADE and (rank := _rank(e)) is not None}
    name = (
        "lone-exception" if len(ranks) <= 2 or len(ranks) * 4 <= len(told) else "shared-exception"
    )
    host = host_of(own[0]) if len(ranks) <= 1 else None
    yield _finding(name, own, instant, host, Layer.SOFTWARE, ranks)


def _is_echo(event: Event) -> bool:
    text = event.line.text.lower()
    return any(word in text for word in ECHOES)


def _exits(events: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Yield a first exit with a code of its own: killed, crashed or failed before the others were
    ended.
    """
    exits = [(code, e) for e in events if (code := _exit_code(e)) is not None]
    codes = {code for code, _ in exits}
    for code, name in ((-9, "killed-first"), (137, "killed-first"), (1, "lone-exit")):
        members = [e for left_with, e in exits if left_with == code]
        # Survivors are finished off with -9 half a minute after another rank's own error.
        is_cleanup = code in {-9, 137} and bool(codes & {1, -6, -11, -7, 134})
        if members and not is_cleanup and len({_rank(e) for e in members}) <= 2:
            ranks = {rank for e in members if (rank := _exit_rank(e)) is not None}
            yield _finding(name, members, instant, host_of(members[0]), None, ranks)


def _exit_code(event: Event) -> int | None:
    """Return the code a process left with; a signal counts as its negative."""
    code, signal = event.fields.get("exitcode", ""), event.fields.get("signal", "")
    if code.lstrip("-").isdigit():
        return int(code)
    return -int(signal) if event.signature == "mpi-exit-signal" and signal.isdigit() else None


def _exit_rank(event: Event) -> int | None:
    said = event.fields.get("rank", "")
    return int(said) if said.isdigit() else _rank(event)
