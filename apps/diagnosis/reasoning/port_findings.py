"""Facts that the lines of a port tell only together: whether a link that went down came back."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.model import Event, Observation, Role
from apps.diagnosis.observed import renamed

# A port that was up for so long before the failure had settled.
SETTLED = timedelta(seconds=60)
PORT_SIGNS = frozenset(
    {
        *("mlx5-link", "mlx5-link-up", "mlx5-port-module", "mlx5-port-module-plugged"),
        *("nic-link", "nic-link-up"),
        "bond-slave",
        "bond-slave-up",
        "switch-port-down",
        "nccl-ib-async-nonfatal",
        "nccl-ib-async-error-v224",
        "nccl-ib-async-old",
        *("ib-port-event", "ib-port-up"),
    }
)


def derive(
    *, observations: Sequence[Observation], failed_at: datetime | None
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
            yield renamed(down, "link-flap-recovered", Role.CONTEXT)
        elif down.sign.startswith("nccl-ib"):
            yield renamed(down, "port-error-whole-host")
        else:
            yield renamed(down, "link-down")


def _came_back(down: Observation, up: Observation, failed_at: datetime | None) -> bool:
    """Say whether a port was up again well before the failure; a flap that outlives it is its
    cause.
    """
    if up.last_at is None and down.last_at is None:
        return _is_last_word(up, down)
    if up.last_at is None or down.last_at is None or up.last_at < down.last_at:
        return False
    return failed_at is None or up.last_at < failed_at - SETTLED


def _is_last_word(up: Observation, down: Observation) -> bool:
    """Say whether in logs without times each that tells of both tells of the port's return last."""
    lost = {e.line.origin.source: e.line.number for e in sorted(down.events, key=_place)}
    back = {e.line.origin.source: e.line.number for e in sorted(up.events, key=_place)}
    shared = set(lost) & set(back)
    return bool(shared) and all(back[source] > lost[source] for source in shared)


def _place(event: Event) -> tuple[str, int]:
    return event.order_key


def _said(one: Observation) -> str:
    if one.sign in {"switch-port-down", "bond-slave"}:
        return "down"
    if one.sign == "bond-slave-up":
        return "up"
    words = (one.fields.get(name, "") for name in ("state", "event", "what"))
    return " ".join(words).lower()


def _is_down(one: Observation) -> bool:
    return any(
        word in _said(one) for word in ("down", "port error", "port_err", "lost", "unplugged")
    )


def _is_up(one: Observation) -> bool:
    return any(word in _said(one) for word in ("up", "active", "plugged")) and not _is_down(one)
