"""What the parties say of a verdict, and how right all of them were, as pages show it."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from apps.incidents import words as naming
from apps.incidents.judgement.accuracy import Judged, Share, Step, by_layer, overall, steps
from apps.incidents.judgement.feedback import LANE, causes_by_layer
from apps.incidents.models import Feedback
from apps.incidents.states import Judgement
from apps.incidents.projection.incident_view import IncidentView
from apps.web import words
from apps.web.compose.basics import instant, layer_mark
from apps.web.pages import CauseChoice, FeedbackCard, LayerChoices, OpinionRow
from apps.web.verdicts import AccuracyPage, LayerRow, ShareText, StepRow


def card(
    *, view: IncidentView, opinions: Sequence[Feedback], now: datetime, zone: ZoneInfo | None
) -> FeedbackCard:
    """Return the card of an incident as its reader sees it."""
    header = view.header
    own = next((row for row in opinions if row.organization_id == header.reader.pk), None)
    notes = [row for row in view.annotations if row.lane == LANE]
    note = next((row for row in notes if row.organization_id == header.reader.pk), None)
    slugs = {party.organization.pk: party.organization.slug for party in header.parties}
    really = f"{own.actual_layer}/{own.actual_cause}" if own else "/"
    return FeedbackCard(
        revision=header.incident.revision,
        rows=tuple(_row(row=row, view=view, now=now, zone=zone) for row in opinions),
        layers=_choices(really=really, verdict=f"{header.incident.layer}/{header.incident.cause}"),
        says_right=own is not None and own.judgement == Judgement.RIGHT,
        says_wrong=own is not None and own.judgement == Judgement.WRONG,
        note=note.text if note else "",
        readers=frozenset(slugs[pk] for pk in note.audience if pk in slugs)
        if note
        else frozenset(),
    )


def _row(*, row: Feedback, view: IncidentView, now: datetime, zone: ZoneInfo | None) -> OpinionRow:
    incident = view.header.incident
    return OpinionRow(
        name=row.organization.name,
        mark=row.organization.mark,
        person=row.author_name,
        is_reader=row.organization_id == view.header.reader.pk,
        is_right=row.judgement == Judgement.RIGHT,
        text=said(row),
        at=instant(row.created_at, zone=zone, now=now),
        is_of_earlier=(row.layer, row.cause) != (incident.layer, incident.cause),
    )


def said(row: Feedback) -> str:
    """Return right, or wrong and what it was."""
    if row.judgement == Judgement.RIGHT:
        return _("right")
    if not row.actual_layer:
        return _("wrong; what it really was is not known")
    if not row.actual_cause:
        return _("wrong: it was %(layer)s") % {"layer": words.layer(row.actual_layer)}
    cause = naming.spoken(row.actual_cause).name
    return _("wrong: it was %(layer)s, %(cause)s") % {
        "layer": words.layer(row.actual_layer),
        "cause": words.inside(cause),
    }


def _choices(*, really: str, verdict: str) -> tuple[LayerChoices, ...]:
    """Return everything that it may have been, but what the verdict says."""
    return tuple(
        LayerChoices(
            name=words.layer(layer),
            causes=tuple(
                CauseChoice(value=value, text=text, is_on=value == really)
                for value, text in _of_layer(layer, causes)
                if value != verdict
            ),
        )
        for layer, causes in causes_by_layer().items()
    )


def _of_layer(layer: str, causes: Sequence[str]) -> list[tuple[str, str]]:
    named = [(f"{layer}/{cause}", naming.spoken(cause).name) for cause in causes]
    if layer == "unknown":
        return named
    other = _("%(layer)s, none of these") % {"layer": words.layer(layer)}
    return [*named, (f"{layer}/", other)]


def accuracy_page(*, judged: Sequence[Judged], incident_count: int) -> AccuracyPage:
    """Return the page of how right the verdicts were."""
    return AccuracyPage(
        overall=share_text(overall(judged=judged)),
        judged_count=len(judged),
        incident_count=incident_count,
        disputed_count=sum(each.is_disputed for each in judged),
        disputed=_disputed(judged),
        layers=tuple(
            LayerRow(
                layer=layer_mark(each.layer),
                by_layer=share_text(each.by_layer),
                by_cause=share_text(each.by_cause),
                disputed_count=each.disputed_count,
            )
            for each in by_layer(judged=judged)
        ),
        steps=tuple(_step(each) for each in steps(judged=judged) if each.share.n),
    )


def _disputed(judged: Sequence[Judged]) -> str:
    """Return what the parties contradict each other on, and what that leaves out."""
    on_layer = sum(each.is_layer_right is None for each in judged)
    on_cause = sum(each.is_disputed for each in judged) - on_layer
    if not on_layer and not on_cause:
        return _("the parties agree wherever several judged the same answer")
    return _(
        "one party contradicts another: %(layers)d on the layer, %(causes)d on the cause alone; "
        "each is left out of the share that they disagree on"
    ) % {"layers": on_layer, "causes": on_cause}


def share_text(share: Share) -> ShareText:
    """Return a share with its interval; nothing judged is no zero."""
    if not share.n:
        return ShareText(value="–", interval="", is_small=True)  # noqa: RUF001  no number
    low, high = share.interval
    return ShareText(
        value=_("%(hits)d of %(n)d") % {"hits": share.hits, "n": share.n},
        interval=_("%(low).0f to %(high).0f %%") % {"low": low * 100, "high": high * 100},
        is_small=share.is_small,
    )


def _step(step: Step) -> StepRow:
    return StepRow(
        range=f"{step.low:.2f}–{step.high:.2f}",  # noqa: RUF001  a range
        stated=f"{step.stated or 0:.2f}",
        share=share_text(step.share),
        words=_judged(step),
    )


def _judged(step: Step) -> str:
    """Return what the interval says of what was stated."""
    low, high = step.share.interval
    if step.share.is_small or step.stated is None:
        return _("too few to say")
    if step.stated > high:
        return _("surer than it was right")
    return _("less sure than it was right") if step.stated < low else _("fits")
