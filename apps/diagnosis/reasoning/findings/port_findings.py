"""Facts that the lines of a port tell only together: whether a link that went down came back."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.model import Event, Mark, Observation, Role
from apps.diagnosis.observed import renamed
from apps.diagnosis.signatures.marks import marked

# A message whose acknowledgement is lost is sent again, as often and after as long as NCCL asks for
# by its defaults: 7 times, each 2^20 times 4.096 us. Once the port is back the next try gets
# through, so a failure that begins later than all tries has another cause.
RETRIES = 7 * timedelta(microseconds=4.096) * 2**20
# A watchdog looks at the error, and prints it, some seconds after NCCL has it.
PRINTED = timedelta(seconds=10)
OF_PROGRAMS = marked(Mark.PORT_OF_PROGRAM)
PORT_SIGNS, DOWN, UP = marked(Mark.PORT), marked(Mark.PORT_DOWN), marked(Mark.PORT_UP)
# What a line calls the part; one part has several.
PART_NAMES = ("pci", "dev", "ifname")


def derive(
    *, observations: Sequence[Observation], failed_at: datetime | None
) -> Iterator[Observation]:
    """Pair a port's downs with its ups; see when all ranks of a host report a port error."""
    by_host: dict[str, list[Observation]] = defaultdict(list)
    for one in observations:
        if one.sign in PORT_SIGNS:
            by_host[one.host or ""].append(one)
    for _, told in sorted(by_host.items()):
        for members in _by_part(told):
            yield from _port(members, failed_at)


def _by_part(told: Sequence[Observation]) -> list[list[Observation]]:
    """Return what is told of each part of a host: a line that gives two of its names ties them."""
    parts: list[tuple[set[str], list[Observation]]] = []
    for one in told:
        names = {name for key in PART_NAMES if (name := one.fields.get(key))}
        same = [part for part in parts if part[0] & names or not (part[0] or names)]
        rest = [part for part in parts if part not in same]
        names = names.union(*(known for known, _ in same))
        parts = [*rest, (names, [*(each for _, members in same for each in members), one])]
    return [members for _, members in sorted(parts, key=lambda part: sorted(part[0]))]


def _port(members: Sequence[Observation], failed_at: datetime | None) -> Iterator[Observation]:
    ups = [one for one in members if _is_up(one)]
    for down in (one for one in members if _is_down(one)):
        back = [up for up in ups if _is_same_port(up, down)]
        if any(_came_back(down, up, failed_at, RETRIES + PRINTED) for up in back):
            yield renamed(down, "link-flap-recovered", Role.CONTEXT)
        elif any(_came_back(down, up, failed_at) for up in back):
            yield renamed(down, "link-flapped")
        elif down.sign in OF_PROGRAMS:
            yield renamed(down, "port-error-whole-host")
        else:
            yield renamed(down, "link-down")


def _is_same_port(one: Observation, other: Observation) -> bool:
    """Say whether nothing tells that two lines of one adapter are of different ports."""
    ports = {one.fields.get("port") or "", other.fields.get("port") or ""} - {""}
    return len(ports) < 2


def _came_back(
    down: Observation,
    up: Observation,
    failed_at: datetime | None,
    before: timedelta = timedelta(0),
) -> bool:
    """Say whether a port was up again, and for longer than `before` when the session failed."""
    if up.last_at is None and down.last_at is None:
        return _is_last_word(up, down)
    if up.last_at is None or down.last_at is None or up.last_at < down.last_at:
        return False
    return failed_at is None or up.last_at < failed_at - before


def _is_last_word(up: Observation, down: Observation) -> bool:
    """Say whether in logs without times each that tells of both tells of the port's return last."""
    lost = {e.line.origin.source: e.line.number for e in sorted(down.events, key=_place)}
    back = {e.line.origin.source: e.line.number for e in sorted(up.events, key=_place)}
    shared = set(lost) & set(back)
    return bool(shared) and all(back[source] > lost[source] for source in shared)


def _place(event: Event) -> tuple[str, int]:
    return event.order_key


def _said(one: Observation) -> str:
    if one.sign in DOWN:
        return "down"
    if one.sign in UP:
        return "up"
    words = (one.fields.get(name, "") for name in ("state", "event", "what"))
    return " ".join(words).lower()


def _is_down(one: Observation) -> bool:
    return any(
        word in _said(one) for word in ("down", "port error", "port_err", "lost", "unplugged")
    )


def _is_up(one: Observation) -> bool:
    return any(word in _said(one) for word in ("up", "active", "plugged")) and not _is_down(one)
