"""Where a verdict stands with the parties, in words."""

from datetime import UTC

from django.utils.translation import gettext as _

from apps.incidents.coordination.values import PartyStance
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.states import Judgement, VerdictState
from apps.incidents.words.opinions import opinion_fact
from apps.web import words
from apps.web.display.instants import dated
from apps.web.incident.coordination.values import StandingLine
from apps.web.incident.query_params import PageReader
from apps.wording import said


def standing_of(*, header: IncidentHeader, reader: PageReader) -> StandingLine | None:
    """Return the line under a verdict; None where nothing is blamed."""
    verdict = header.coordination.verdict
    state = verdict.state(now=reader.now)
    if state == VerdictState.OPEN:
        return None
    agreed = [each for each in verdict.stances if each.is_right and _is_reply(each)]
    contested = [each for each in verdict.stances if not each.is_right and _is_reply(each)]
    names = words.joined([each.organization.name for each in agreed])
    forms = {
        VerdictState.PROPOSED: _("Proposed"),
        VerdictState.CONTESTED: _("Contested by %(names)s"),
        VerdictState.AGREED: _("%(names)s agrees"),
        VerdictState.FINAL: _("Final: %(names)s agreed") if agreed else _("Final"),
    }
    if state == VerdictState.CONTESTED:
        names = words.joined([each.organization.name for each in contested])
    return StandingLine(
        text=forms[state] % {"names": names},
        note=_note(header, state, is_agreed=bool(agreed)),
        dissent=tuple(_dissent(each) for each in verdict.dissent),
        is_contested=state == VerdictState.CONTESTED,
        may_reply=any(each.id == header.reader.id for each in verdict.blamed),
        is_awaited=verdict.waits_for(header.reader.id, now=reader.now)
        or (verdict.reply_until is None and not agreed and not contested),
    )


def _is_reply(stance: PartyStance) -> bool:
    return stance.is_blamed and not stance.is_of_earlier


def _note(header: IncidentHeader, state: VerdictState, *, is_agreed: bool) -> str:
    verdict = header.coordination.verdict
    if state == VerdictState.FINAL:
        return "" if is_agreed else _("nobody contested it in time")
    if state != VerdictState.PROPOSED:
        return ""
    blamed = [_("you") if each.id == header.reader.id else each.name for each in verdict.blamed]
    if not blamed:
        return _("nobody here answers for this layer, so nobody can agree with it or contest it")
    told = {"names": words.joined(blamed), "at": ""}
    forms = (
        _("%(names)s may agree or contest"),
        _("%(names)s may agree or contest until %(at)s UTC"),
    )
    if verdict.is_left_to_operator:
        forms = (
            _("no party took this layer: %(names)s, who runs the cluster, may agree or contest"),
            _(
                "no party took this layer: %(names)s, who runs the cluster, may agree or contest "
                "until %(at)s UTC"
            ),
        )
    if verdict.reply_until is None:
        return forms[0] % told
    return forms[1] % {**told, "at": dated(verdict.reply_until.astimezone(UTC))}


def _dissent(stance: PartyStance) -> str:
    opinion = opinion_fact(judgement=Judgement.WRONG, layer=stance.layer, cause=stance.cause)
    return _("%(name)s: %(opinion)s") % {
        "name": stance.organization.name,
        "opinion": said(opinion),
    }
