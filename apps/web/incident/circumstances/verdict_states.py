"""Where the verdict stands with the parties, at its time: open to reply, contested, final."""

from collections.abc import Iterator
from datetime import UTC, datetime

from django.utils.translation import gettext as _

from apps.incidents.coordination.values import PartyStance, VerdictStanding
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.states import VerdictState
from apps.web import words
from apps.web.display.instants import dated
from apps.web.lanes.elements import Entry

CONTESTED, FINAL = "contested", "final"  # layers of their own: how they are drawn


def verdict_states(*, header: IncidentHeader, now: datetime) -> list[Entry]:
    """Return the states that the verdict has come to, by time; none where nothing is blamed."""
    verdict = header.coordination.verdict
    state = verdict.state(now=now)
    if state == VerdictState.OPEN:
        return []
    return [*_reply(header, verdict, state, now), *_contest(verdict, now), *_end(verdict, state)]


def _reply(
    header: IncidentHeader, verdict: VerdictStanding, state: VerdictState, now: datetime
) -> Iterator[Entry]:
    since, until = header.incident.settled_at, verdict.reply_until
    if state == VerdictState.FINAL or since is None or until is None or not verdict.blamed:
        return
    names = words.joined([each.name for each in verdict.blamed])
    told = {"names": names, "at": dated(until.astimezone(UTC))}
    form = _("Verdict proposed, %(names)s may reply until %(at)s UTC")
    if state == VerdictState.PROPOSED and now < until:
        yield _entry(key="reply", layer="quiet", title=form % told, at=since, ends_at=until)


def _contest(verdict: VerdictStanding, now: datetime) -> Iterator[Entry]:
    contests = [each for each in verdict.dissent if each.is_blamed]
    if contests:
        names = words.joined(list(dict.fromkeys(each.organization.name for each in contests)))
        title = _("Contested by %(names)s") % {"names": names}
        since = min(each.at for each in contests)
        yield _entry(key=CONTESTED, layer=CONTESTED, title=title, at=since, ends_at=max(now, since))


def _end(verdict: VerdictStanding, state: VerdictState) -> Iterator[Entry]:
    if state != VerdictState.FINAL:
        return
    agreed = [each for each in verdict.stances if _agrees(each)]
    everybody = {each.id for each in verdict.blamed}
    has_all = bool(everybody) and {each.organization.id for each in agreed} == everybody
    at = max(each.at for each in agreed) if has_all else verdict.reply_until
    if at is not None:
        title = _("Verdict final: everybody it blames agreed")
        silent = _("Verdict final: nobody contested it in time")
        yield _entry(key=FINAL, layer=FINAL, title=title if has_all else silent, at=at)


def _agrees(stance: PartyStance) -> bool:
    return stance.is_right and stance.is_blamed and not stance.is_of_earlier


def _entry(
    *, key: str, layer: str, title: str, at: datetime, ends_at: datetime | None = None
) -> Entry:
    return Entry(
        key=f"verdict-{key}",
        lane="people",
        layer=layer,
        role="recovery" if layer != "quiet" else "context",
        title=title,
        owner=_("The portal"),
        at=at,
        ends_at=ends_at,
        stays_in_view=True,
    )
