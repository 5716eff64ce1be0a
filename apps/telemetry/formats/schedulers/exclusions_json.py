"""JSON of schedulers and operators → which nodes are left out, and which are in use again."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.input_values import is_future
from apps.diagnosis.spelling import meant, one_of, shown
from apps.fleet.exclusions.exclusion_report import ExclusionBatch, ExclusionReport, ReturnReport
from apps.fleet.models import ExclusionKind
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig
from apps.telemetry.formats.schedulers.json_values import (
    SIMULATED,
    BadReport,
    each_report,
    require_known,
    required_text,
    text_of,
    time_of,
)

MOST_ENTRIES: Final = 1000
ENVELOPE: Final = ("cluster", "exclusions", "returns", SIMULATED)
EXCLUSION: Final = ("host", "kind", "at", "until", "session", "by", "reason", "cause", "incident")
RETURN: Final = ("host", "kind", "at", "session")
KINDS: Final = tuple(kind.value for kind in ExclusionKind)
LIMITS: Final = {"host": 253, "session": 200, "by": 120, "reason": 500, "incident": 20}


def exclusion_batch(
    *, said: Mapping[str, Any], complaints: Complaints, now: datetime
) -> ExclusionBatch:
    """Return what a body says; entries that say nothing usable are named and left out.

    Raises NothingUsable, TooBig.
    """
    try:
        require_known(said, ENVELOPE)
    except BadReport as error:
        raise NothingUsable(str(error)) from error
    begun, ended = _list(said, "exclusions"), _list(said, "returns")
    if len(begun) + len(ended) > MOST_ENTRIES:
        raise TooBig(f"the body has more than {MOST_ENTRIES} entries; send it in parts")
    pairs = each_report(begun, lambda each: _exclusion(each, now), complaints)
    returns = each_report(ended, lambda each: _return(each, now), complaints)
    return ExclusionBatch(
        exclusions=tuple(exclusion for exclusion, _ in pairs),
        returns=(*(until for _, until in pairs if until is not None), *returns),
    )


def _list(said: Mapping[str, Any], name: str) -> list[Any]:
    found = said.get(name) or []
    if not isinstance(found, list):
        raise NothingUsable(f"`{name}` must be a list")
    return found


def _exclusion(
    said: Mapping[str, Any], now: datetime
) -> tuple[ExclusionReport, ReturnReport | None]:
    require_known(said, EXCLUSION)
    session = _short(said, "session")
    kind = _kind(said) or (ExclusionKind.JOB if session else None)
    if kind is None:
        raise BadReport(f"`kind` is missing; {one_of(known=KINDS)}")
    if (kind is ExclusionKind.JOB) != bool(session):
        raise BadReport("`session` names the job that leaves a node out: of kind `job`, and of it")
    host = required_text(said, "host")[: LIMITS["host"]]
    report = ExclusionReport(
        host=host,
        kind=kind,
        at=_past(said, "at", now),
        session=session,
        by=_short(said, "by"),
        reason=_short(said, "reason"),
        cause=_cause(said),
        incident=_short(said, "incident"),
    )
    until = time_of(said, "until")
    if until is None:
        return report, None
    if until <= report.at:
        raise BadReport("`until` must be later than `at`")
    return report, ReturnReport(host=host, kind=kind, session=session, at=until)


def _return(said: Mapping[str, Any], now: datetime) -> ReturnReport:
    require_known(said, RETURN)
    return ReturnReport(
        host=required_text(said, "host")[: LIMITS["host"]],
        kind=_kind(said),
        session=_short(said, "session"),
        at=_past(said, "at", now),
    )


def _short(said: Mapping[str, Any], name: str) -> str:
    return text_of(said.get(name) or "")[: LIMITS[name]]


def _past(said: Mapping[str, Any], name: str, now: datetime) -> datetime:
    at = time_of(said, name)
    if at is None:
        raise BadReport(f"`{name}` is missing")
    if is_future(at, now=now):  # what it holds nobody has seen
        raise BadReport(f"`{name}` lies in the future")
    return at


def _kind(said: Mapping[str, Any]) -> ExclusionKind | None:
    word = said.get("kind")
    if not word:
        return None
    if word not in KINDS:
        hint = meant(word=str(word), known=KINDS)
        raise BadReport(f"there is no kind `{shown(word=str(word))}`; {one_of(known=KINDS)}{hint}")
    return ExclusionKind(word)


def _cause(said: Mapping[str, Any]) -> str:
    word = text_of(said.get("cause") or "")
    if word and word not in load_causes():
        hint = meant(word=word, known=[*load_causes()])
        raise BadReport(f"there is no cause `{shown(word=word)}`{hint or '.'}")
    return word
