"""JSON of pipelines and people → what they changed. What is no change is named and left out."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from apps.diagnosis.input_values import is_future
from apps.diagnosis.model import Layer
from apps.diagnosis.reasoning.scope.jobs.node_lists import RANGES, nodes_of
from apps.diagnosis.spelling import meant, one_of, shown
from apps.fleet.changes.change_report import (
    LAYERS,
    LIMITS,
    USUAL_LAYERS,
    ChangeReport,
    is_link,
)
from apps.fleet.hosts.host_names import short
from apps.fleet.models import ChangedThing
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig
from apps.telemetry.formats.schedulers.json_values import (
    SIMULATED,
    BadReport,
    each_report,
    list_of,
    require_known,
    required_text,
    text_of,
    time_of,
)

MOST_ENTRIES: Final = 1000
MOST_HOSTS: Final = 20_000  # of one change
MOST_NAMED: Final = 100_000  # hosts of all changes of a body: a list of them is short to write
HOST_LENGTH: Final = 253
ENVELOPE: Final = ("cluster", "changes", SIMULATED)
CHANGE: Final = (
    *("key", "kind", "at", "until", "layer", "hosts", "title", "before", "after"),
    *("reference", "url", "by"),
)
ALL: Final = ("", "*", "all")
NO_HOST: Final = re.compile(r"[\s/@,\[\]]")
# Nothing beside what is read as a part of a list.
LIST: Final = re.compile(rf"(?:{RANGES.pattern})(?:,(?:{RANGES.pattern}))*,?", re.ASCII)


class BadHost(ValueError):
    """Something is no name of a host, or more hosts than are taken."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = shown(word=name)


def change_reports(
    *, said: Mapping[str, Any], complaints: Complaints, now: datetime
) -> list[ChangeReport]:
    """Return the changes of one object or of `{"changes": […]}`.

    Entries that say nothing usable are named by their place and left out. Raises NothingUsable,
    TooBig.
    """
    entries = said.get("changes", [{k: v for k, v in said.items() if k not in ENVELOPE}])
    if not isinstance(entries, list):
        raise NothingUsable("`changes` must be a list")
    if "changes" in said:
        try:
            require_known(said, ENVELOPE)
        except BadReport as error:
            raise NothingUsable(str(error)) from error
    if len(entries) > MOST_ENTRIES:
        raise TooBig(f"the body has more than {MOST_ENTRIES} changes; send it in parts")
    room = MOST_NAMED

    def read(entry: Mapping[str, Any]) -> ChangeReport:
        nonlocal room
        report = _change(entry, now)
        room -= len(report.hosts)
        if room < 0:
            raise TooBig(f"the changes name more than {MOST_NAMED} hosts; send them in parts")
        return report

    return each_report(entries, read, complaints)


def _change(said: Mapping[str, Any], now: datetime) -> ChangeReport:
    require_known(said, CHANGE)
    kind = _kind(said)
    starts_at = _past(said, now)
    ends_at = time_of(said, "until")
    if ends_at is not None and ends_at < starts_at:
        raise BadReport("`until` must not be earlier than `at`")
    return ChangeReport(
        key=_text(said, "key", is_needed=True),
        kind=kind,
        layer=_layer(said) or USUAL_LAYERS[kind],
        starts_at=starts_at,
        ends_at=ends_at,
        hosts=_hosts(said),
        title=_text(said, "title", is_needed=True),
        before=_text(said, "before"),
        after=_text(said, "after"),
        reference=_text(said, "reference"),
        url=_url(said),
        by=_text(said, "by"),
    )


def _kind(said: Mapping[str, Any]) -> ChangedThing:
    known = tuple(kind.value for kind in ChangedThing)
    word = said.get("kind")
    if not word:
        raise BadReport(f"`kind` is missing; {one_of(known=known)}")
    if word not in known:
        hint = meant(word=str(word), known=known)
        raise BadReport(f"there is no kind `{shown(word=str(word))}`; {one_of(known=known)}{hint}")
    return ChangedThing(word)


def _layer(said: Mapping[str, Any]) -> Layer | None:
    word = said.get("layer")
    if not word:
        return None
    if word not in LAYERS:
        hint = meant(word=str(word), known=LAYERS)
        raise BadReport(
            f"there is no layer `{shown(word=str(word))}`; {one_of(known=LAYERS)}{hint}"
        )
    return Layer(word)


def _past(said: Mapping[str, Any], now: datetime) -> datetime:
    at = time_of(said)
    if at is None:
        raise BadReport("`at` is missing")
    if is_future(at, now=now):  # only the end of what goes on may be
        raise BadReport("`at` lies in the future: a change is told when it is made")
    return at


def _hosts(said: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the nodes of names and of lists as Slurm writes them; none where it is everywhere."""
    word = said.get("hosts")
    if isinstance(word, str):
        names = [] if word in ALL else [word]
    else:
        names = [text_of(each) for each in list_of(said, "hosts")]
    try:
        return host_names(names)
    except BadHost as error:
        raise BadReport(f"`{error.name}` in `hosts` is no name of a host") from error


def host_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return each host that names and lists such as gpu[001-003] name, once. Raises BadHost."""
    found: set[str] = set()
    for name in names:
        is_list = "[" in name or "," in name
        nodes = nodes_of(name, most=MOST_HOSTS) if is_list else frozenset({name})
        # A list that names none would be taken for the whole cluster.
        is_broken = is_list and not LIST.fullmatch(name)
        if is_broken or not nodes or not all(map(_is_host, nodes)):
            raise BadHost(name)
        found |= nodes
        if len(found) > MOST_HOSTS:
            raise BadHost(name)
    return tuple(sorted(found))


def _is_host(name: str) -> bool:
    return bool(short(name=name)) and len(name) <= HOST_LENGTH and not NO_HOST.search(name)


def _url(said: Mapping[str, Any]) -> str:
    url = _text(said, "url")
    if url and not is_link(url):
        raise BadReport("`url` must begin with https:// or http://, and hold no password")
    return url


def _text(said: Mapping[str, Any], name: str, *, is_needed: bool = False) -> str:
    """Return a text; raise BadReport for one that would have to be cut."""
    if is_needed:
        required_text(said, name)
    value, most = said.get(name) or "", LIMITS[name]
    if isinstance(value, str | int) and len(str(value).strip()) > most:
        raise BadReport(f"`{name}` has more than {most} letters")
    return text_of(value)
