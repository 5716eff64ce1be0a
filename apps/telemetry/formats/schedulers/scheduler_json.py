"""JSON of schedulers and operators → reports. What is no report is named and left out."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import orjson

from apps.diagnosis import zone_names
from apps.diagnosis.input_values import (
    EARLIEST,
    LATEST,
    MOST,
    MOST_RANKS,
    instant,
    rank_number,
    storable,
    visible,
)
from apps.diagnosis.model import EndState
from apps.diagnosis.spelling import meant, one_of, shown, slipped
from apps.fleet.inventory import (
    DeviceReport,
    InventoryReport,
    LinkReport,
    MountReport,
    NodeReport,
)
from apps.fleet.sessions.session_reports import SessionReport
from apps.telemetry.formats.compression.limits import MEBIBYTE, check_json
from apps.telemetry.formats.lines import Complaints, NothingUsable
from apps.telemetry.formats.schedulers.state_words import SCHEDULERS, STATES

Report = TypeVar("Report")
NAME_LIMIT = 200
HOSTS_LIMIT = 20_000
ALIASES_LIMIT = 16  # of one event; a component of a job tells its own
MOST_GPUS = 1023  # the last index in one node
# What Slurm's programs print where there is nothing: no project, job or host is called so.
NOBODY = frozenset({"", "(null)", "None assigned"})
TOLD_BYTES = 24 * MEBIBYTE  # reports are made of them, which take as much again
SIMULATED = "simulated"  # a mark for people; whose data is simulated, its organization says
# What is known of each object. Another key is a slip of somebody's pen: what it says would be lost.
EVENT = (
    *("cluster", "session", "aliases", "attempt", "scheduler", "job", "project", "state", "at"),
    *("hosts", "ranks", "exit_codes", "world_size", SIMULATED),
)
RANK = ("host", "gpu", "pci", "uuid")
INVENTORY = ("cluster", "nodes", "links", "mounts", "projects", "at", SIMULATED)
NODE = ("name", "aliases", "zone", "devices")
DEVICE = (*("kind", "name", "index", "uuid", "pci", "serial", "netdev", "seen_from", "seen_until"),)
LINK, NEAR, FAR = ("a", "b"), ("host", "device"), ("switch", "port")
MOUNT = ("path", "server", "hosts")


class BadReport(Exception):
    """A value that can't be what it should be; the text names it."""


