"""Why not this cause? What speaks against one that is asked for, or that nothing speaks for it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from django.utils.translation import gettext as _

from apps.diagnosis.causes.load import Cause, load_causes
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.values import HypothesisView
from apps.web import words
from apps.web.display.coverage import note
from apps.web.display.layers import LayerMark, layer_mark
from apps.wording import said
from apps.wording.causes import spoken

MOST_SIGNS: Final = 6
TELLING: Final = 3.0  # log-odds: what weighs less is no more than a hint
NOT_ASKED: Final = ("unknown", "no-failure")


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlingSource:
    """A source that would show the cause, and whether it was there to show it."""

    name: str
    state: str
    would: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """What is said of one cause that somebody asks for."""

    slug: str
    claim: str
    layer: LayerMark
    answer: str
    signs: tuple[str, ...]  # what would speak for it and was not seen; empty where something was
    sources: tuple[SettlingSource, ...]


def askable_causes() -> list[tuple[str, str]]:
    """Return the causes that can be asked for, as they are spoken of, by name."""
    named = ((slug, spoken(slug).name) for slug in load_causes() if slug not in NOT_ASKED)
    return sorted(named, key=lambda each: each[1].casefold())


def why_not(
    slug: str, *, hypotheses: Sequence[HypothesisView], header: IncidentHeader
) -> WhyNot | None:
    """Return what is known about a cause here, as far as the reader may know; None of none."""
    cause = load_causes().get(slug)
    if cause is None or slug in NOT_ASKED:
        return None
    found = next((each for each in hypotheses if each.cause == slug), None)
    return WhyNot(
        slug=slug,
        claim=spoken(slug).name,
        layer=layer_mark(str(cause.layer)),
        answer=_answer(found, header),
        signs=() if found else tuple(islice(_signs(cause), MOST_SIGNS)),
        sources=tuple(_sources(cause, header)),
    )


def _answer(found: HypothesisView | None, header: IncidentHeader) -> str:
    if found is None:
        if any(each.get("state") == "hidden" for each in header.coverage):
            return _("Nothing that you may read speaks for it.")
        return _("Nothing that was read speaks for it.")
    if found.ruled_out is not None:
        return _("It is ruled out: the reason stands above.")
    if found.cause == header.incident.cause:
        return _("It is the verdict.")
    return _("It stands above, with what speaks for it and against it.")


def _signs(cause: Cause) -> Iterator[str]:
    """Yield what would speak most for a cause, of each kind of fact the clearest.

    Several kinds may be said in the same words, and what is generic says nothing without its line.
    """
    told: set[str] = set()
    ordered = sorted(cause.symptoms, key=lambda each: -each.weight)
    for each in ordered:
        kind = each.family or each.sign
        words_of_it = words.sentence_case(said(cause.symptom_fact(symptom=each, fields={})))
        if each.weight < TELLING or each.is_generic or told & {kind, words_of_it}:
            continue
        told |= {kind, words_of_it}
        yield words_of_it


def _sources(cause: Cause, header: IncidentHeader) -> Iterator[SettlingSource]:
    covered = {str(each["source"]): each for each in header.coverage}
    for each in cause.settles:
        yield SettlingSource(
            name=words.source(each.source),
            state=_reach(covered.get(each.source, {})),
            would=said(cause.would(source=each.source)),
        )


def _reach(covered: Mapping[str, Any]) -> str:
    """Return whether a source was there; of one that was, on how many of the hosts it could be."""
    state = str(covered.get("state", "absent"))
    return note(covered) if state == "present" else words.said(words.COVERAGE, state)
