"""How an incident stands among its parties → the card of its page."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from django.utils.translation import gettext as _

from apps.diagnosis.model import statement
from apps.incidents.coordination.values import (
    Coordination,
    HandOverView,
    ResolutionView,
    StepView,
)
from apps.incidents.projection.values import IncidentView
from apps.incidents.states import (
    ACTION_REASONS,
    HAND_OVER_REASONS,
    REFUSAL_REASONS,
    REOPEN_REASONS,
    RESOLVE_REASONS,
    HandOverState,
    ResolutionState,
)
from apps.incidents.words.steps import reason_fact, resolution_fact
from apps.incidents.words.waiting import Waits, waiting_of
from apps.web import words
from apps.web.display.instants import dated, instant
from apps.web.display.organizations import PartyLabel
from apps.web.incident.coordination.hands import bars_of, length_between, totals_of
from apps.web.incident.coordination.values import (
    Choice,
    CoordinationCard,
    HandOverRow,
    ProposalRow,
    WorkStepRow,
)
from apps.web.incident.query_params import PageReader
from apps.wording import said


def card_of(
    *, view: IncidentView, audience: Sequence[PartyLabel], reader: PageReader
) -> CoordinationCard:
    """Return what the page shows of the work on an incident."""
    header = view.header
    work, status = header.coordination, header.incident.status
    is_open = status == "open"
    is_own = header.incident.owner_id == header.reader.id
    has_it = work.holder is not None and work.holder.id == header.reader.id
    texts = {each.public_id: each.text for each in view.annotations}
    rows = [_hand_over(each, work, view, texts, reader) for each in work.hand_overs]
    current = next((row for row in reversed(rows) if row.is_open or row.may_return), None)
    current = current or next((row for row in reversed(rows) if row.is_side), None)
    ended = _resolving_step(work)
    may_hand_over = reader.can_write and is_open and has_it and work.open_hand_over is None
    has_proposed = any(each.proposer.id == header.reader.id for each in work.open_resolutions)
    return CoordinationCard(
        line=_line(work, reader.now) if is_open else _ending(ended),
        words=texts.get(ended.note, "") if ended and not is_open else "",
        due=_due(work.due_at, reader.now) if is_open and work.due_at else "",
        is_overdue=bool(is_open and work.due_at and work.due_at <= reader.now),
        bars=bars_of(work.hands, reader_id=header.reader.id, now=reader.now),
        totals=totals_of(work.hands, reader_id=header.reader.id, now=reader.now),
        asked=_asked(view, reader),
        current=current,
        former=tuple(row for row in rows if row is not current),
        proposals=tuple(_proposal(each, view, texts, reader) for each in work.open_resolutions)
        if is_open
        else (),
        recipients=tuple(audience) if may_hand_over else (),
        hand_over_reasons=_choices(HAND_OVER_REASONS),
        refusal_reasons=_choices(REFUSAL_REASONS),
        resolve_reasons=_choices(RESOLVE_REASONS),
        reopen_reasons=_choices(REOPEN_REASONS),
        action_reasons=_choices(ACTION_REASONS),
        readers=words.joined([header.reader.name, *(each.name for each in audience)]),
        may_resolve=reader.may_resolve and is_open,
        may_propose=reader.can_write and is_open and not is_own and not has_proposed
        and not reader.may_resolve,
        may_reopen=reader.can_write and status == "resolved",
    )  # fmt: skip


def _asked(view: IncidentView, reader: PageReader) -> str:
    """Return what others ask of the reader, of those who may answer."""
    kinds = {each.kind for each in waiting_of(view.header, now=reader.now)}
    told = (
        (Waits.HAND_OVER, _("A hand-over waits for your answer.")),
        (Waits.INFORMATION, _("Information is asked of you before it is taken over.")),
        (Waits.RESOLUTION, _("A proposal to resolve it waits for your answer.")),
    )
    return next((said for kind, said in told if reader.can_write and kind in kinds), "")


def _line(work: Coordination, now: datetime) -> str:
    if work.holder is None:
        return ""
    told = {"name": work.holder.name, "length": length_between(work.held_since, now)}
    return _("In %(name)s's hands for %(length)s") % told


def _resolving_step(work: Coordination) -> StepView | None:
    """Return what resolved the incident last."""
    steps = (step for each in work.resolutions for step in each.steps)
    ends = [step for step in steps if step.state == ResolutionState.RESOLVED]
    return max(ends, key=lambda step: step.at, default=None)


def _ending(step: StepView | None) -> str:
    if step is None:
        return ""
    who = statement("organization", name=step.organization.name)
    told = resolution_fact(state=ResolutionState.RESOLVED, who=who, reason=step.reason)
    return said(told)


def _due(at: datetime, now: datetime) -> str:
    utc = at.astimezone(UTC)
    is_today = utc.date() == now.astimezone(UTC).date()
    when = f"{utc:%H:%M} UTC" if is_today else f"{dated(utc)} UTC"
    return _("due %(at)s") % {"at": when}


def _hand_over(
    each: HandOverView,
    work: Coordination,
    view: IncidentView,
    texts: Mapping[str, str],
    reader: PageReader,
) -> HandOverRow:
    reader_id, status = view.header.reader.id, view.header.incident.status
    is_sender, is_recipient = each.sender.id == reader_id, each.recipient.id == reader_id
    may = reader.can_write and status == "open"
    is_held = work.moved_by == each.id and each.state == HandOverState.ACCEPTED
    return HandOverRow(
        id=each.id,
        headline=_headline(each),
        due=_due(each.due_at, reader.now) if each.due_at and each.is_open else "",
        is_overdue=bool(each.due_at and each.is_open and each.due_at <= reader.now),
        is_open=each.is_open and status == "open",
        is_side=is_sender or is_recipient,
        other=each.recipient.name if is_sender else each.sender.name,
        own_ticket=each.sender_ticket if is_sender else each.recipient_ticket,
        other_ticket=each.recipient_ticket if is_sender else each.sender_ticket,
        steps=tuple(_step(step, texts, reader) for step in each.steps),
        may_accept=may and is_recipient and each.is_open,
        may_ask=may and is_recipient and each.state == HandOverState.PROPOSED,
        may_answer=may and is_sender and each.state == HandOverState.INFORMATION_NEEDED,
        may_withdraw=may and is_sender and each.is_open,
        may_return=may and is_recipient and is_held and work.open_hand_over is None,
    )


def _headline(each: HandOverView) -> str:
    told = {"sender": each.sender.name, "recipient": each.recipient.name}
    forms = {
        HandOverState.PROPOSED: _("%(sender)s proposes to hand over to %(recipient)s"),
        HandOverState.INFORMATION_NEEDED: _("%(recipient)s needs information from %(sender)s"),
        HandOverState.ACCEPTED: _("%(recipient)s took it over from %(sender)s"),
        HandOverState.DECLINED: _("%(recipient)s declined: it is back with %(sender)s"),
        HandOverState.WITHDRAWN: _("%(sender)s took back the proposal to %(recipient)s"),
        HandOverState.RETURNED: _("%(recipient)s gave it back to %(sender)s"),
    }
    return forms[each.state] % told


def _step(step: StepView, texts: Mapping[str, str], reader: PageReader) -> WorkStepRow:
    names = {
        HandOverState.PROPOSED: _("proposed"),
        HandOverState.INFORMATION_NEEDED: _("asked for information"),
        HandOverState.ACCEPTED: _("accepted"),
        HandOverState.DECLINED: _("declined"),
        HandOverState.WITHDRAWN: _("taken back"),
        HandOverState.RETURNED: _("given back"),
    }
    what = names[HandOverState(step.state)]
    if step.reason:
        what = f"{what}: {said(reason_fact(step.reason))}"
    who = f"{step.organization.name} ({step.author_name})" if step.author_name else ""
    return WorkStepRow(
        text=f"{who or step.organization.name}, {what}",
        at=instant(step.at, zone=reader.zone, now=reader.now),
        words=texts.get(step.note, ""),
    )


def _proposal(
    each: ResolutionView, view: IncidentView, texts: Mapping[str, str], reader: PageReader
) -> ProposalRow:
    first = each.steps[0]
    told = {
        "name": each.proposer.name,
        "reason": said(reason_fact(each.reason)),
    }
    is_own = each.proposer.id == view.header.reader.id
    return ProposalRow(
        id=each.id,
        text=_("%(name)s proposes to resolve it: %(reason)s") % told,
        at=instant(first.at, zone=reader.zone, now=reader.now),
        words=texts.get(first.note, ""),
        may_answer=reader.may_resolve and not is_own,
        may_withdraw=reader.can_write and is_own,
    )


def _choices(reasons: Sequence[str]) -> tuple[Choice, ...]:
    return tuple(
        Choice(value=each, text=words.sentence_case(said(reason_fact(each)))) for each in reasons
    )
