"""Requests in words."""

from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.diagnosis.checks.load import checks_for
from apps.incidents.evidence_requests.answers.answer_views import AttestedAnswer
from apps.incidents.evidence_requests.request_views import EvidenceRequestView
from apps.incidents.evidence_requests.states import RequestState
from apps.sharing.terms import Level
from apps.web.display.data_classes import data_name
from apps.web.display.instants import dated, instant
from apps.web.display.levels import level_name
from apps.web.incident.evidence_requests.page import AnswerRow, RequestOption, RequestRow
from apps.wording import headline

STATES: Mapping[RequestState, Promise] = {
    RequestState.WAITING: gettext_lazy("waits for an answer"),
    RequestState.GRANTED: gettext_lazy("granted"),
    RequestState.NARROWED: gettext_lazy("granted in part"),
    RequestState.DECLINED: gettext_lazy("declined"),
    RequestState.TAKEN_BACK: gettext_lazy("taken back"),
    RequestState.REVOKED: gettext_lazy("revoked"),
    RequestState.ANSWERED: gettext_lazy("answered by a signed statement"),
    RequestState.EXPIRED: gettext_lazy("expired"),
}


def request_row(view: EvidenceRequestView, *, zone: ZoneInfo | None, now: datetime) -> RequestRow:
    """Return a request as its reader sees it."""
    return RequestRow(
        id=view.public_id,
        incident=view.incident,
        headline=_headline(view),
        terms=_terms(view),
        reason=view.reason,
        who=_("%(by)s of %(name)s") % {"by": view.by, "name": view.asker.name},
        at=instant(view.at, zone=zone, now=now),
        state=str(STATES[view.state]),
        is_waiting=view.state is RequestState.WAITING,
        waits_for_reader=view.waits_for_reader,
        outcome=_outcome(view),
        answer=_answer(view, view.answer, zone, now) if view.answer else None,
        may_answer=view.may_answer,
        is_answerable=bool(checks_for(data=view.data)),
        may_decline=view.may_decline,
        may_take_back=view.may_take_back,
        may_revoke=view.may_revoke,
        levels=level_choices(at_most=view.level),
        starts_at=field_time(view.starts_at),
        ends_at=field_time(view.ends_at),
    )


def level_choices(*, at_most: Level = Level.FULL) -> tuple[RequestOption, ...]:
    """Return how much can be asked for or granted, the most first."""
    found = [each for each in Level if 0 < each.rank <= at_most.rank]
    return tuple(RequestOption(value=str(each), text=level_name(each)) for each in reversed(found))


def field_time(at: datetime) -> str:
    """Return a time as a field of a form takes it, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}"


def _headline(view: EvidenceRequestView) -> str:
    told = {"name": view.other.name, "data": data_name(view.data)}
    if view.is_asker:
        return _("You ask %(name)s: %(data)s") % told
    return _("%(name)s asks you: %(data)s") % told


def _terms(view: EvidenceRequestView) -> str:
    parts = [level_name(view.level), _window(view.starts_at, view.ends_at)]
    if view.host:
        parts.append(_("of %(host)s") % {"host": view.host})
    return ", ".join([*parts, _until(view.until)])


def _outcome(view: EvidenceRequestView) -> str:
    if view.end is not None:
        told = {"name": view.end.organization.name, "by": view.end.by}
        who = _("%(by)s of %(name)s") % told
        return f"{who}: {view.end.reason}" if view.end.reason else who
    if view.grant is None:
        return ""
    shown = view.grant
    return ", ".join(
        (level_name(shown.level), _window(shown.starts_at, shown.ends_at), _until(shown.until))
    )


def _answer(
    view: EvidenceRequestView, answer: AttestedAnswer, zone: ZoneInfo | None, now: datetime
) -> AnswerRow:
    told = {"name": view.holder.name, "key": answer.fingerprint[:16]}
    mark = (
        _("Computed by the portal from data of %(name)s; signed with its key %(key)s…")
        if answer.is_good
        else _("The signature does not fit %(name)s or this request: it is not shown.")
    )
    return AnswerRow(
        id=answer.public_id,
        is_good=answer.is_good,
        statements=tuple(headline(each.told) for each in answer.findings),
        mark=mark % told,
        at=instant(answer.at, zone=zone, now=now),
    )


def _window(starts_at: datetime, ends_at: datetime) -> str:
    start, end = starts_at.astimezone(UTC), ends_at.astimezone(UTC)
    same_day = start.date() == end.date()
    last = f"{end:%H:%M:%S}" if same_day else dated(end, seconds=True)
    return f"{dated(start, seconds=True)}–{last} UTC"  # noqa: RUF001  a span


def _until(at: datetime) -> str:
    return _("until %(day)s") % {"day": f"{dated(at.astimezone(UTC))} UTC"}