def document(*, body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; raise NothingUsable, TooBig."""
    check_json(body=body, most=TOLD_BYTES)
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise NothingUsable(f"the body is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise NothingUsable("the body must be one JSON object")
    return found


def session_reports(
    *, said: Mapping[str, Any], complaints: Complaints
) -> list[tuple[str, SessionReport]]:
    """Return (cluster, report) of one event or of `{"events": […]}`."""
    events = said.get("events", [said])
    if not isinstance(events, list):
        raise NothingUsable("`events` must be a list")
    return _each(events, _session_report, complaints)


def check_envelope(*, said: Mapping[str, Any]) -> None:
    """Raise NothingUsable for a key beside `events`, which would tell nothing."""
    try:
        _only(said, ("events",))
    except BadReport as error:
        raise NothingUsable(str(error)) from error


def inventory_report(*, said: Mapping[str, Any], complaints: Complaints) -> InventoryReport:
    """Return what an inventory says; raise BadReport for a key that it has no place for."""
    _only(said, INVENTORY)
    return InventoryReport(
        nodes=tuple(_each(_list(said, "nodes"), _node, complaints)),
        links=tuple(_each(_list(said, "links"), _link, complaints)),
        mounts=tuple(_each(_list(said, "mounts"), _mount, complaints)),
        projects={
            _text(project): _text(slug) for project, slug in _object(said, "projects").items()
        },
        at=_at(said),
    )


def _each(
    values: Iterable[Any], read: Callable[[Mapping[str, Any]], Report], complaints: Complaints
) -> list[Report]:
    found = []
    for number, value in enumerate(values, start=1):
        try:
            if not isinstance(value, dict):
                raise BadReport("an entry must be an object")  # noqa: TRY301  reported like others
            found.append(read(value))
        except BadReport as error:
            complaints.add(line=number, code="bad_entry", detail=str(error))
    return found


def _only(said: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Raise BadReport for the first key that is not known."""
    for name in said:
        if name not in known:
            hint = meant(word=str(name), known=known)
            words = one_of(known=known)
            raise BadReport(f"there is no key `{shown(word=str(name))}` here; {words}{hint}")


def _session_report(said: Mapping[str, Any]) -> tuple[str, SessionReport]:
    _only(said, EVENT)
    attempt = _number(said, "attempt")
    return _text(said.get("cluster", "")), SessionReport(
        session=_required(said, "session")[:NAME_LIMIT],
        attempt=1 if attempt is None else attempt,
        aliases=tuple(
            name[:NAME_LIMIT]
            for alias in _list(said, "aliases")[:ALIASES_LIMIT]
            if (name := _name(alias))
        ),
        scheduler=_scheduler(said),
        job=_name(said.get("job", ""))[:NAME_LIMIT],
        project=_name(said.get("project", ""))[:120],
        state=_state(said),
        at=_at(said),
        hosts=tuple(
            name[:253] for host in _list(said, "hosts")[:HOSTS_LIMIT] if (name := _name(host))
        ),
        ranks=_ranks(said),
        exit_codes=_exit_codes(said),
        world_size=_number(said, "world_size", most=MOST_RANKS),
    )


def _scheduler(said: Mapping[str, Any]) -> str:
    """Return the scheduler's name; raise BadReport for a known one with a slip in it."""
    word = _text(said.get("scheduler", ""))[:40]
    found = None if word.lower() in SCHEDULERS else slipped(word=word, known=SCHEDULERS)
    if found:
        raise BadReport(f"there is no scheduler `{shown(word=word)}`; did you mean `{found}`?")
    return word


def _state(said: Mapping[str, Any]) -> EndState | None:
    word = said.get("state")
    if word is None:
        return None
    if not isinstance(word, str) or word not in set(EndState):
        hint = meant(word=str(word), known=EndState, synonyms=STATES)
        raise BadReport(
            f"there is no state `{shown(word=str(word))}`; {one_of(known=EndState)}{hint}"
        )
    return EndState(word)


def _at(said: Mapping[str, Any], name: str = "at") -> datetime | None:
    word = said.get(name)
    if word is None:
        return None
    at = instant(word)
    if at is None:
        raise BadReport(
            f"`{name}` must be a time as RFC 3339 has it, with a zone (Z or an offset), "
            f"of the years {EARLIEST.year} to {LATEST.year - 1}"
        )
    return at


def _ranks(said: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    ranks = _object(said, "ranks")
    if not all(_is_rank(rank) and isinstance(place, dict) for rank, place in ranks.items()):
        raise BadReport('`ranks` must be {"<rank>": {"host", "gpu", "pci"}}')
    for place in ranks.values():
        _only(place, RANK)
    return {
        rank: {
            "host": _text(place.get("host", ""))[:253],
            "gpu": _number(place, "gpu", most=MOST_GPUS),
            "pci": _text(place.get("pci") or "").lower(),
            "uuid": _text(place.get("uuid") or "").lower().removeprefix("gpu-"),
        }
        for rank, place in ranks.items()
    }


def _exit_codes(said: Mapping[str, Any]) -> dict[str, int]:
    codes = _object(said, "exit_codes")
    if not all(_is_rank(rank) and _is_code(code) for rank, code in codes.items()):
        raise BadReport('`exit_codes` must be {"<rank>": <code>}')
    return codes


def _is_rank(text: str) -> bool:
    # `01` and `1` would be one rank told twice.
    number = rank_number(text)
    return number is not None and str(number) == text


def _is_code(value: Any) -> bool:
    return type(value) is int and -MOST <= value <= MOST


def _node(said: Mapping[str, Any]) -> NodeReport:
    _only(said, NODE)
    zone = _text(said.get("zone") or "")[:64]
    if zone and not zone_names.is_zone(name=zone):
        raise BadReport(f"`zone`: {zone_names.refusal(name=zone)}")
    return NodeReport(
        name=_required(said, "name")[:253],
        aliases=tuple(_text(alias)[:253] for alias in _list(said, "aliases")),
        zone=zone,
        devices=tuple(map(_device, _list(said, "devices"))),
    )


def _device(said: Any) -> DeviceReport:
    if not isinstance(said, dict):
        raise BadReport("an entry of `devices` must be an object")
    _only(said, DEVICE)
    return DeviceReport(
        kind=_required(said, "kind")[:16],
        name=_text(said.get("name") or "")[:120],
        index=_number(said, "index"),
        uuid=_text(said.get("uuid") or "")[:64],
        pci=_text(said.get("pci") or ""),
        serial=_text(said.get("serial") or "")[:64],
        netdev=_text(said.get("netdev") or "")[:60],
        seen_from=_at(said, "seen_from"),
        seen_until=_at(said, "seen_until"),
    )


def _link(said: Mapping[str, Any]) -> LinkReport:
    near, far = _object(said, "a"), _object(said, "b")
    for each, known in ((said, LINK), (near, NEAR), (far, FAR)):
        _only(each, known)
    return LinkReport(
        host=_required(near, "host")[:253],
        device=_required(near, "device")[:120],
        switch=_required(far, "switch")[:253],
        port=_text(far.get("port") or "")[:60],
    )


def _mount(said: Mapping[str, Any]) -> MountReport:
    _only(said, MOUNT)
    return MountReport(
        path=_required(said, "path")[:500],
        server=_required(said, "server")[:253],
        hosts=tuple(_text(host)[:253] for host in _list(said, "hosts")),
    )


def _required(said: Mapping[str, Any], name: str) -> str:
    value = _text(said.get(name) or "")
    if not value:
        raise BadReport(f"`{name}` is missing")
    return value[:500]


def _text(value: Any) -> str:
    if not isinstance(value, str | int):
        raise BadReport(f"a text was expected, not {type(value).__name__}")
    return visible(storable(str(value)).strip()[:500])


def _name(value: Any) -> str:
    """Return a text that names something, empty where it says that there is nothing."""
    text = _text(value)
    return "" if text in NOBODY else text


def _number(said: Mapping[str, Any], name: str, *, most: int = MOST) -> int | None:
    value = said.get(name)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= most:
        raise BadReport(f"`{name}` must be a whole number from 0 to {most}")
    return value


def _list(said: Mapping[str, Any], name: str) -> list[Any]:
    value = said.get(name) or []
    if not isinstance(value, list):
        raise BadReport(f"`{name}` must be a list")
    return value


def _object(said: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = said.get(name) or {}
    if not isinstance(value, dict):
        raise BadReport(f"`{name}` must be an object")
    return value
